"""elementwise: its picture."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gpuedu.exercises.arrays.kernel_objects import (
    elementwise_on_machine,
    kernel_refusals_told,
)
from gpuedu.exercises.arrays.watching import COUNTED, Launch, watch
from gpuedu.figures.caption import Caption
from gpuedu.figures.launch_bytes import Program, plot_launch_bytes

ELEMENTS, RUN_ELEMENTS = 1_000_000, 8_000
"""Elements that are told of, and elements that run: bytes grow in proportion."""


def gelu_chain(cp: Any, x: Any) -> Any:
    """GELU as the lesson gives it, a chain of eight array operations."""
    return 0.5 * x * (1 + cp.tanh(0.79788456 * (x + 0.044715 * x**3)))


CHAIN_STEPS = ("0.5 x", "x**3", "0.04 *", "x +", "0.8 *", "tanh", "1 +", "product")
"""What the launches of the chain do, in order."""


def draw_elementwise(gelu: Any) -> Any:
    """Bytes moved by each launch of the chain, and by the learner's kernel."""
    from gpuedu.arrays import cupy as cp

    x = cp.asarray(np.linspace(-3, 3, RUN_ELEMENTS, dtype=np.float32))
    kernel = elementwise_on_machine(gelu)
    with kernel_refusals_told():
        own = watch(kernel, x)
    programs = [
        _program("array operations", watch(gelu_chain, cp, x).launches, CHAIN_STEPS),
        _program("your kernel", own.launches),
    ]
    caption = Caption(
        title="What moves through memory for a million elements",
        x="MB read and written",
        source=f"A piece is a launch. {COUNTED}",
        alt="; ".join(f"{one.name}: {one.told}" for one in programs) + ".",
    )
    return plot_launch_bytes(programs, caption=caption)


def _program(name: str, launches: Sequence[Launch], steps: Sequence[str] = ()) -> Program:
    """A program of launches, which ``steps`` name where they are given."""
    scale = ELEMENTS // RUN_ELEMENTS
    names = steps or [one.name for one in launches]
    pairs = zip(names, launches, strict=True)
    return Program(name, tuple((says, one.moved_bytes * scale) for says, one in pairs))


PICTURE = draw_elementwise
