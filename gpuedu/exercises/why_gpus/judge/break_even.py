"""break-even: from which n the GPU is faster, and when it never is."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from gpuedu.exercises.compare import Misconception, show
from gpuedu.exercises.contract import Case, Fault, Judge, Plain, Prediction, Property
from gpuedu.exercises.why_gpus.judge.spelling import exact

_BLUR = Fraction(1, 10**9)


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


def _quotient(launch_s: float, saved_s: float) -> float:
    return launch_s / saved_s if saved_s > 0 else math.inf


def _no_gpu_time(launch_s: float, cpu_elements_per_s: float, **_: float) -> float:
    return launch_s * cpu_elements_per_s


def _no_copies(
    launch_s: float, cpu_elements_per_s: float, gpu_elements_per_s: float, **link: float
) -> float:
    if not link:
        return math.nan
    return _quotient(launch_s, 1 / cpu_elements_per_s - 1 / gpu_elements_per_s)


def _link_counts_elements(
    launch_s: float,
    cpu_elements_per_s: float,
    gpu_elements_per_s: float,
    link_bytes_per_s: float,
    bytes_per_element: float,
) -> float:
    saved_s = 1 / cpu_elements_per_s - 1 / gpu_elements_per_s - 1 / link_bytes_per_s
    return _quotient(launch_s, saved_s)


def _copies_twice(
    launch_s: float,
    cpu_elements_per_s: float,
    gpu_elements_per_s: float,
    link_bytes_per_s: float,
    bytes_per_element: float,
) -> float:
    link_s = 2 * bytes_per_element / link_bytes_per_s
    return _quotient(launch_s, 1 / cpu_elements_per_s - 1 / gpu_elements_per_s - link_s)


def _hidden_computing(
    launch_s: float,
    cpu_elements_per_s: float,
    gpu_elements_per_s: float,
    link_bytes_per_s: float,
    bytes_per_element: float,
) -> float:
    return _quotient(launch_s, 1 / cpu_elements_per_s - bytes_per_element / link_bytes_per_s)


_MISCONCEPTIONS = (
    Misconception(
        _no_gpu_time,
        "That is when the CPU's time equals the launch. The GPU has to compute as well: how long "
        "does it take for n elements?",
    ),
    Misconception(
        lambda launch_s, gpu_elements_per_s, **_: launch_s * gpu_elements_per_s,
        "That is when the GPU's work is as long as its launch. How long does the CPU take for it?",
    ),
    Misconception(
        lambda launch_s, cpu_elements_per_s, gpu_elements_per_s, **_: (
            launch_s * (gpu_elements_per_s - cpu_elements_per_s)
        ),
        "That subtracts the rates. Times add up, rates do not: one element takes `1 / rate`.",
    ),
    Misconception(_no_copies, "That is without the copies. How long is one element on the link?"),
    Misconception(
        _link_counts_elements,
        "That takes the link's rate for elements. How many bytes does each element send?",
    ),
    Misconception(
        _hidden_computing,
        "That hides the GPU's computing behind the copies. Here one comes after the other.",
    ),
    Misconception(
        _copies_twice,
        "That sends `bytes_per_element` there and back. It is already the sum of both ways.",
    ),
)


def cases(rng: np.random.Generator) -> list[Case]:
    """GPUs that win, that win late, that tie, and that never win, also because of the link."""
    plain = [_devices(rng) for _ in range(3)]
    drawn = [_case(rates, ("without-copies", "smallest")) for rates in plain]
    copied = [_linked(rng, _devices(rng), share) for share in (0.3, 0.7, 0.99)]
    drawn += [_case(rates, ("with-copies", "smallest")) for rates in copied]
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
        f"a launch of {rates['launch_s']:.4g} s, CPU {rates['cpu_elements_per_s']:.4g}/s, "
        f"GPU {rates['gpu_elements_per_s']:.4g}/s"
    )
    if "link_bytes_per_s" in rates:
        link, each = rates["link_bytes_per_s"], rates["bytes_per_element"]
        label += f", {each:g} bytes an element over {link:.4g} B/s"
    return Case(label, dict(rates), decides)


def verdict(case: Case, observed: Plain) -> Iterable[Fault]:
    """About right, which a formula in the right form gives; and exactly right."""
    rates, got = case.inputs, observed["n"]
    expected = smallest(**rates)
    cause = _cause(got, rates)
    message = f"`{_call(rates)}` gave {_number(got)}, expected {_number(expected)}"
    if math.isinf(expected):
        if got != expected:
            yield Fault("never", message, _why_never(got, rates))
        return
    about = abs(got - expected) <= max(1.5, expected * 1e-9)
    kind = case.decides[0]
    if not about and kind != "smallest":
        yield Fault(kind, message, cause or _who_leads(got, rates))
    if not _is_smallest(got, exact_quotient(**rates)):
        cause = "" if about else cause
        yield Fault("smallest", message, cause or _who_leads(got, rates))


def _is_smallest(got: float, quotient: Any) -> bool:
    """Whether ``got`` is the first whole number above the quotient.

    Floating point cannot tell a quotient from its near neighbours, so an n that fits one of those
    is right; unless the quotient is a whole number, where the cases are free of rounding.
    """
    blur = Fraction(0) if quotient.denominator == 1 else _BLUR
    least, most = (math.floor(quotient * factor) + 1 for factor in (1 - blur, 1 + blur))
    return bool(least <= got <= most and got == int(got))


def _cause(got: float, rates: Mapping[str, float]) -> str:
    """Like ``likely_cause``, within one element: who goes wrong may round in any way."""
    for known in _MISCONCEPTIONS:
        try:
            theirs = known.gives(**rates)
        except TypeError:  # about the link, in a case without one
            continue
        if abs(got - theirs) <= max(1.0, theirs * 1e-9):
            return known.says
    return ""


def _why_never(got: float, rates: Mapping[str, float]) -> str:
    if got < 0:
        return "A negative n means that each element costs the GPU more than the CPU. What follows?"
    if math.isnan(got):
        return "Not a number is no answer to `from which n`. What stands for `from none`?"
    wins = rates["gpu_elements_per_s"] > rates["cpu_elements_per_s"]
    if wins and not _saved(rates):
        return "The link takes exactly what the GPU saves. What is left to pay for the launch?"
    if wins:
        return (
            "On the link alone an element takes longer than the GPU saves on it. Can more elements "
            "make up for that?"
        )
    return "The GPU is no faster on each element, and it has the launch on top. Can it ever win?"


def _who_leads(got: float, rates: Mapping[str, float]) -> str:
    """What happens at the learner's n: who is ahead there, exactly."""
    if got == math.inf:
        return (
            "On each element the GPU saves some time, and the launch is paid once for all of them. "
            "When has it saved more than that?"
        )
    if not math.isfinite(got):
        return ""
    if got != int(got):
        return "That is not a whole number of elements. Which whole number comes next?"
    lead_s = float(Fraction(got) * _saved(rates) - Fraction(rates["launch_s"]))
    at = f"At {_number(got)} element{'' if got == 1 else 's'}"
    if lead_s == 0:
        return f"{at} both take exactly as long. Is the GPU faster then?"
    if lead_s < 0:
        return f"{at} the CPU is still ahead, by {-lead_s:.2g} s."
    return f"{at} the GPU is ahead. Is it ahead with one element fewer?"


def _saved(rates: Mapping[str, float]) -> Fraction:
    """What the GPU saves on each element of a case."""
    return saved_per_element_s(**{key: value for key, value in rates.items() if key != "launch_s"})


def _call(rates: Mapping[str, float]) -> str:
    name = "break_even_with_copies" if "link_bytes_per_s" in rates else "break_even"
    return f"{name}({', '.join(map(exact, rates.values()))})"


def _number(value: float) -> str:
    whole = math.isfinite(value) and value == int(value) and abs(value) < 1e15
    return f"{int(value)}" if whole else show(value)


JUDGE = Judge(
    title="From which size does the GPU win?",
    properties=(
        Property("without-copies", "the n from which the GPU is faster, data on the device", 1),
        Property("with-copies", "the same when the data cross the link", 1),
        Property("never", "`math.inf` when the GPU never wins", 1),
        Property("smallest", "the smallest whole n for which it is faster, not as fast", 1),
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
