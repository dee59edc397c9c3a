"""An MLP trained in pieces on light ranks, by the learner's functions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from gpuedu.errors import AnswerError
from gpuedu.exercises.plain import items
from gpuedu.exercises.ranks import Ranked, run_ranks
from gpuedu.exercises.tensor_parallel.mlp import RATE, Mlp
from gpuedu.exercises.training.tensors import as_array, require_tensor

Answer = Callable[..., Any]


@dataclass
class OnRank:
    """What a rank had: the shapes of its pieces, and by step its outputs and gradients."""

    sizes: list[int]
    outputs: list[np.ndarray]
    gradients: list[np.ndarray]


def train_pieces(
    split: Answer,
    forward: Answer,
    backward: Answer,
    mlp: Mlp,
    *,
    seed: int | None = None,
    is_forward_only: bool = False,
) -> Ranked:
    """Train the MLP on its ranks: ``results`` are each rank's ``OnRank``.

    Args:
        split: ``split(w1, w2)``, once on each rank.
        forward: ``mlp_forward(x, a, b, bias)``, in every step.
        backward: ``mlp_backward(x, a, b, dy)``, in every step.
        mlp: the layer.
        seed: of the order of ranks that could go on at the same instant.
        is_forward_only: end after the first forward pass.
    """

    def body(rank: int) -> OnRank:
        *whole, bias = mlp.weights()
        w1, w2 = (one.clone() for one in whole)
        a, b = pieces_of(split(*whole))
        columns, rows = _places(a, w1), _places(b.T, w2.T)
        seen = OnRank([a.numel(), b.numel()], [], [])
        for step in range(mlp.steps):
            x, dy = mlp.batch(step)
            first, second = mlp.growth(step)
            a, b = a * _taken(first, columns, a), b * _taken(second.T, rows, b.T).T
            y = forward(x, a, b, bias)
            seen.outputs.append(as_array(y, x.shape, "what `mlp_forward` returned", "float64"))
            if is_forward_only:
                break
            given = items(backward(x, a, b, dy), "the result of `mlp_backward`")
            if len(given) != 3:
                raise AnswerError(
                    f"`mlp_backward` should return dx, da and db, got {len(given)} items"
                )
            gradients = [
                as_array(one, like.shape, f"`{name}` of `mlp_backward`", "float64")
                for name, one, like in zip(("dx", "da", "db"), given, (x, a, b), strict=True)
            ]
            seen.gradients.append(gradients[0])
            da, db = map(torch.from_numpy, gradients[1:])
            moves = zip((a, b, bias), (da, db, dy.sum(0)), strict=True)
            a, b, bias = (one.detach() - RATE * gradient for one, gradient in moves)
        return seen

    return run_ranks(body, mlp.ranks, [split, forward, backward], seed=seed)


def _places(piece: torch.Tensor, whole: torch.Tensor) -> list[int | None]:
    """For each column of a piece, which one of the whole matrix it is; None: it is none."""
    if len(piece) != len(whole):
        return [None] * piece.shape[1]
    equal = (piece.T[:, None] == whole.T[None]).all(-1).tolist()
    return [row.index(True) if True in row else None for row in equal]


def _taken(factors: torch.Tensor, places: list[int | None], piece: torch.Tensor) -> torch.Tensor:
    """The factors of a piece's columns, by their places; 1 for those that have none."""
    taken = torch.ones_like(piece)
    for column, place in enumerate(places):
        if place is not None:
            taken[:, column] = factors[:, place]
    return taken


def pieces_of(given: Any) -> list[Any]:
    """The two matrices that ``split`` returned; AnswerError where it did not."""
    pieces = items(given, "the result of `split`", "two matrices")
    if len(pieces) != 2:
        raise AnswerError(f"`split` should return two matrices, got {len(pieces)} items")
    for name, one in zip("ab", pieces, strict=True):
        called = f"`{name}` of `split`"
        if require_tensor(one, called).dim() != 2 or one.dtype != torch.float64:
            told = f"{one.dtype} of shape {list(one.shape)}"
            raise AnswerError(f"{called} should be a matrix of float64, got {told}")
    return [one.detach() for one in pieces]
