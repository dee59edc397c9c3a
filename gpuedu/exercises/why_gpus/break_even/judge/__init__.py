"""break-even: from which n the GPU is faster, and when it never is."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from gpuedu.exercises.compare import show
from gpuedu.exercises.contract import Case, Fault, Judge, Plain, Prediction, Property, Undecided
from gpuedu.exercises.functions import arguments_of, call_text

_BLUR = Fraction(1, 10**9)


_LATE = {"launch_s": 2e-5, "cpu_elements_per_s": 3e9, "gpu_elements_per_s": 3.00003e9}
_LATE_LINK = {"gpu_elements_per_s": 3e11, "link_bytes_per_s": 2.424267e10, "bytes_per_element": 8}
"""The GPU wins, from billions of elements on: it saves a hundred thousandth of the CPU's time."""

_AT_ONCE = {"launch_s": 2e-5, "cpu_elements_per_s": 3e3, "gpu_elements_per_s": 8e4}
_AT_ONCE_LINK = {"link_bytes_per_s": 2.5e10, "bytes_per_element": 1200}
"""So much work for each element that the GPU wins with the first one."""


def saved_per_element_s(
    cpu_elements_per_s: float,
    gpu_elements_per_s: float,
    link_bytes_per_s: float = math.inf,
    bytes_per_element: float = 0.0,
) -> Fraction:
    """Seconds by which the CPU is slower on each element, exact; 0 or less where it is not."""
    link = Fraction(0)
    if math.isfinite(link_bytes_per_s):
        link = Fraction(bytes_per_element) / Fraction(link_bytes_per_s)
    return 1 / Fraction(cpu_elements_per_s) - 1 / Fraction(gpu_elements_per_s) - link


def exact_quotient(launch_s: float, **rates: float) -> Fraction | None:
    """The n, not rounded, at which both take as long; None where the GPU never catches up."""
    saved = saved_per_element_s(**rates)
    return Fraction(launch_s) / saved if saved > 0 else None


def smallest(launch_s: float, **rates: float) -> float:
    """The smallest whole n for which the GPU is faster, or infinity."""
    quotient = exact_quotient(launch_s, **rates)
    return math.inf if quotient is None else math.floor(quotient) + 1


def cases(rng: np.random.Generator) -> list[Case]:
    """GPUs that win, also at once or very late; that tie; and that never win."""
    plain = [_devices(rng) for _ in range(3)]
    drawn = [_case(rates, ("without-copies", "smallest")) for rates in plain]
    copied = [_linked(rng, _devices(rng), share) for share in (0.3, 0.7, 0.99)]
    drawn += [_case(rates, ("with-copies", "smallest")) for rates in copied]
    drawn += [_case(_LATE, ("without-copies", "smallest"))]
    drawn += [_case({**_LATE, **_LATE_LINK}, ("with-copies", "smallest"))]
    drawn += [_case(_AT_ONCE, ("without-copies", "smallest"))]
    drawn += [_case({**_AT_ONCE, **_AT_ONCE_LINK}, ("with-copies", "smallest"))]
    faster, slower = _devices(rng), _devices(rng)
    slower["cpu_elements_per_s"] = slower["gpu_elements_per_s"] * 1.5
    equal = {**faster, "gpu_elements_per_s": faster["cpu_elements_per_s"]}
    drawn += [_case(rates, ("never",)) for rates in (slower, equal)]
    drawn += [_case(_linked(rng, _devices(rng), 1.4), ("never",))]
    drawn += [_case(_linked(rng, slower, 0.2), ("never",))]
    # Powers of two, so that both take exactly as long at a whole n in floating point, too.
    tie = _rates(3 * 2.0**-18, 2.0**30, 2.0**32)
    linked_tie = {**tie, "link_bytes_per_s": 2.0**35, "bytes_per_element": 8}
    drawn += [_case(rates, ("smallest",)) for rates in (tie, linked_tie)]
    # The CPU's 2**-30 s less the GPU's 2**-31 s is just what the link takes, without rounding.
    eaten = {**_rates(2.0**-17, 2.0**30, 2.0**31), "link_bytes_per_s": 2.0**34}
    return [*drawn, _case({**eaten, "bytes_per_element": 8}, ("never",))]


def _rates(launch_s: float, cpu: float, gpu: float) -> dict[str, float]:
    return {"launch_s": launch_s, "cpu_elements_per_s": cpu, "gpu_elements_per_s": gpu}


def _devices(rng: np.random.Generator) -> dict[str, float]:
    launch_s = float(f"{rng.uniform(3, 30):.1f}e-6")
    cpu = float(f"{10 ** rng.uniform(8.5, 9.5):.3g}")
    return _rates(launch_s, cpu, float(f"{cpu * rng.uniform(5, 100):.3g}"))


def _linked(rng: np.random.Generator, rates: Mapping[str, float], share: float) -> dict[str, float]:
    """With a link that takes up this share of what the GPU saves (or of the CPU's time)."""
    saved_s = float(saved_per_element_s(rates["cpu_elements_per_s"], rates["gpu_elements_per_s"]))
    budget_s = saved_s if saved_s > 0 else 1 / rates["cpu_elements_per_s"]
    each = int(rng.choice([8, 12, 16]))
    link = float(f"{each / (share * budget_s):.5g}")
    return {**rates, "link_bytes_per_s": link, "bytes_per_element": each}


def _case(rates: Mapping[str, float], decides: tuple[str, ...]) -> Case:
    label = (
        f"a launch of {rates['launch_s']:.4g} s, CPU {rates['cpu_elements_per_s']:.7g}/s, "
        f"GPU {rates['gpu_elements_per_s']:.7g}/s"
    )
    call = "break_even"
    if "link_bytes_per_s" in rates:
        call = "break_even_with_copies"
        link, each = rates["link_bytes_per_s"], rates["bytes_per_element"]
        label += f", {each:g} bytes an element over {link:.7g} B/s"
    return Case(label, {"call": call, **rates}, decides)


def verdict(case: Case, observed: Plain) -> Iterable[Fault]:
    """About right, which a formula in the right form gives; and exactly right."""
    rates, got = arguments_of(case), observed["result"]
    expected = smallest(**rates)
    message = f"`{call_text(case)}` gave {show(got)}, expected {show(expected)}"
    if math.isinf(expected):
        if got != expected:
            yield Fault("never", message)
        return
    if abs(got - expected) > max(1.5, expected * 1e-9) or math.isnan(got):
        if case.decides[0] != "smallest":
            yield Fault(case.decides[0], message + _lead(got, rates))
        yield Undecided("smallest", "your n is too far off there to tell how it was rounded")
    elif not _is_smallest(got, exact_quotient(**rates)):
        yield Fault("smallest", message + _lead(got, rates))


def _is_smallest(got: float, quotient: Any) -> bool:
    """True if ``got`` is the first whole number above the quotient.

    Floating point cannot tell a quotient from its near neighbors, so an n that fits one of those
    is right; unless the quotient is a whole number, where the cases are free of rounding.
    """
    blur = Fraction(0) if quotient.denominator == 1 else _BLUR
    least, most = (math.floor(quotient * factor) + 1 for factor in (1 - blur, 1 + blur))
    return bool(least <= got <= most and got == int(got))


def _lead(got: float, rates: Mapping[str, float]) -> str:
    """The device that is ahead at the learner's n, exactly, where that is a number of elements."""
    if not math.isfinite(got) or got != int(got) or got < 0:
        return ""
    each = {name: rate for name, rate in rates.items() if name != "launch_s"}
    lead_s = float(Fraction(got) * saved_per_element_s(**each) - Fraction(rates["launch_s"]))
    if lead_s == 0:
        return "; both take exactly as long there"
    if lead_s < 0:
        return f"; the CPU is ahead there by {-lead_s:.2g} s"
    return f"; the GPU is ahead there by {lead_s:.2g} s"


JUDGE = Judge(
    title="From which size does the GPU win?",
    properties=(
        Property(
            "without-copies",
            "the n from which the GPU is faster, data on the device",
            1,
            "How long do n elements take on the CPU, and how long on the GPU? Which part of that "
            "does not grow with n?",
        ),
        Property(
            "with-copies",
            "the same when the data cross the link",
            1,
            "How long does one element take on the CPU, on the GPU and on the link? And which part "
            "of the time does not grow with n?",
        ),
        Property(
            "never",
            "`math.inf` when the GPU never wins",
            1,
            "How long does one element take on the CPU, and how long on the GPU, with the link if "
            "there is one? Can more elements make up for the launch?",
            after=("without-copies", "with-copies"),
        ),
        Property(
            "smallest",
            "the smallest whole n for which it is faster, not just as fast",
            1,
            "Is the GPU ahead at your n, and not yet with one element fewer?",
        ),
    ),
    hints=(
        "Write down both times for n elements. Which of them has a part that does not grow with n?",
        "The GPU pays the launch once and saves `1 / cpu - 1 / gpu` on each element; with copies "
        "it saves `bytes / link` less. After how many elements has it earned the launch? And what "
        "if it saves nothing?",
        "With `saved` per element: `math.inf` if `saved <= 0`, else "
        "`math.floor(launch_s / saved) + 1`.",
    ),
    cases=cases,
    verdict=verdict,
    predictions={
        "break-even": Prediction(
            "a CPU adds 3e9 float32 pairs a second. A GPU is 100 times as fast, behind a link of "
            "25 GB/s that carries 12 bytes for each pair. From about which n is the GPU faster, "
            "copies included?",
            truth="never",
            choices=("a thousand", "a million", "a billion", "never"),
            because="The CPU takes 0.33 ns for a pair. The link alone takes 12 bytes / 25 GB/s = "
            "0.48 ns. The GPU wins only on data that stay on the device.",
        )
    },
)
