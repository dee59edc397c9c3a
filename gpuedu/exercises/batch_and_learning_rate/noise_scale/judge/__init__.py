"""noise-scale: signal and noise from two batches, and what they say of more devices."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from gpuedu.exercises.batch_and_learning_rate.noise_scale.gradient_noise import (
    mean_terms,
    saving,
    solve_terms,
)
from gpuedu.exercises.batch_and_learning_rate.noise_scale.judge.noise_cases import (
    cases,
    devices,
    squares,
)
from gpuedu.exercises.compare import is_close, number_fault, show
from gpuedu.exercises.contract import Case, Fault, Judge, Plain, Prediction, Property

_REL = 1e-4
"""Room for squares that are added in float32, after the terms were told apart by subtraction."""
_ENDLESS = 1e9
"""A noise scale from here on is as good as infinite where the signal is 0 up to rounding."""


def verdict(case: Case, observed: Plain) -> Iterable[Fault]:
    """Numbers against the formula."""
    if observed.get("changed") and case.decides == ("norms",):
        yield Fault("norms", "after `noise_scale`, the gradients that it was given have changed")
    elif not observed.get("kept", True) and case.decides == ("norms",):
        yield Fault("norms", "after `noise_scale`, the lists that it was given have changed")
    judges = {"terms": _judge_terms, "devices": _judge_devices, "scale": _judge_scale}
    yield from judges[case.inputs["ask"]](case, observed["got"])


def _judge_terms(case: Case, got: list[float]) -> Iterable[Fault]:
    given = _given(case)
    truth = solve_terms(**given)
    for name, mine, theirs in zip(truth._fields, got, truth, strict=True):
        if not is_close(mine, theirs, _REL):
            back = (show(got[0] + got[1] / given[size]) for size in ("few", "many"))
            yield Fault(
                "terms",
                f"`noise_terms({', '.join(map(show, given.values()))})`: the {name} is "
                f"{show(mine)}, expected {show(theirs)}; put back, yours give squares of "
                f"{' and '.join(back)}",
            )
            return


def _given(case: Case) -> dict[str, Any]:
    """What the learner's function is given."""
    return {name: value for name, value in case.inputs.items() if name != "ask"}


def _judge_scale(case: Case, got: float) -> Iterable[Fault]:
    (prop,) = case.decides
    few, many = case.inputs["few"], case.inputs["many"]
    call = f"noise_scale(steps, {few}, {many})"
    if prop == "endless":
        if not got >= _ENDLESS:
            yield Fault(prop, f"`{call}` gave {show(got)}, expected infinity")
        return
    terms = mean_terms(few, many, squares(case.inputs["steps"]))
    yield from number_fault(prop, call, got, terms.scale, rel=_REL)


def _judge_devices(case: Case, got: float) -> Iterable[Fault]:
    given = _given(case)
    truth = devices(**given)
    if got == truth:
        return
    call = f"`devices_that_pay({', '.join(map(show, given.values()))})`"
    if math.inf in (got, truth):
        yield Fault(*case.decides, f"{call} gave {show(got)}, expected {show(truth)}")
        return
    start = max(1, (got if got > truth else truth) // 2)
    saves = saving(given["scale"], start * given["per_device"])
    yield Fault(
        "devices",
        f"{call} gave {got:,}, expected {truth:,}: from {start:,} to {2 * start:,} devices the "
        f"steps are divided by {saves:.3g}",
    )


JUDGE = Judge(
    title="When a larger batch stops paying",
    properties=(
        Property(
            "terms",
            "`noise_terms`: signal and noise from two squares",
            1,
            "Which equation holds for the square of few, and which for that of many?",
        ),
        Property(
            "norms",
            "`noise_scale`: squares of all numbers of a gradient",
            1,
            "Which numbers of a gradient does its square add up, and are they the same afterwards?",
        ),
        Property(
            "averages",
            "both terms are averaged over the steps, and then divided",
            2,
            "What is averaged over the steps, and what is divided, and when?",
        ),
        Property(
            "truth",
            "over all batches that can be drawn, it is the true noise scale",
            1,
            "These are all the batches that can be drawn, so both averages are exact. What is the "
            "signal on average, and what the noise?",
        ),
        Property(
            "endless",
            "infinity where no signal is seen: the scale, and the devices then",
            1,
            "Where no signal is seen, the noise scale is infinite. From which batch on would "
            "doubling it no longer pay?",
            after=("averages", "devices"),
        ),
        Property(
            "devices",
            "`devices_that_pay`: as long as the next doubling pays",
            2,
            "From one device on, by how much does each doubling divide the steps, and is that at "
            "least `gain`?",
        ),
    ),
    hints=(
        "Write the law twice, once for each batch. What is left when you subtract one from the "
        "other? And what would a single step with a signal of 0.0001 do to a mean of ratios?",
        "`few_square - many_square = noise * (1 / few - 1 / many)`, and then `signal = many_square "
        "- noise / many`. In `noise_scale` add up `(part**2).sum()` over the parts of a gradient, "
        "collect both terms of every step in two lists, and divide their means. In "
        "`devices_that_pay` compare the steps of `count` and of `2 * count` devices.",
        "`def square(gradient): return sum(float((part**2).sum()) for part in gradient)`; `pairs = "
        "[noise_terms(few, many, square(a), square(b)) for a, b in steps]`; `signal, noise = "
        "map(statistics.fmean, zip(*pairs))`; `return noise / signal if signal > 0 else "
        "float('inf')`. And `if scale == float('inf'): return scale`; `count = 1`, then `while "
        "(1 + scale / (count * per_device)) / (1 + scale / (2 * count * per_device)) >= gain: "
        "count *= 2`.",
    ),
    cases=cases,
    verdict=verdict,
    predictions={
        "noise-scale": Prediction(
            "squares of 6 with batches of 8, and of 2.5 with batches of 64. How large is the noise "
            "scale?",
            truth=16,
            unit="samples",
            because="The squares differ by 3.5, and that is the noise times 1/8 - 1/64: the noise "
            "is 32. The signal is 2.5 - 32/64 = 2. At a batch of 32/2 = 16 both parts are equal.",
            exact=True,
        ),
        "noise-scale-doubling": Prediction(
            "the noise scale is 1,000. Up to which batch does doubling it divide the steps by 1.5?",
            truth=500,
            unit="samples",
            because="With 500 samples a run needs 3 times the fewest steps, with 1,000 twice: "
            "divided by 1.5. From 1,000 to 2,000 it is from 2 to 1.5: divided by 1.33 only.",
            exact=True,
        ),
    },
)
