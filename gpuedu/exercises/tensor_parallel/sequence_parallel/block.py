"""A transformer's MLP with norm, dropout and residual, trained on ranks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from gpuedu.errors import AnswerError
from gpuedu.exercises.plain import items
from gpuedu.exercises.ranks import Ranked, run_ranks
from gpuedu.exercises.tensor_parallel.mlp import RATE
from gpuedu.exercises.training.tensors import as_array
from gpuedu.training.seeds import generator

_KEPT = 0.75
"""The share of numbers that dropout keeps."""


@dataclass(frozen=True)
class Block:
    """``x + mask * (relu(norm(x) @ w1) @ w2)`` in float64; ``norm`` is RMSNorm with a scale.

    Attributes:
        tokens: rows of ``x``, a multiple of the ranks.
        width: columns of ``x``.
        hidden: columns of ``w1``, rows of ``w2``.
        ranks: how many share it.
        drops: whether the mask drops anything.
        steps: how many training steps.
        seed: of all numbers.
    """

    tokens: int
    width: int
    hidden: int
    ranks: int
    drops: bool = False
    steps: int = 2
    seed: int = 0

    @property
    def rows(self) -> int:
        """Tokens of a rank."""
        return self.tokens // self.ranks

    @property
    def part_bytes(self) -> int:
        """What all ranks send for an all-gather, or a reduce-scatter, of (tokens, width)."""
        return (self.ranks - 1) * 8 * self.tokens * self.width

    def weights(self) -> list[Tensor]:
        """The scale (width,), ``w1`` (width, hidden), ``w2`` (hidden, width); fresh ones."""
        chance = generator(self.seed, 0)
        shapes = (self.width,), (self.width, self.hidden), (self.hidden, self.width)
        scale, w1, w2 = (torch.randn(s, generator=chance, dtype=torch.float64) for s in shapes)
        return [1 + scale / 4, w1 / 2, w2 / 2]

    def pieces(self, rank: int) -> list[Tensor]:
        """The scale, and a rank's columns of ``w1`` and rows of ``w2``."""
        scale, w1, w2 = self.weights()
        cut = w1.tensor_split(self.ranks, dim=1)[rank], w2.tensor_split(self.ranks)[rank]
        return [scale, *(one.clone() for one in cut)]

    def batch(self) -> tuple[Tensor, Tensor, Tensor]:
        """Input, dropout mask and the output's gradient, (tokens, width) each; for all steps."""
        chance, shape = generator(self.seed, 1), (self.tokens, self.width)
        x, dy = torch.randn(2, *shape, generator=chance, dtype=torch.float64)
        kept = torch.rand(shape, generator=chance, dtype=torch.float64) < _KEPT
        return x, kept / _KEPT if self.drops else torch.ones_like(x), dy

    def mine(self, whole: Tensor, rank: int) -> Tensor:
        """A rank's tokens of a tensor; a copy."""
        return whole[rank * self.rows : (rank + 1) * self.rows].clone()


@dataclass
class OnRank:
    """By step, what a rank returned: its outputs, and the gradients of its inputs and the scale."""

    outputs: list[np.ndarray]
    gradients: list[np.ndarray]
    scales: list[np.ndarray]


def train_ranks(
    forward: Callable[..., Any],
    backward: Callable[..., Any],
    block: Block,
    *,
    seed: int | None = None,
    is_forward_only: bool = False,
) -> Ranked:
    """Train the block on its ranks: ``results`` are each rank's ``OnRank``.

    Args:
        forward: ``block_forward(x, pieces, mask)``, in every step.
        backward: ``block_backward(x, u, pieces, mask, dy)``, in every step.
        block: the block.
        seed: of the order of ranks that could go on at the same instant.
        is_forward_only: end after the first forward pass.
    """

    def body(rank: int) -> OnRank:
        pieces, seen = block.pieces(rank), OnRank([], [], [])
        x, mask, dy = block.batch()
        x, dy = block.mine(x, rank), block.mine(dy, rank)
        for _ in range(block.steps):
            y, u = call_forward(forward, x, tuple(pieces), mask)
            seen.outputs.append(y)
            if is_forward_only:
                break
            given = backward(x, u, tuple(pieces), mask, dy)
            like = dict(zip(("dx", "dscale", "da", "db"), (x, *pieces), strict=True))
            dx, *grads = _arrays(given, like, "block_backward")
            seen.gradients.append(dx)
            seen.scales.append(grads[0])
            pieces = [
                one.detach() - RATE * torch.from_numpy(grad)
                for one, grad in zip(pieces, grads, strict=True)
            ]
        return seen

    return run_ranks(body, block.ranks, [forward, backward], seed=seed)


def call_forward(
    forward: Callable[..., Any], x: Tensor, pieces: tuple[Tensor, ...], mask: Tensor
) -> tuple[np.ndarray, Tensor]:
    """A rank's output, and its ``u``; AnswerError where they are not of the right shapes."""
    given = items(forward(x, pieces, mask), "the result of `block_forward`", "y and u")
    u_like = mask.new_empty(len(mask), pieces[1].shape[1])
    y, u = _arrays(given, {"y": x, "u": u_like}, "block_forward")
    return y, torch.from_numpy(u)


def _arrays(given: Any, like: dict[str, Tensor], function: str) -> list[np.ndarray]:
    """What a function returned, as arrays of float64 in the shapes of others."""
    found = items(given, f"the result of `{function}`", ", ".join(like))
    if len(found) != len(like):
        told = f"`{function}` should return {', '.join(like)}, got {len(found)} items"
        raise AnswerError(told)
    return [
        as_array(one, tensor.shape, f"`{name}` of `{function}`", "float64")
        for one, (name, tensor) in zip(found, like.items(), strict=True)
    ]
