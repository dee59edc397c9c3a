"""A rank's blocks of keys and values: buffers for those that arrive, and products with them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

from gpuedu.errors import AnswerError
from gpuedu.exercises.plain import describe
from gpuedu.exercises.ranks.buffers import Buffers, tell
from gpuedu.multi import work_for


class BlockMemory(Buffers):
    """Hands out buffers for blocks, and computes scores, which takes simulated time.

    Args:
        own: the rank's own block, (2, tokens, D) float64: keys, then values.
        pair_s: how long the score of one query and one key takes.
        most: the most tokens of a block.
        owners: the rank that a block comes from, by the first number of its keys.

    Attributes:
        scored: how many queries had their scores computed, by the block's rank.
    """

    def __init__(
        self, own: Tensor, pair_s: float, most: int, owners: Mapping[float, int] | None = None
    ) -> None:
        super().__init__()
        self._own, self._pair_s, self._most = own, pair_s, most
        self._owners = owners or {}
        self.scored: Counter[int] = Counter()

    def allocate(self, tokens: int) -> Tensor:
        """A buffer (2, tokens, D) float64, filled with NaN.

        Raises:
            AnswerError: no block has so many tokens, or there is no room for it.
        """
        if type(tokens) is not int or not 0 < tokens <= self._most:
            raise AnswerError(
                f"`allocate` got {describe(tokens)}; blocks have 1 to {self._most} tokens"
            )
        return self.hand_out(2, tokens, self._own.shape[2])

    def free(self, buffer: Any) -> None:
        """See ``Buffers.free``; the rank's own block is told as that."""
        if buffer is self._own:
            raise AnswerError(
                "`free` got the rank's own block, which is no buffer that `allocate` returned"
            )
        super().free(buffer)

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
                f"`scores` got {tell(queries)} as queries, which should be (n, {width}) float64"
            )
        if block is not self._own and block not in self:
            raise AnswerError(
                f"`scores` got {tell(block)} as a block, which is neither the rank's own nor "
                "a buffer that `allocate` returned, or was freed before",
                remedy="Hand over the whole buffer, keys and values, and no slice or copy of it.",
            )
        if torch.isnan(block).any():
            raise AnswerError(
                "`scores` got a block that has not arrived: its keys are NaN",
                remedy="When is it in the buffer: when the receive is called, or when it is done?",
            )
        owner = self._owners.get(float(block[0, 0, 0]), -1)
        self.scored[owner] += len(queries)
        name = f"block {owner}" if owner >= 0 else "?"
        work_for(self._pair_s * len(queries) * block.shape[1], name)
        return queries @ block[0].T / math.sqrt(width)
