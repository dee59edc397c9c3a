"""A rank's memory, as an allocator counts it: buffers that are handed out and freed."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor

from gpuedu.errors import AnswerError
from gpuedu.exercises.plain import describe
from gpuedu.multi.light.posts import describe as describe_tensor
from gpuedu.multi.light.world import here

_MOST = 10**6
"""Numbers in all buffers of a rank; no model here has nearly as many."""


class Buffers:
    """Buffers of float64 that are handed out and freed.

    Attributes:
        live: numbers in buffers that are not freed.
        peak: the most of them so far.
        most_at_once: the most buffers so far.
    """

    def __init__(self) -> None:
        self.live = self.peak = self.most_at_once = 0
        self._ended: list[tuple[float, float]] = []
        self._held: dict[int, tuple[Tensor, float]] = {}

    def __len__(self) -> int:
        """How many are not freed."""
        return len(self._held)

    def __contains__(self, buffer: object) -> bool:
        """Whether it was handed out, and not freed: the tensor itself, and no view of it."""
        return id(buffer) in self._held

    def spans(self, end_s: float) -> list[tuple[float, float]]:
        """When each was handed out and freed, in simulated seconds; ``end_s`` if it was not."""
        return sorted([*self._ended, *((since_s, end_s) for _, since_s in self._held.values())])

    def allocate(self, count: int) -> Tensor:
        """A flat buffer of ``count`` numbers, which are NaN.

        Raises:
            AnswerError: that is no number of numbers, or there is no room for so many.
        """
        if type(count) is not int or not 0 < count <= _MOST:
            raise AnswerError(f"`allocate` got {describe(count)}, which should be a whole number")
        return self.hand_out(count)

    def hand_out(self, *shape: int) -> Tensor:
        """A buffer of this shape, filled with NaN; AnswerError where there is no room for it."""
        count = math.prod(shape)
        if self.live + count > _MOST:
            raise AnswerError(
                f"a rank has {self.live:,} numbers in its buffers, and {count:,} more are too many",
                remedy="Which buffers are never freed?",
            )
        buffer = torch.full(shape, math.nan, dtype=torch.float64)
        self._held[id(buffer)] = buffer, _now_s()
        self.live += count
        self.peak = max(self.peak, self.live)
        self.most_at_once = max(self.most_at_once, len(self))
        return buffer

    def free(self, buffer: Any) -> None:
        """Take a buffer back; its numbers become NaN.

        Raises:
            AnswerError: it is none, or was freed.
        """
        self.require(buffer, "free")
        with torch.no_grad():
            buffer.fill_(math.nan)
        _, since_s = self._held.pop(id(buffer))
        self._ended.append((since_s, _now_s()))
        self.live -= buffer.numel()

    def require(self, buffer: Any, name: str, did: str = "got") -> Tensor:
        """The buffer, if it is one of those; AnswerError otherwise."""
        if buffer not in self:
            raise AnswerError(
                f"`{name}` {did} {tell(buffer)}, which is no buffer that `allocate` returned, or "
                "was freed before",
                remedy="Hand over the buffer itself, and no slice or copy of it.",
            )
        return buffer


def tell(given: Any) -> str:
    """A tensor by shape and dtype, anything else as it is."""
    return describe_tensor(given) if isinstance(given, Tensor) else describe(given)


def _now_s() -> float:
    on_rank = here()
    return on_rank[0].clock.now() if on_rank else 0.0
