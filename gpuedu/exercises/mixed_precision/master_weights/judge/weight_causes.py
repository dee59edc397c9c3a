"""master-weights: whose mistake a lost update or a wrong chance looks like."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from gpuedu.exercises.mixed_precision.formats import Format
from gpuedu.exercises.mixed_precision.judge import rounding


def of_master(form: Format, inputs: Mapping[str, Any], i: int, got: float) -> str:
    """A likely cause of a wrong master weight, from what known ways to update give."""
    start, rate = float(inputs["start"][i]), inputs["rate"]
    gradient, steps = float(inputs["gradients"][i]), inputs["steps"]
    product = float(rounding.nearest([rate * gradient], form)[0])
    change = got - start
    if abs(change - steps * rate * gradient) <= 0.01 * abs(change):
        return "That goes up the gradient. Which sign has an update?"
    if abs(change + steps * product) <= 0.003 * abs(steps * product) + 1e-12:
        return (
            f"Rate times gradient is {rate * gradient:.6g}; in 16 bits it is {product:.6g}. Is the "
            "gradient multiplied before it is float32?"
        )
    if abs(change) < 0.5 * abs(steps * rate * gradient):
        return (
            "Most of the updates are lost. Does the next step begin with the 16-bit copy, or with "
            "what float32 kept?"
        )
    return ""


NO_NEIGHBOURS = (
    "Some of the results are none of a number's two neighbours, so their chance cannot be right. "
    "First: how long is a step there?"
)


def of_chance(form: Format, values: np.ndarray, share: np.ndarray, ups: np.ndarray) -> str:
    """A likely cause of a wrong chance, from the shares of draws that went up.

    Args:
        form: what was rounded to.
        values: what was rounded (n,).
        share: how far each lies from its lower neighbour to its upper one (n,), 0 to 1.
        ups: in which share of the draws each went up (n,).
    """
    inner = (share > 0.1) & (share < 0.9)
    values, share, ups = values[inner], share[inner], ups[inner]
    right = np.abs(ups - share) < 0.02
    if np.isin(ups, (0.0, 1.0)).all():
        if np.array_equal(ups == 1.0, share > 0.5):
            return "That is the nearest, in every draw. Where do the uniform numbers come in?"
        return "Every draw goes the same way. Where do the uniform numbers come in?"
    if np.abs(ups - 0.5).max() < 0.02:
        return "That is half the draws, wherever the number lies. The nearer neighbour is likelier."
    if np.abs(ups - (1 - share)).max() < 0.02:
        return "That goes up as often as it should go down. Which side of the fraction is up?"
    if right[values > 0].all() and not right[values < 0].any():
        return (
            "That is right for positive numbers. For a negative one, is the fraction counted from "
            "the neighbour that it is added to?"
        )
    normal = np.abs(values) >= form.smallest_normal
    if right[normal].all() and not right.all():
        return "That is right for normal numbers. Below `smallest_normal`, how long is a step?"
    return "Does each number go up just where its own uniform number is below the fraction?"
