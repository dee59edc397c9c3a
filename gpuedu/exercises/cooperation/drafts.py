"""Kernels that pictures of the lesson draw beside the learner's own."""

from __future__ import annotations

from typing import Any


def straight_count() -> Any:
    """A kernel ``(values, hist)`` that adds 1 to ``hist`` for each value, by an atomic.

    Any launch; it has no race, since all accesses to ``hist`` are atomics.
    """
    from gpuedu.backend import cuda

    @cuda.jit
    def count_atomic(values, hist):
        for i in range(cuda.grid(1), values.size, cuda.gridsize(1)):
            cuda.atomic.add(hist, values[i], 1)

    return count_atomic
