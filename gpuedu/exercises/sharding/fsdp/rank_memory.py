"""A rank's memory, as an allocator counts it: buffers that are handed out and freed."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor

from gpuedu.errors import AnswerError
from gpuedu.exercises.plain import describe
from gpuedu.multi.light.world import here

_MOST = 10**6
"""Numbers in all buffers of a rank; no model here has nearly as many."""


class RankMemory:
    """Hands out buffers, and counts their numbers.

    Attributes:
        live: numbers in buffers that are not freed.
        peak: the most of them so far.
        spans: when each buffer was handed out and freed, in simulated seconds, in the order in
            which they were freed.
    """

    def __init__(self) -> None:
        self.live = self.peak = 0
        self.spans: list[tuple[float, float]] = []
        self._buffers: dict[int, tuple[Tensor, float]] = {}

    @property
    def kept_since_s(self) -> list[float]:
        """When each buffer was handed out that is not freed."""
        return [since_s for _, since_s in self._buffers.values()]

    def allocate(self, count: int) -> Tensor:
        """A buffer of ``count`` numbers, float64, which are NaN.

        Raises:
            AnswerError: that is no number of numbers, or there is no room for so many.
        """
        if type(count) is not int or not 0 < count <= _MOST:
            raise AnswerError(f"`allocate` got {describe(count)}, which should be a whole number")
        if self.live + count > _MOST:
            raise AnswerError(
                f"a rank has {self.live:,} numbers in its buffers, and {count:,} more are too many",
                remedy="Which buffers are never freed?",
            )
        buffer = torch.full((count,), math.nan, dtype=torch.float64)
        self._buffers[id(buffer)] = buffer, _now_s()
        self.live += count
        self.peak = max(self.peak, self.live)
        return buffer

    def free(self, buffer: Any) -> None:
        """Take a buffer back; its numbers become NaN.

        Raises:
            AnswerError: it is none, or was freed.
        """
        self.require(buffer, "free")
        with torch.no_grad():
            buffer.fill_(math.nan)
        _, since_s = self._buffers.pop(id(buffer))
        self.spans.append((since_s, _now_s()))
        self.live -= len(buffer)

    def require(self, buffer: Any, name: str, did: str = "got") -> Tensor:
        """The buffer, if it is one that was handed out and not freed; AnswerError otherwise."""
        if id(buffer) not in self._buffers:
            raise AnswerError(
                f"`{name}` {did} {describe(buffer)}, which is no buffer that `allocate` returned, "
                "or was freed before",
                remedy="Hand over the buffer itself, and no slice or copy of it.",
            )
        return buffer


def _now_s() -> float:
    on_rank = here()
    return on_rank[0].clock.now() if on_rank else 0.0
