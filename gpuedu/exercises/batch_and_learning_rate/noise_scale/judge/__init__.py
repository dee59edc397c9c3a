"""noise-scale: signal and noise from two batches, and what they say of more devices."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

from gpuedu.exercises.batch_and_learning_rate.noise_scale.gradient_noise import (
    mean_terms,
    saving,
    solve_terms,
)
from gpuedu.exercises.batch_and_learning_rate.noise_scale.judge.device_mistakes import (
    DEVICES,
    devices,
)
from gpuedu.exercises.batch_and_learning_rate.noise_scale.judge.noise_cases import cases
from gpuedu.exercises.batch_and_learning_rate.noise_scale.judge.noise_mistakes import (
    AVERAGES,
    BY_TERMS,
    NORMS,
    TERMS,
    Steps,
    right,
    squares,
)
from gpuedu.exercises.compare import is_close, likely_cause, number_fault, show
from gpuedu.exercises.contract import Case, Fault, Judge, Plain, Prediction, Property

_REL = 1e-4
"""Room for squares that are added in float32, after the terms were told apart by subtraction."""
_ENDLESS = 1e9
"""A noise scale from here on is as good as infinite where the signal is 0 up to rounding."""


def verdict(case: Case, observed: Plain) -> Iterable[Fault]:
    """Numbers against the formula, or against a truth that was known before."""
    judges: dict[str, Callable[[Case, Any], Iterable[Fault]]] = {
        "terms": _judge_terms,
        "devices": _judge_devices,
        "scale": _judge_scale,
    }
    if observed.get("changed") and case.decides == ("norms",):
        yield Fault(
            "norms",
            "behind `noise_scale`, the gradients that it was given are others",
            "Is there an operation in place, one that ends in `_`? The update of this step still "
            "needs its gradients.",
        )
    yield from judges[case.inputs["ask"]](case, observed["got"])


def _judge_terms(case: Case, got: list[float]) -> Iterable[Fault]:
    given = {key: value for key, value in case.inputs.items() if key != "ask"}
    truth = solve_terms(**given)
    call = f"`noise_terms({', '.join(map(show, given.values()))})`"
    cause = likely_cause(got, TERMS, given, _REL)
    for name, mine, theirs in zip(truth._fields, got, truth, strict=True):
        if not is_close(mine, theirs, _REL):
            told = f"{call}: the {name} is {show(mine)}, expected {show(theirs)}"
            yield Fault("terms", told, cause or _held(given, got))
            return


def _held(given: dict[str, Any], got: list[float]) -> str:
    """What the two terms, put back, give for the squares."""
    back = [got[0] + got[1] / given[size] for size in ("few", "many")]
    return (
        "Put back, yours give squares of "
        f"{show(back[0])} and {show(back[1])}, in place of {show(given['few_square'])} and "
        f"{show(given['many_square'])}. Which two equations hold for them?"
    )


def _judge_scale(case: Case, got: float) -> Iterable[Fault]:
    (prop,) = case.decides
    steps: Steps = case.inputs["steps"]
    given = {"steps": steps, "few": case.inputs["few"], "many": case.inputs["many"]}
    call = f"noise_scale(steps, {given['few']}, {given['many']})"
    if prop == "endless":
        if not got >= _ENDLESS:
            yield Fault(
                prop,
                f"`{call}` gave {show(got)}, expected infinity",
                "The signal is 0 or less on average: no batch that was tried is large enough to "
                "see one.",
            )
        return
    truth = case.inputs.get("truth", right(**given))
    yield from number_fault(prop, call, got, truth, cause=_cause(got, given), rel=_REL)


def _cause(got: float, given: dict[str, Any]) -> str:
    """A known mistake that gives this number; else what both terms are on average."""
    known = (*AVERAGES, *NORMS, *BY_TERMS)
    if got == math.inf:
        return (
            "Infinity comes of a signal of 0 or less: was it that of a single step? Average the "
            "terms of *all* steps first, then divide, once."
        )
    said = likely_cause(got, known, given, _REL) if math.isfinite(got) else ""
    if said:
        return said
    terms = mean_terms(given["few"], given["many"], squares(given["steps"]))
    signal, noise = (show(float(f"{one:.4g}")) for one in terms)
    return f"On average over these steps the signal is {signal}, and the noise {noise}."


def _judge_devices(case: Case, got: float) -> Iterable[Fault]:
    given = {name: case.inputs[name] for name in ("scale", "per_device", "gain")}
    truth = devices(**given)
    if got == truth:
        return
    call = f"`devices_that_pay({', '.join(map(show, given.values()))})`"
    if math.inf in (got, truth):
        told = f"{call} gave {show(got)}, expected {show(truth)}"
        yield Fault(*case.decides, told, _why_endless(truth))
        return
    start = got // 2 if got > truth else truth // 2
    saves = saving(given["scale"], start * given["per_device"])
    yield Fault(
        "devices",
        f"{call} gave {got:,}, expected {truth:,}: from {start:,} to {2 * start:,} devices the "
        f"steps are divided by {saves:.3g}",
        _at_the_edge(got, truth, saves == given["gain"])
        or likely_cause(got, DEVICES, given)
        or _why(got, truth),
    )


def _why_endless(truth: float) -> str:
    if math.isfinite(truth):
        return "From some number of devices on, no doubling pays."
    return (
        "There each doubling divides the steps by 2. But `inf / inf` is `nan`, and no comparison "
        "with `nan` is true: ask for infinity before the loop."
    )


def _at_the_edge(got: float, truth: float, is_just_enough: bool) -> str:
    if 2 * got == truth and is_just_enough:
        return "That is just what was asked for: *at least* so much, so it pays."
    return ""


def _why(got: float, truth: float) -> str:
    if got < 1 or int(got) & (int(got) - 1):
        return "One device, doubled again and again: 1, 2, 4, ..."
    more = "Hold the steps behind a doubling against those before it, not against one device's."
    return more if got > truth else "That doubling pays, too."


JUDGE = Judge(
    title="When a larger batch stops paying",
    properties=(
        Property("terms", "`noise_terms`: signal and noise from two squares", 1),
        Property("norms", "`noise_scale`: squares of all numbers of a gradient", 1),
        Property("averages", "both terms are averaged over the steps, and then divided", 2),
        Property("truth", "over all batches that can be drawn, it is the true noise scale", 1),
        Property("endless", "infinity where no signal is seen: the scale, and the devices then", 1),
        Property("devices", "`devices_that_pay`: as long as the next doubling pays", 2),
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
