"""Plans of a run: how its learning rate goes over the steps, and what the lesson shows of them."""

from __future__ import annotations

from typing import NamedTuple

SHAPES = ("linear", "cosine")
RULES = ("linear", "root")


class Plan(NamedTuple):
    """A run of ``steps``: a rise to ``peak`` in ``warmup`` steps, then a fall to ``low``."""

    steps: int
    warmup: int
    peak: float
    low: float
    shape: str


SHOWN = Plan(steps=12, warmup=4, peak=1.0, low=0.1, shape="linear")
"""A run so short that each of its steps is seen."""
SMALL, LARGE = 64, 512
"""Batches: a plan for the small one, and what becomes of it for the large one."""
LONG = Plan(steps=480, warmup=48, peak=0.1, low=0.001, shape="cosine")
