"""launch-bound: how much work makes the launch small."""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction

import numpy as np

from gpuedu.exercises.contract import Case, Fault, Judge, Plain, Prediction, Property, Undecided
from gpuedu.exercises.functions import arguments_of, call_text, right_result


def share_of(launch_s: float, elements_per_s: float, n: int) -> float:
    """The launch's share of the whole time."""
    return launch_s / (launch_s + n / elements_per_s)


def exact_elements(launch_s: float, elements_per_s: float, share: float) -> Fraction:
    """The n, not whole, for which the launch takes just that share; decimals taken at their word.

    >>> exact_elements(5e-6, 6e11, 0.1)
    Fraction(27000000, 1)
    """
    launch, rate, part = (Fraction(repr(x)) for x in (launch_s, elements_per_s, share))
    return launch * rate * (1 - part) / part


def cases(rng: np.random.Generator) -> list[Case]:
    """Launches and rates over orders of magnitude; no work at all; small and large shares."""
    drawn = []
    for works in (float(rng.uniform(0.3, 3)), float(rng.uniform(20, 200)), 1e-4, 0):
        launch_s, rate = _device(rng)
        n = round(works * launch_s * rate)  # the work is so many launches long
        inputs = {"call": "launch_share", "launch_s": launch_s, "elements_per_s": rate, "n": n}
        drawn.append(Case(f"n = {n}, a launch of {launch_s} s", inputs, ("share",)))
    # The second figure is where the exact n ends behind the point: rounding to the nearest whole
    # number is right for .7 and wrong for .3, and floating point is far from deciding either. An n
    # just above a whole number is not rounded up by adding nine tenths.
    ends = ((0.1, 0.3, 0.15), (0.5, 0.7, 0.15), (_round_share(rng), 0.3, 0.15), (0.8, 0.02, 0.015))
    for share, *near in ends:
        inputs = {"call": "elements_for_share", **_inputs_with_fraction(rng, share, *near)}
        label = f"share = {share}, a launch of {inputs['launch_s']} s"
        drawn.append(Case(label, inputs, ("enough", "smallest")))
    # Floating point is exact here and the n is whole without rounding; it is three times a power of
    # two, which a search that doubles n steps over.
    launch_s, rate = 3 * 2.0 ** -int(rng.integers(18, 21)), 2.0 ** int(rng.integers(30, 35))
    inputs = {
        "call": "elements_for_share",
        "launch_s": launch_s,
        "elements_per_s": rate,
        "share": 0.5,
    }
    drawn.append(Case(f"share = 0.5, a launch of {launch_s} s", inputs, ("enough", "smallest")))
    return drawn


def _device(rng: np.random.Generator) -> tuple[float, float]:
    launch_s = float(f"{rng.uniform(2e-6, 20e-6):.3g}")
    return launch_s, float(f"{10 ** rng.uniform(7.5, 10.5):.4g}")


def _round_share(rng: np.random.Generator) -> float:
    return int(rng.integers(2, 10)) / 100


def _inputs_with_fraction(
    rng: np.random.Generator, share: float, end: float, room: float
) -> dict[str, float]:
    """A device for which the exact n lies within ``room`` of ``end`` behind the point."""
    while True:
        launch_s, rate = _device(rng)
        behind = float(exact_elements(launch_s, rate, share) % 1)
        if abs(behind - end) < room:
            return {"launch_s": launch_s, "elements_per_s": rate, "share": share}


def verdict(case: Case, observed: Plain) -> Iterable[Fault]:
    """The work is enough, and no more than that."""
    if case.inputs["call"] != "elements_for_share":
        return
    n, given = observed["result"], arguments_of(case)
    least = math.ceil(exact_elements(**given))
    said = f"`{call_text(case)}` gave {n:.15g}"
    if not (math.isfinite(n) and n == int(n)):
        yield Fault("enough", f"{said}, which is not a whole number")
        yield Fault("smallest", f"{said}, which is not a whole number")
    elif n < least:
        left = share_of(given["launch_s"], given["elements_per_s"], max(n, 0))
        still = f"the launch still takes {_percent(left, given['share'])} of the time"
        yield Fault("enough", f"{said}: {still}; {least} elements are needed")
        yield Undecided("smallest", "your n is not enough there")
    elif n > least:
        yield Fault("smallest", f"{said}, but {least} elements are enough")


def _percent(share: float, asked: float) -> str:
    """A share in percent, with digits enough to see that it is above what was asked for."""
    for digits in range(3, 17):
        text = f"{100 * share:.{digits}g}"
        if text != f"{100 * asked:.{digits}g}":
            return text + "%"
    return f"more than {100 * asked:g}%"


JUDGE = Judge(
    title="When is a kernel shorter than its launch?",
    properties=(
        right_result(
            "share",
            "the launch's share of the whole time is right",
            1,
            {"launch_share": share_of},
            asks="How long do launch and work take together, and how much of that is the launch?",
        ),
        Property(
            "enough",
            "with your n, the launch takes at most that share",
            1,
            "How long must the work be for the launch to be that share of launch and work "
            "together?",
            after=("smallest",),
        ),
        Property(
            "smallest",
            "your n is the smallest whole n that does",
            1,
            "Is it a whole number, and would one element fewer be too few?",
        ),
    ),
    hints=(
        "The whole time is launch plus work. How long do n elements take at `elements_per_s`?",
        "The share is launch over launch plus work, where the work takes `n / elements_per_s`. "
        "Solve that for the work: at 10% the work is 9 launches long, not 10.",
        "The work must take at least `launch_s * (1 - share) / share` seconds. How many elements "
        "is that? And if that isn't a whole number?",
    ),
    cases=cases,
    verdict=verdict,
    predictions={
        "launch-bound": Prediction(
            "how many float32 elements must a copy have so that a 5 µs launch is 10% of the time, "
            "at 4,800 GB/s?",
            truth=float(exact_elements(5e-6, 4800e9 / 8, 0.1)),
            unit="elements",
            because="The work must take 9 launches, 45 µs. In that time 4,800 GB/s move 216 MB: 27 "
            "million elements, each read and written. A kernel on a small array is mostly launch.",
        )
    },
)
