"""What a kernel in Triton moves through memory, beside a chain of operations."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from gpuedu.figures.launch_bytes import Program
from gpuedu.trace import Operation, Trace
from gpuedu.trace.counts import SECTOR_BYTES

COUNTED = "counted in Triton's interpreter, in sectors of 32 bytes."


def moved_bytes(trace: Trace) -> int:
    """Bytes of all sectors that a launch loaded and stored; an atomic does both."""
    both = {Operation.ATOMIC: 2}
    return SECTOR_BYTES * sum(
        int(site.sectors.sum()) * both.get(site.operation, 1) for site in trace.sites
    )


def chain(name: str, steps: Iterable[tuple[str, float]]) -> Program:
    """A chain of launches, each with the bytes that it moves."""
    return Program(name, tuple((says, float(moved)) for says, moved in steps))


def normal(*shape: int, dtype: type = np.float32) -> np.ndarray:
    """The same normal numbers in every picture."""
    return np.random.default_rng(0).normal(size=shape).astype(dtype)
