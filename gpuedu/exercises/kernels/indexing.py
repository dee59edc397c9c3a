"""Which index did the learner compute? Found by trying known formulas on who wrote what."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from gpuedu.exercises.kernels.shapes import LaunchShape
from gpuedu.widths import count_each

Formula = Callable[[np.ndarray, np.ndarray, int, int], np.ndarray]


@dataclass(frozen=True)
class WrongIndex:
    """A known way to compute an index, and the sentence that names it.

    ``formula(block, thread, threads, blocks)`` gives the element of each thread of the launch.
    """

    formula: Formula
    says: str

    def times(self, shape: LaunchShape, size: int) -> np.ndarray:
        """How often each element would be written, (size,) int64; what lies outside is left out."""
        block, thread = np.divmod(np.arange(shape.threads * shape.blocks), shape.threads)
        index = self.formula(block, thread, shape.threads, shape.blocks)
        inside = index[(index >= 0) & (index < size)]
        return count_each(inside, minlength=size)


def index_cause(times: np.ndarray, shape: LaunchShape, known: Iterable[WrongIndex]) -> str:
    """The sentence of the first formula that writes each element as often as observed, or nothing.

    Args:
        times: (size,) how often each element was written.
        shape: The launch.
        known: Formulas to try.

    >>> thread_only = WrongIndex(lambda block, thread, threads, blocks: thread, "no block in it")
    >>> index_cause(np.array([2, 2, 0, 0]), LaunchShape(2, 2), [thread_only])
    'no block in it'
    """
    if not times.any() or (times == 1).all():  # nothing was written, or the index is right
        return ""
    for wrong in known:
        if np.array_equal(wrong.times(shape, len(times)), times):
            return wrong.says
    return ""
