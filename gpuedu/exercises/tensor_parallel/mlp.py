"""A transformer's MLP that ranks share: its sizes, its weights and what comes to it."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from gpuedu.training.seeds import generator

RATE = 0.3
"""Of the updates between steps."""


@dataclass(frozen=True)
class Mlp:
    """``gelu(x @ w1) @ w2 + bias`` in float64, and what comes to it in each step.

    Attributes:
        tokens: rows of ``x``.
        width: columns of ``x``.
        hidden: columns of ``w1``, rows of ``w2``.
        ranks: how many share it.
        steps: how many training steps.
        seed: of all numbers.
        grows: before each step, every number of both matrices is multiplied by a factor of its own,
            between 1 less this and 1 more: who computes with whole ones that were kept, and not
            with the pieces, computes with others.
    """

    tokens: int
    width: int
    hidden: int
    ranks: int
    steps: int = 3
    seed: int = 0
    grows: float = 0.0

    def weights(self) -> tuple[Tensor, Tensor, Tensor]:
        """``w1`` (width, hidden), ``w2`` (hidden, width) and the bias (width,); fresh ones."""
        chance = generator(self.seed, 0)
        shapes = (self.width, self.hidden), (self.hidden, self.width), (self.width,)
        w1, w2, bias = (torch.randn(one, generator=chance, dtype=torch.float64) for one in shapes)
        return w1 / 2, w2 / 2, bias

    def growth(self, step: int) -> tuple[Tensor, Tensor]:
        """By what ``w1`` and ``w2`` are multiplied before a step."""
        chance = generator(self.seed, 2, step)
        shapes = (self.width, self.hidden), (self.hidden, self.width)
        drawn = [torch.rand(one, generator=chance, dtype=torch.float64) for one in shapes]
        first, second = (1 + self.grows * (2 * one - 1) for one in drawn)
        return first, second

    def batch(self, step: int) -> tuple[Tensor, Tensor]:
        """The input of a step, and the gradient of its output, (tokens, width) each."""
        chance = generator(self.seed, 1, step)
        x, dy = torch.randn(2, self.tokens, self.width, generator=chance, dtype=torch.float64)
        return x, dy

    @property
    def all_reduce_bytes(self) -> int:
        """What all ranks send for the sum of one (tokens, width)."""
        return 2 * (self.ranks - 1) * 8 * self.tokens * self.width

    @property
    def most_columns(self) -> int:
        """Of the rank that has the most, if they are shared out evenly."""
        return -(-self.hidden // self.ranks)
