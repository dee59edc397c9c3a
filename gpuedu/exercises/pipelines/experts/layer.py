"""A mixture-of-experts layer with its tokens and experts on ranks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from gpuedu.errors import AnswerError
from gpuedu.exercises.given import left_as_given
from gpuedu.exercises.plain import items
from gpuedu.exercises.ranks import Ranked, run_ranks
from gpuedu.exercises.training.tensors import as_array
from gpuedu.training.seeds import generator

_POPULARITY = 0.7
"""How far apart the experts' mean logits are: some get many tokens, some hardly any."""


@dataclass(frozen=True)
class Moe:
    """A layer with ``relu(x @ w1[e]) @ w2[e]`` as its expert e, in float64.

    Attributes:
        tokens: how many each rank has.
        each: experts of a rank; rank 0 has the first ones, and so on.
        width: numbers of a token.
        hidden: columns of an expert's ``w1``.
        capacity: how many of its tokens a rank may send to one expert.
        seed: of all numbers.
    """

    tokens: tuple[int, ...]
    each: int
    width: int
    hidden: int
    capacity: int
    seed: int = 0

    @classmethod
    def of(cls, plain: dict[str, Any]) -> Moe:
        """From a case's inputs."""
        return cls(**{**plain, "tokens": tuple(plain["tokens"])})

    @property
    def ranks(self) -> int:
        """How many there are."""
        return len(self.tokens)

    @property
    def experts(self) -> int:
        """Of all ranks."""
        return self.each * self.ranks

    def weights(self) -> tuple[Tensor, Tensor]:
        """All experts' ``w1`` (E, width, hidden) and ``w2`` (E, hidden, width); fresh ones."""
        chance = generator(self.seed, 0)
        shapes = (self.experts, self.width, self.hidden), (self.experts, self.hidden, self.width)
        w1, w2 = (torch.randn(one, generator=chance, dtype=torch.float64) for one in shapes)
        return w1, w2

    def own_weights(self, rank: int) -> tuple[Tensor, Tensor]:
        """Those of a rank's experts."""
        mine = slice(rank * self.each, (rank + 1) * self.each)
        w1, w2 = self.weights()
        return w1[mine].clone(), w2[mine].clone()

    def inputs(self, rank: int) -> tuple[Tensor, Tensor]:
        """A rank's tokens (N, width), and the router's logits (N, E)."""
        chance, count = generator(self.seed, 1, rank), self.tokens[rank]
        x = torch.randn(count, self.width, generator=chance, dtype=torch.float64)
        logits = torch.randn(count, self.experts, generator=chance, dtype=torch.float64)
        liked = torch.randn(self.experts, generator=generator(self.seed, 2), dtype=torch.float64)
        return x, logits + _POPULARITY * liked


@dataclass(frozen=True)
class Routed:
    """What becomes of a rank's tokens: expert, gate's weight, and whether it is kept, (N,) each."""

    expert: np.ndarray
    gate: np.ndarray
    kept: np.ndarray


def call_route(route: Callable[..., Any], logits: Tensor, capacity: int) -> Routed:
    """What the learner's function gave; AnswerError where that has another form."""
    with left_as_given("route", logits=logits):
        found = items(route(logits, capacity), "the result of `route`", "expert, gate and kept")
    if len(found) != 3:
        raise AnswerError(f"`route` should return expert, gate and kept, got {len(found)} items")
    kinds = ("expert", "int64"), ("gate", "float64"), ("kept", "bool")
    arrays = [
        as_array(one, (len(logits),), f"`{name}` of `route`", dtype)
        for one, (name, dtype) in zip(found, kinds, strict=True)
    ]
    return Routed(*arrays)


def run_layer(answers: Sequence[Any], moe: Moe, seed: int | None = None) -> Ranked:
    """Call ``route`` and ``moe_forward`` on each rank: ``results`` are a ``Routed`` and y."""
    route, forward, *_ = answers

    def body(rank: int) -> tuple[Routed, np.ndarray]:
        x, logits = moe.inputs(rank)
        way = call_route(route, logits.clone(), moe.capacity)
        w1, w2 = moe.own_weights(rank)
        with left_as_given("moe_forward", x=x, logits=logits, w1=w1, w2=w2):
            y = forward(x, logits, moe.capacity, w1, w2)
        return way, as_array(y, x.shape, "what `moe_forward` returned", "float64")

    return run_ranks(body, moe.ranks, answers, seed=seed)


def run_loss(answers: Sequence[Any], moe: Moe, seed: int | None = None) -> Ranked:
    """Call ``balance_loss`` on each rank: ``results`` are the losses."""
    balance_loss = answers[-1]

    def body(rank: int) -> np.ndarray:
        _, logits = moe.inputs(rank)
        with left_as_given("balance_loss", logits=logits):
            loss = balance_loss(logits)
        return as_array(loss, (), "what `balance_loss` returned", "float64")

    return run_ranks(body, moe.ranks, answers, seed=seed)
