"""Optimizers for pieces of a model: they keep their numbers by the name of the piece."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from gpuedu.errors import AnswerError
from gpuedu.exercises.plain import describe

_SMALL = 1e-8
_SQUARES_DECAY = 0.99


@dataclass(frozen=True)
class Rule:
    """How an optimizer updates.

    Attributes:
        kind: "momentum" or "adam".
        rate: the learning rate.
        decay: what is left of the mean of gradients after a step.
        shrinks: weight decay; a step takes ``rate * shrinks`` of each weight.
    """

    kind: str
    rate: float
    decay: float
    shrinks: float = 0.1


class Updates:
    """One rank's optimizer, for any pieces of a model's weights.

    Args:
        rule: how it updates.

    Attributes:
        sizes: how many weights each piece has, by its name.
        updated: the weights of each piece as the last update left them, in a row, by its name.
    """

    def __init__(self, rule: Rule) -> None:
        self.sizes: dict[Hashable, int] = {}
        self.updated: dict[Hashable, Tensor] = {}
        self._rule = rule
        self._means: dict[Hashable, Tensor] = {}
        self._squares: dict[Hashable, Tensor] = {}
        self._steps: dict[Hashable, int] = {}

    @property
    def numbers(self) -> int:
        """How many it keeps for a moment of the gradient, all pieces together."""
        return sum(self.sizes.values())

    def update(self, name: Hashable, weights: Tensor, gradient: Tensor) -> None:
        """Change ``weights`` by one step.

        Args:
            name: of the piece; the same in every step.
            weights: of the piece, of any shape; float64; changed in place.
            gradient: of the same shape and dtype.

        Raises:
            AnswerError: these are no such tensors, the piece had another size before, or its name
                is nothing that is the same in every step.
        """
        self._require(name, weights, gradient)
        with torch.no_grad():
            self._step(name, weights, gradient)
            self.updated[name] = weights.detach().clone().flatten()

    def _step(self, name: Hashable, weights: Tensor, gradient: Tensor) -> None:
        rule, steps = self._rule, self._steps.get(name, 0) + 1
        flat = gradient.detach().flatten()
        self._steps[name] = steps
        mean = rule.decay * self._means.get(name, torch.zeros_like(flat)) + flat
        self._means[name] = change = mean
        if rule.kind == "adam":
            squares = self._squares.get(name, torch.zeros_like(flat))
            self._squares[name] = squares = squares.lerp(flat**2, 1 - _SQUARES_DECAY)
            mean = (1 - rule.decay) * mean / (1 - rule.decay**steps)
            change = mean / ((squares / (1 - _SQUARES_DECAY**steps)).sqrt() + _SMALL)
        weights -= rule.rate * (change.view_as(weights) + rule.shrinks * weights)

    def _require(self, name: Any, weights: Any, gradient: Any) -> None:
        for what, one in (("weights", weights), ("gradient", gradient)):
            if not isinstance(one, Tensor):
                raise AnswerError(
                    f"`update` got {describe(one)} as {what}, which should be a tensor",
                    remedy="A weight that no rank used has None instead of a gradient, which "
                    "counts as zeros.",
                )
        if weights.shape != gradient.shape or weights.dtype != gradient.dtype:
            shapes = [f"{list(one.shape)} of {one.dtype}" for one in (weights, gradient)]
            raise AnswerError(f"`update` got weights {shapes[0]}, and a gradient {shapes[1]}")
        if not _is_name(name):
            raise AnswerError(
                f"`update` got {describe(name)} as the name of a piece",
                remedy="A name is a string or a number, a tuple of these, or one of the weights.",
            )
        before = self.sizes.setdefault(name, weights.numel())
        if before != weights.numel():
            raise AnswerError(
                f"`update` got {weights.numel()} weights as {name!r}, and {before} before",
                remedy="A piece is the same in every step: its numbers belong to its weights.",
            )


def _is_name(name: Any) -> bool:
    """Whether it is the same in the next step, wherever it is looked at.

    >>> _is_name(("layer", 0)), _is_name(object())
    (True, False)
    """
    if isinstance(name, tuple):
        return all(map(_is_name, name))
    return isinstance(name, str | bytes | int | float | None | np.generic | torch.nn.Parameter)
