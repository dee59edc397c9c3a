"""A model trained on light ranks whose gradients are reduced layer by layer; one process's run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from gpuedu.exercises.ranks import Ranked, run_ranks
from gpuedu.exercises.sharding.chains import (
    ChainTask,
    Layer,
    backward_by_layer,
    build_chain,
    data_of,
    trained_of,
)
from gpuedu.exercises.sharding.updates import Rule, Updates

State = list[np.ndarray]


@dataclass(frozen=True)
class Moment:
    """Numbers of gradients that a rank has when the backward pass of a layer is done.

    Attributes:
        layer: which one.
        pieces: what it has for the pieces, of all layers.
        new: the gradient of this layer.
        old: gradients of other layers that are still whole.
        left: what is still whole when the learner's function has returned.
    """

    layer: int
    pieces: int
    new: int
    old: int
    left: int

    @property
    def total(self) -> int:
        """All of them before the function is called."""
        return self.pieces + self.new + self.old


def train_in_pieces(
    reduce_layer: Callable[..., Any], task: ChainTask, rule: Rule, *, seed: int | None = None
) -> Ranked:
    """Train on light ranks: ``results`` are each rank's states by step, and its moments.

    Args:
        reduce_layer: ``reduce_layer(weights, piece)``, after the backward pass of each layer.
        task: model and data.
        rule: of the optimizer, which updates a piece of each layer on each rank.
        seed: of the order of ranks that could go on at the same instant.
    """
    models = [build_chain(task) for _ in range(task.ranks)]

    def body(rank: int) -> tuple[list[State], list[Moment]]:
        layers, updates = models[rank], Updates(rule)
        states: list[State] = []
        moments: list[Moment] = []
        for step in range(task.steps):
            pieces = [torch.zeros(piece_size(layer, task.ranks)).double() for layer in layers]
            for part in range(task.parts):
                data = data_of(task, step, part, rank)
                for at in backward_by_layer(layers, data, 1 / task.parts):
                    new, before = _whole(layers[at]), sum(map(_whole, layers))
                    reduce_layer(list(layers[at].parameters()), pieces[at])
                    kept, left = sum(map(len, pieces)), sum(map(_whole, layers))
                    moments.append(Moment(at, kept, new, before - new, left))
            for at, layer in enumerate(layers):
                _update(trained_of(layer), rank, pieces[at], at, updates)
                layer.zero_grad(set_to_none=True)
            states.append(state_of(layers))
        return states, moments

    return run_ranks(body, task.ranks, [reduce_layer], seed=seed)


def state_of(layers: Sequence[Layer]) -> State:
    """All weights, as arrays."""
    return [one.detach().numpy().copy() for layer in layers for one in layer.parameters()]


def names_of(task: ChainTask) -> list[str]:
    """Names of what stands at each place of ``state_of``."""
    return [
        f"{name} of layer {at}"
        for at, layer in enumerate(build_chain(task))
        for name, _ in layer.named_parameters()
    ]


def piece_size(layer: Layer, ranks: int) -> int:
    """How many numbers of a layer's gradient each rank keeps, with padding."""
    return -(-size_of(layer) // ranks)


def size_of(layer: Layer) -> int:
    """How many weights of a layer are trained."""
    return sum(one.numel() for one in trained_of(layer))


def _whole(layer: Layer) -> int:
    return sum(one.grad.numel() for one in layer.parameters() if one.grad is not None)


@torch.no_grad()
def _update(
    weights: Sequence[Tensor], rank: int, gradient: Tensor, name: int, updates: Updates
) -> None:
    """Update this rank's piece of a layer, and gather it."""
    import torch.distributed as dist

    each = len(gradient)
    whole = torch.zeros(each * dist.get_world_size(), dtype=gradient.dtype)
    count = sum(one.numel() for one in weights)
    whole[:count] = torch.nn.utils.parameters_to_vector(weights)
    piece = whole[rank * each : (rank + 1) * each].clone()
    updates.update(name, piece, gradient)
    dist.all_gather_into_tensor(whole, piece)
    torch.nn.utils.vector_to_parameters(whole[:count], weights)
