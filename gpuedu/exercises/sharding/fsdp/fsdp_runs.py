"""A step on light ranks that keep pieces of the weights."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from gpuedu.errors import AnswerError
from gpuedu.exercises.plain import describe
from gpuedu.exercises.ranks import Ranked, run_ranks
from gpuedu.exercises.ranks.buffers import Buffers
from gpuedu.exercises.sharding.fsdp.flat_layers import (
    FlatLayers,
    make_weights,
    shapes_of,
    size_of,
)
from gpuedu.exercises.training.tensors import as_array
from gpuedu.multi.network import Cluster, Link

SIZE = 8
"""Bytes of a number: float64."""


@dataclass(frozen=True)
class FsdpTask:
    """Steps of plain gradient descent on a chain of layers.

    Attributes:
        widths: layer i has ``widths[i]`` inputs and ``widths[i + 1]`` outputs.
        times_s: of the forward pass of each layer; the backward pass takes twice as long.
        ranks: how many.
        latency_s: of a message.
        bytes_per_s: of the network.
        steps: how many.
        samples: of each rank.
        seed: of weights and data.
    """

    widths: tuple[int, ...]
    times_s: tuple[float, ...]
    ranks: int
    latency_s: float
    bytes_per_s: float
    steps: int = 2
    samples: int = 3
    seed: int = 0
    rate: float = 0.1

    @classmethod
    def of(cls, fields: dict[str, Any]) -> FsdpTask:
        """From what a case holds."""
        tuples = {name: tuple(fields[name]) for name in ("widths", "times_s")}
        return cls(**(fields | tuples))

    @property
    def counts(self) -> list[int]:
        """Weights of each layer."""
        return [size_of(shape) for shape in shapes_of(self.widths)]

    @property
    def pieces(self) -> list[int]:
        """Weights of each layer that a rank keeps, padding included."""
        return [-(-count // self.ranks) for count in self.counts]

    @property
    def link(self) -> Link:
        """Between any two ranks."""
        return Link("made up", self.latency_s, self.bytes_per_s)


@dataclass(frozen=True)
class RankRun:
    """What a rank has done.

    Attributes:
        weights: its pieces after each step, all layers in a row.
        memory: its buffers.
    """

    weights: list[np.ndarray]
    memory: Buffers


def train_sharded_layers(
    passes: tuple[Callable[..., Any], Callable[..., Any]], task: FsdpTask, seed: int | None = None
) -> Ranked:
    """Train on light ranks; ``results`` are ``RankRun``s.

    Args:
        passes: ``forward_pass(pieces, allocate, free, forward)``, which returns the buffer of the
            last layer, and ``backward_pass(pieces, weights, allocate, free, backward)``, which
            returns the gradients.
        task: what is trained, where.
        seed: of the order of ranks that could go on at the same instant.
    """
    start = make_weights(task.widths, task.seed)
    forward_pass, backward_pass = passes

    def body(rank: int) -> RankRun:
        pieces, memory = pieces_of(start, task, rank), Buffers()
        after = []
        for number in range(task.steps):
            layers = FlatLayers(task.widths, task.times_s, memory, batch_of(task, number, rank))
            given, of_memory = [piece.clone() for piece in pieces], (memory.allocate, memory.free)
            weights = forward_pass(given, *of_memory, layers.forward)
            layers.require_forward()
            memory.require(weights, "forward_pass", "returned")
            gradients = backward_pass(given, weights, *of_memory, layers.backward)
            layers.require_backward()
            pieces = _updated(pieces, gradients, task)
            after.append(torch.cat(pieces).numpy())
        return RankRun(after, memory)

    return run_ranks(body, task.ranks, passes, cluster=Cluster(task.ranks, task.link), seed=seed)


def batch_of(task: FsdpTask, step: int, rank: int) -> tuple[Tensor, Tensor]:
    """A rank's samples, and what the outputs should be."""
    rng = np.random.default_rng((task.seed, step, rank))
    x = torch.tensor(rng.normal(0, 1, (task.samples, task.widths[0])))
    return x, torch.tensor(rng.uniform(-0.8, 0.8, (task.samples, task.widths[-1])))


def pieces_of(start: list[np.ndarray], task: FsdpTask, rank: int) -> list[Tensor]:
    """A rank's piece of each layer's flat weights, padded with zeros."""
    padded = [
        np.pad(one, (0, each * task.ranks - len(one)))
        for one, each in zip(start, task.pieces, strict=True)
    ]
    return [
        torch.tensor(one[rank * each : (rank + 1) * each])
        for one, each in zip(padded, task.pieces, strict=True)
    ]


def _updated(pieces: list[Tensor], gradients: Any, task: FsdpTask) -> list[Tensor]:
    if not isinstance(gradients, list | tuple) or len(gradients) != len(pieces):
        raise AnswerError(
            f"`backward_pass` should return a list of {len(pieces)} gradients, one for each "
            f"layer, got {describe(gradients)}"
        )
    found = [
        as_array(one, (len(piece),), f"the gradient of layer {at}")
        for at, (piece, one) in enumerate(zip(pieces, gradients, strict=True))
    ]
    for at, grad in enumerate(found):
        if np.isnan(grad).any():
            raise AnswerError(
                f"the gradient of layer {at} that `backward_pass` returned has NaN in it",
                remedy="What is in a buffer that was given back?",
            )
    return [one - task.rate * torch.tensor(grad) for one, grad in zip(pieces, found, strict=True)]
