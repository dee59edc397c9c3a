"""loss-scaler: a scale for gradients that finds itself, and the step that uses it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from gpuedu.exercises.compare import show, show_apart
from gpuedu.exercises.contract import Case, Fault, Judge, Plain, Prediction, Property
from gpuedu.exercises.mixed_precision.loss_scaler.judge.scaler_rules import (
    LARGEST,
    Rule,
    State,
    arriving,
    clipped,
    next_scale,
    states,
)

_STEPS = 500
_SHAPES = ((4, 3), (5,))
_LONG = 2.0**40
_FREE = 1e6
"""A norm that no gradient of a case reaches unless it is still scaled."""


def cases(rng: np.random.Generator) -> list[Case]:
    """Runs of a scale, short ones by hand, and steps with tiny, large and lost gradients."""
    rare, some = rng.random(_STEPS) < 0.001, rng.random(300) < 0.08
    drawn = [
        _run("grows", Rule(), 2.0**16, rng.random(6500) < 0.0001),
        _run("grows", Rule(1.5, 0.75, 3), 1000.0, rng.random(_STEPS) < 0.23),
        _run("grows", Rule(4.0, 0.25, 1), 2.0**10, rng.random(_STEPS) < 0.5),
        # The largest float32 itself is reached, and nothing beyond.
        _run("grows", Rule(2.0, 0.5, 3), LARGEST / 4, np.zeros(9, bool)),
        _run("halves", Rule(2.0, 0.5, 20), 2.0**24, rare | (np.arange(_STEPS) % 60 < 3)),
        _run("halves", Rule(2.0, 0.5, 7), 8.0, np.append(np.ones(30, bool), some)),
        _run("halves", Rule(2.0, 0.25, 50), 2.0**20, rng.random(40) < 0.4),
        _run("halves", Rule(1.5, 0.75, 9), 1000.0, rng.random(40) < 0.3),
        _run("finite", Rule(2.0, 0.5, 3), 2.0**124, rng.random(60) < 0.02),
        _run("finite", Rule(3.0, 0.5, 2), 1e38, np.zeros(12, bool)),
    ]
    return drawn + _small_steps(rng) + _skipped_steps(rng) + _clipped_steps(rng) + _many(rng)


def _run(prop: str, rule: Rule, scale: float, outcomes: np.ndarray) -> Case:
    """A run with these outcomes; the states are those of the rule, so that each is judged alone."""
    share = float(np.mean(outcomes))
    label = (
        f"{outcomes.size} steps from a scale of {show_scale(scale)}, {share:.2%} with inf or NaN"
    )
    rules = {"growth": rule.growth, "backoff": rule.backoff, "interval": rule.interval}
    kept = [state for state in states(rule, scale, outcomes) if _is_telling(state, rule)]
    return Case(label, {"ask": "states", "states": kept, **rules}, (prop,))


def _is_telling(state: State, rule: Rule) -> bool:
    """True where something happens, or nearly does, and for one in 97 of the states between."""
    _, good_steps, found_inf = state
    return found_inf or good_steps < 2 or good_steps + 3 > rule.interval or good_steps % 97 == 0


def _small_steps(rng: np.random.Generator) -> list[Case]:
    """Gradients that are 0 in fp16 without a scale, and a rate that makes them seen."""
    return [
        _steps("small", f"gradients near {size:.0e}, scale {show(scale)}", rng, size, (scale,), lr)
        for size, scale, lr in ((2.0**-28, 2.0**16, 2.0**20), (2.0**-33, 2.0**24, 2.0**27))
    ]


def _skipped_steps(rng: np.random.Generator) -> list[Case]:
    """One gradient of all is lost, in the last of the weights or the first; also by a NaN."""
    drawn = []
    for place, value in ((-1, 10.0), (-1, -10.0), (0, 10.0), (-2, np.nan), (3, np.nan)):
        label = f"one gradient is {'NaN' if np.isnan(value) else 'too large'}, scale 65536"
        case = _steps("skips", label, rng, 1e-3, (2.0**16,), 0.1)
        every = np.concatenate([part.ravel() for part in case.inputs["coefficients"][0]])
        every[place] = value
        case.inputs["coefficients"][0] = _parts(every)
        drawn.append(case)
    return drawn


def _clipped_steps(rng: np.random.Generator) -> list[Case]:
    """A norm above the limit; one below it, whose scaled norm is far above; a norm of 0."""
    return [
        _steps("clips", label, rng, size, (scale,), rate, max_norm=_max_norm(rng))
        for label, size, scale, rate in (
            ("a norm above max_norm", 2.0, 2.0**10, 0.1),
            ("a norm below max_norm", 1e-3, 2.0**16, 10.0),
            ("all gradients are 0", 0.0, 2.0**10, 0.1),
        )
    ]


def _max_norm(rng: np.random.Generator) -> float:
    """Neither 1/2 nor 1, which somebody may take for granted."""
    return int(rng.integers(11, 20)) / 20


def _many(rng: np.random.Generator) -> list[Case]:
    """Steps with other scales; and good ones behind a skipped one, which leaves inf and NaN."""
    scales = tuple(float(2.0**power) for power in (10, 12, 11, 10))
    drawn = [_steps("fresh", "four steps with other scales", rng, 1e-2, scales, 0.5)]
    for bad, value in ((0, 100.0), (1, np.nan)):
        told = "too large" if bad == 0 else "NaN"
        label = f"four steps, a gradient of step {bad + 1} is {told}"
        case = _steps("fresh", label, rng, 1e-2, scales, 0.5)
        for part in case.inputs["coefficients"][bad]:
            part.flat[0] = value
        drawn.append(replace(case, decides=("skips", "fresh")))
    return drawn


def _steps(
    prop: str,
    label: str,
    rng: np.random.Generator,
    size: float,
    scales: tuple[float, ...],
    rate: float,
    max_norm: float = _FREE,
) -> Case:
    count = sum(int(np.prod(shape)) for shape in _SHAPES)
    start = rng.uniform(0.5, 1.5, count).astype(np.float32)
    coefficients = [
        (size * rng.uniform(1, 2, count) * rng.choice([-1, 1], count)).astype(np.float32)
        for _ in scales
    ]
    inputs = {
        "ask": "steps",
        "start": _parts(start),
        "coefficients": [_parts(part) for part in coefficients],
        "scales": list(scales),
        "rate": rate,
        "max_norm": max_norm,
    }
    return Case(label, inputs, (prop,))


def _parts(flat: np.ndarray) -> list[np.ndarray]:
    """Two weights out of one row of numbers."""
    first = int(np.prod(_SHAPES[0]))
    return [flat[:first].reshape(_SHAPES[0]), flat[first:].reshape(_SHAPES[1])]


def verdict(case: Case, observed: Plain) -> Iterable[Fault]:
    """States one by one, to the rounding of float32; weights against steps in float64."""
    if case.inputs["ask"] == "states":
        yield from _judge_states(*case.decides, case.inputs, observed)
    else:
        yield from _judge_steps(case.decides, case.inputs, observed)


def _judge_states(prop: str, inputs: Mapping[str, Any], observed: Plain) -> Iterable[Fault]:
    rule = Rule(inputs["growth"], inputs["backoff"], inputs["interval"])
    for state, scale, good in zip(
        inputs["states"], observed["scales"], observed["good_steps"], strict=True
    ):
        if kind(state, rule) != prop:
            continue
        expected = next_scale(*state, rule)
        if good == expected[1] and abs(scale - expected[0]) <= 1e-6 * expected[0]:
            continue
        call = f"next_scale({show_scale(state[0])}, {state[1]}, {state[2]}"
        rules = f"growth={show(rule.growth)}, backoff={show(rule.backoff)}"
        yield Fault(
            prop,
            f"`{call}, {rules}, interval={rule.interval})` gave ({show_scale(scale)}, {good}), "
            f"expected ({show_scale(expected[0])}, {expected[1]})",
        )
        return


def show_scale(scale: float) -> str:
    """A scale; a large power of 2 as such, so that it is told from the largest float32.

    >>> show_scale(65536.0), show_scale(2.0**128), show_scale(LARGEST)
    ('65536', '2**128', '3.4028235e+38')
    """
    if scale < _LONG or not math.isfinite(scale):
        return show(scale)
    mantissa, exponent = math.frexp(scale)
    return f"2**{exponent - 1}" if mantissa == 0.5 else f"{scale:.8g}"


def kind(state: State, rule: Rule) -> str:
    """The property that a state decides."""
    scale, good, found_inf = state
    if found_inf:
        return "halves"
    is_full = good + 1 == rule.interval
    return "finite" if is_full and scale * rule.growth > LARGEST else "grows"


def weights_after(inputs: Mapping[str, Any]) -> tuple[np.ndarray, list[bool]]:
    """Weights (steps, n) in float64, and whether each step had to be skipped."""
    weights = _flat(inputs["start"])
    path, found = [], []
    for scale, parts in zip(inputs["scales"], inputs["coefficients"], strict=True):
        gradients = arriving(_flat(parts), scale)
        found.append(not bool(np.isfinite(gradients).all()))
        if not found[-1]:
            weights = weights - inputs["rate"] * clipped(gradients, inputs["max_norm"])
        path.append(weights)
    return np.array(path), found


def _flat(parts: list[np.ndarray]) -> np.ndarray:
    return np.concatenate([part.ravel() for part in parts]).astype(np.float64)


def _judge_steps(
    props: tuple[str, ...], inputs: Mapping[str, Any], observed: Plain
) -> Iterable[Fault]:
    """Of two properties, the first is about the lost step, the last about the others."""
    expected, found = weights_after(inputs)
    got = observed["weights"]
    if observed["found"] != found:
        step = int(np.argmax(np.array(observed["found"]) != np.array(found)))
        told = "one gradient is infinite or NaN" if found[step] else "all gradients are finite"
        yield Fault(
            props[0] if found[step] else props[-1],
            f"`scaled_step` returned {observed['found'][step]}{_which(found, step)}, and {told}",
        )
        return
    # float32: a rounding of the weight each step, and some of the gradient's way.
    moved = np.abs(expected - _flat(inputs["start"]))
    room = (np.arange(len(found)) + 1)[:, None] * 2.0**-23 * np.abs(expected) + 1e-5 * moved
    wrong = ~(np.abs(got - expected) <= room)
    if wrong.any():
        step, i = (int(part[0]) for part in np.nonzero(wrong))
        told, wanted = show_apart(float(got[step, i]), float(expected[step, i]))
        yield Fault(
            props[0] if found[step] else props[-1],
            f"after step {step + 1} weight {i}, which began at {_flat(inputs['start'])[i]:.6g}, is "
            f"{told}, expected {wanted}",
        )


def _which(found: list[bool], step: int) -> str:
    return f" in step {step + 1} of {len(found)}" if len(found) > 1 else ""


_STATE = (
    "Which of the three rules applies to this step, and what does it say about scale and count?"
)
_STEP = (
    "Follow one gradient by hand, from `backward()` on. What is it, and by how much does it move?"
)

JUDGE = Judge(
    title="How large may a gradient be made?",
    properties=(
        Property(
            "grows", "`next_scale`: after `interval` good steps in a row, it grows", 1, _STATE
        ),
        Property(
            "halves",
            "`next_scale`: after inf or NaN it backs off and starts the count again",
            1,
            _STATE,
        ),
        Property(
            "finite",
            "`next_scale`: it never grows past the largest float32",
            1,
            _STATE,
            after=("grows",),
        ),
        Property(
            "small", "`scaled_step`: gradients that fp16 would lose move the weights", 1, _STEP
        ),
        Property(
            "skips",
            "`scaled_step`: one inf or NaN, and no weight moves",
            1,
            "What do you look at to find an inf or NaN, and what happens to the weights then?",
            after=("small", "clips"),
        ),
        Property(
            "clips",
            "`scaled_step`: the norm of the unscaled gradients is clipped",
            1,
            "Which numbers is the norm of, and what is each gradient multiplied by?",
        ),
        Property(
            "fresh",
            "`scaled_step`: leaves nothing for the next step",
            1,
            "What is in `weight.grad` when the second step starts, and how far does a weight move?",
        ),
    ),
    hints=(
        "`next_scale`: there are three cases: this step was lost; it was good, and the interval is "
        "not complete; it was good, and it is. Which of them leave the count at 0? `scaled_step`: "
        "what "
        "is in `weight.grad` after `(loss * scale).backward()`, and what is it without the scale?",
        "`next_scale`: `good_steps` does not count the step that was just done. `scaled_step`: "
        "`torch.isfinite(g).all()` for every gradient, before any weight is touched; then the "
        "norm; weights are changed `with torch.no_grad():`. Set `weight.grad = None` at the end, "
        "even after a skipped step.",
        "`next_scale`: `if found_inf: return scale * backoff, 0`; `if good_steps + 1 < interval: "
        "return scale, good_steps + 1`; else `grown = scale * growth`, which counts only if it is "
        "at most `torch.finfo(torch.float32).max`. `scaled_step`: `gradients = [weight.grad / "
        "scale for weight in weights]`, and their norm is that of the row that "
        "`torch.cat([g.flatten() for g in gradients])` makes; the factor is `min(1.0, max_norm / "
        "norm)`.",
    ),
    cases=cases,
    verdict=verdict,
    predictions={
        "loss-scaler": Prediction(
            "Gradients keep their size, and a scaler grows after 2,000 good steps. Out of "
            "1,000,000 steps, about how many does it skip?",
            truth=1_000_000 / 2001,
            because="It doubles after 2,000 good steps, then the next step overflows and is "
            "skipped, and it is back where it was: 1 step in 2,001. So it's 499 or 500, depending "
            "on where in those 2,001 you start to count.",
        )
    },
)
