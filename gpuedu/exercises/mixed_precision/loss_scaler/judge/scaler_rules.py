"""The reference for a dynamic loss scale: its rule, runs of it, and steps on known gradients.

Held equal to ``torch.amp.GradScaler`` over 10,000 random outcomes for several rules in the tests.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

LARGEST = float(np.finfo(np.float32).max)

State = tuple[float, int, bool]
"""A scale, good steps since it changed, and whether the step just done had an inf or a NaN."""


@dataclass(frozen=True)
class Rule:
    """The rule by which a scale changes; the defaults are those of ``torch.amp.GradScaler``."""

    growth: float = 2.0
    backoff: float = 0.5
    interval: int = 2000


def next_scale(scale: float, good_steps: int, found_inf: bool, rule: Rule) -> tuple[float, int]:
    """The scale of the next step, as float32 holds it, and how many good steps it has seen.

    Source: PyTorch, ``_amp_update_scale_`` (aten/src/ATen/native/cpu/AmpGradScalerKernels.cpp).
    """
    if found_inf:
        return _float32(scale * rule.backoff), 0
    if good_steps + 1 != rule.interval:
        return scale, good_steps + 1
    grown = _float32(scale * rule.growth)
    return (grown if math.isfinite(grown) else scale), 0


def _float32(value: float) -> float:
    with np.errstate(over="ignore"):
        return float(np.float32(value))


def states(rule: Rule, scale: float, outcomes: np.ndarray) -> list[State]:
    """The states that a run goes through, one for each outcome (True for an inf or a NaN)."""
    good_steps, seen = 0, []
    for found_inf in outcomes.tolist():
        seen.append((scale, good_steps, found_inf))
        scale, good_steps = next_scale(scale, good_steps, found_inf, rule)
    return seen


def to_half(values: np.ndarray) -> np.ndarray:
    """Float64 values as fp16 holds them; infinite where they are too large."""
    with np.errstate(over="ignore"):
        return values.astype(np.float16).astype(np.float64)


def arriving(coefficients: np.ndarray, scale: float) -> np.ndarray:
    """Gradients as they come out of fp16: scaled, rounded, and divided again in float32."""
    # The factor is a float32 before it goes back through fp16.
    return to_half((coefficients.astype(np.float32) * np.float32(scale)).astype(np.float64)) / scale


def clipped(gradients: np.ndarray, max_norm: float) -> np.ndarray:
    """All gradients shortened together, where their norm is more than ``max_norm``."""
    norm = float(np.sqrt(np.sum(gradients**2)))
    return gradients * min(1.0, max_norm / norm) if norm > 0 else gradients
