"""A rank's blocks of keys and values: buffers for those that arrive, and products with them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

from gpuedu.errors import AnswerError
from gpuedu.exercises.plain import describe
from gpuedu.multi import work_for
from gpuedu.multi.light.posts import describe as describe_tensor
from gpuedu.multi.light.world import here


class BlockMemory:
    """Hands out buffers for blocks, counts them, and computes scores, which takes simulated time.

    Args:
        own: the rank's own block, (2, tokens, D) float64: keys, then values.
        pair_s: how long the score of one query and one key takes.
        most: the most tokens of a block.
        names: what a block is called, by the first number of its keys.

    Attributes:
        peak: the most buffers that were handed out and not freed, at once.
        spans: when each buffer was handed out and freed, in simulated seconds.
    """

    def __init__(
        self, own: Tensor, pair_s: float, most: int, names: Mapping[float, str] | None = None
    ) -> None:
        self.peak = 0
        self.spans: list[tuple[float, float]] = []
        self._own, self._pair_s, self._most = own, pair_s, most
        self._names = names or {}
        self._buffers: dict[int, tuple[Tensor, float]] = {}

    @property
    def live(self) -> int:
        """Buffers that are not freed."""
        return len(self._buffers)

    @property
    def kept_since_s(self) -> list[float]:
        """When each of them was handed out."""
        return [since_s for _, since_s in self._buffers.values()]

    def allocate(self, tokens: int) -> Tensor:
        """A buffer (2, tokens, D) float64, filled with NaN.

        Raises:
            AnswerError: no block has so many tokens.
        """
        if type(tokens) is not int or not 0 < tokens <= self._most:
            raise AnswerError(
                f"`allocate` got {describe(tokens)}; blocks have 1 to {self._most} tokens"
            )
        buffer = self._own.new_full((2, tokens, self._own.shape[2]), math.nan)
        self._buffers[id(buffer)] = buffer, _now_s()
        self.peak = max(self.peak, self.live)
        return buffer

    def free(self, block: Any) -> None:
        """Take a buffer back; its numbers become NaN.

        Raises:
            AnswerError: it is none, or was freed.
        """
        if id(block) not in self._buffers:
            told = "the rank's own block" if block is self._own else _tell(block)
            raise AnswerError(
                f"`free` got {told}, which is no buffer that `allocate` returned, or was freed "
                "before",
                remedy="Hand over the buffer itself, and no slice or copy of it.",
            )
        buffer, since_s = self._buffers.pop(id(block))
        buffer.fill_(math.nan)
        self.spans.append((since_s, _now_s()))

    def scores(self, queries: Any, block: Any) -> Tensor:
        """Products of queries and a block's keys over sqrt(D), (queries, tokens) float64.

        Args:
            queries: (queries, D) float64.
            block: the rank's own, or a buffer.

        Raises:
            AnswerError: these are no such tensors, or the block is not there.
        """
        width = self._own.shape[2]
        is_fine = isinstance(queries, Tensor) and queries.dtype == self._own.dtype
        if not is_fine or queries.ndim != 2 or queries.shape[1] != width:
            raise AnswerError(
                f"`scores` got {_tell(queries)} as queries, which should be (n, {width}) float64"
            )
        if block is not self._own and id(block) not in self._buffers:
            raise AnswerError(
                f"`scores` got {_tell(block)} as a block, which is neither the rank's own nor "
                "a buffer that `allocate` returned, or was freed before",
                remedy="Hand over the whole buffer, keys and values, and no slice or copy of it.",
            )
        if torch.isnan(block).any():
            raise AnswerError(
                "`scores` got a block that has not arrived: its keys are NaN",
                remedy="When is it in the buffer: when the receive is called, or when it is done?",
            )
        name = self._names.get(float(block[0, 0, 0]), "?")
        work_for(self._pair_s * len(queries) * block.shape[1], name)
        return queries @ block[0].T / math.sqrt(width)


def _tell(given: Any) -> str:
    """A tensor by shape and dtype, anything else as it is."""
    return describe_tensor(given) if isinstance(given, Tensor) else describe(given)


def _now_s() -> float:
    on_rank = here()
    return on_rank[0].clock.now() if on_rank else 0.0
