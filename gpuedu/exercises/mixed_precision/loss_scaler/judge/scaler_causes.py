"""loss-scaler: whose mistake a wrong scale or a wrong step looks like."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gpuedu.exercises.compare import show
from gpuedu.exercises.mixed_precision.loss_scaler.judge.scaler_rules import (
    LARGEST,
    Rule,
    State,
    arriving,
    clipped,
)

_LONG = 2.0**40


def show_scale(scale: float) -> str:
    """A scale; a large power of 2 as such, so that it is told from the largest float32.

    >>> show_scale(65536.0), show_scale(2.0**128), show_scale(LARGEST)
    ('65536', '2**128', '3.4028235e+38')
    """
    if scale < _LONG or not math.isfinite(scale):
        return show(scale)
    mantissa, exponent = math.frexp(scale)
    return f"2**{exponent - 1}" if mantissa == 0.5 else f"{scale:.8g}"


def of_state(state: State, rule: Rule, got: tuple[float, int], expected: tuple[float, int]) -> str:
    """A likely cause of a wrong scale or count."""
    scale, _, found_inf = state
    told, count = got
    if found_inf:
        return _of_backoff(scale, rule, told, count)
    if expected[0] == scale and expected[1] == 0:
        if told == LARGEST:
            return (
                "That is the largest float32, which is no power of 2: scaling by one changes "
                "digits. Where the scale cannot grow by all of `growth`, it stays as it is."
            )
        if told > LARGEST:
            return "A scale that float32 cannot hold is infinite: then every step overflows."
        if told != scale:
            return "There is no room to grow by all of `growth`. Then the scale stays as it is."
        return "The interval is full, even if the scale cannot grow. Where does the count go on?"
    if expected[1]:
        if told != scale:
            return "It changed too early. Is the interval full with the step that was just done?"
        return "Another good step was done, and the scale stayed. What should the count be?"
    if told == scale:
        return (
            "The interval is full: `good_steps` were done before, and this is one more. When does "
            "it grow?"
        )
    if count:
        return "It grew. From where does it count to the next time?"
    return "By which of its arguments does it grow?"


def _of_backoff(scale: float, rule: Rule, told: float, count: int) -> str:
    if count:
        return "Good steps count in a row: where does the row begin after a step that was lost?"
    if told == scale * rule.growth:
        return "The gradients were too large already. Which way should the scale go?"
    if told == 1.0 or told == scale:
        return (
            "It did not back off. Is there a smallest scale? Gradients that overflow at 1 need one "
            "below 1."
        )
    if told == scale / 2 or told == scale / rule.growth:
        return "By which of its arguments does the scale back off?"
    return ""


def of_step(
    inputs: Mapping[str, Any],
    expected: np.ndarray,
    got: np.ndarray,
    step: int,
    i: int,
    found: Sequence[bool],
    *,
    told_found: bool = False,
) -> str:
    """A likely cause of a wrong step: from what known mistakes do to the first wrong weight.

    ``found`` tells of every step whether a gradient is lost in it.
    """
    start = np.concatenate([part.ravel() for part in inputs["start"]]).astype(np.float64)
    before = expected[step - 1] if step else start
    if found[step]:
        if told_found and np.array_equal(got[step], before):
            return "The weights stayed: does it tell what it found?"
        if told_found:
            return "Is every gradient looked at, those of the last weight too? Also for a NaN?"
        return "It tells that a gradient is lost. May any weight move in that step?"
    if step and found[step - 1]:
        return (
            "The step before was skipped. Is its inf or NaN still in `weight.grad`, where "
            "`backward()` adds to it?"
        )
    if told_found:
        return "Are the gradients looked at, or something else, such as the loss?"
    says = _of_way(inputs, step, i, before[i], before[i] - got[step, i])
    if not says and step:
        return "The first step was right. Are there gradients of the step before in `weight.grad`?"
    return says


def _of_way(inputs: Mapping[str, Any], step: int, i: int, before: float, moved: float) -> str:
    """Which known mistake would have moved a weight as far as this one did."""
    scale, rate, limit = inputs["scales"][step], inputs["rate"], inputs["max_norm"]
    coefficients = np.concatenate([part.ravel() for part in inputs["coefficients"][step]])
    true = arriving(coefficients, scale)
    first = inputs["start"][0].size
    own = true[:first] if i < first else true[first:]
    wrong_ways = {
        0.0: "It did not move. Is the loss scaled before `backward()`? Is the gradient divided by "
        "the scale in float32? Is the weight itself changed, in place?",
        -rate * clipped(true, limit)[i]: "That goes up the gradient. Which sign has an update?",
        rate * true[i]: "The gradient is not clipped.",
        rate * np.clip(true[i], -limit, limit): "Each number is cut off. What is a norm?",
        rate * true[i] * limit / np.linalg.norm(own): "Each weight is clipped by its own norm. Of "
        "how many numbers is the row?",
        rate * true[i] * limit / np.linalg.norm(true): "A norm below `max_norm` stays as it is.",
        rate * clipped(true * scale, limit)[i]: "That is the gradient times the scale. Where is it "
        "divided again?",
        rate * clipped(true * scale, limit)[i] / scale: "It moved too little. Was the norm taken "
        "of gradients that were still scaled?",
    }
    # The last ones are likelier where two of them agree.
    for way, says in reversed(wrong_ways.items()):
        if abs(moved - way) <= 1e-4 * abs(way) + 2.0**-22 * abs(before):
            return says
    return ""
