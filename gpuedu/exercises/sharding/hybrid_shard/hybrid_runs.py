"""Steps on light ranks in nodes, each of which keeps all weights once, in pieces."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from torch import Tensor

from gpuedu.exercises.ranks import Ranked, run_ranks
from gpuedu.exercises.ranks.buffers import Buffers
from gpuedu.exercises.sharding.fsdp.flat_layers import FlatLayers, make_weights
from gpuedu.exercises.sharding.fsdp.fsdp_runs import SIZE, FsdpTask, batch_of, pieces_of
from gpuedu.exercises.training.tensors import as_array
from gpuedu.multi.network import Cluster, Link

SLOWER = 9
"""Times as slow as inside a node is what goes to another one."""


@dataclass(frozen=True)
class HybridTask:
    """Steps of plain gradient descent on ranks in nodes.

    Attributes:
        layers: what is trained, on how many ranks; its link is that inside a node.
        per_node: ranks in a node; they divide the ranks.
    """

    layers: FsdpTask
    per_node: int

    @classmethod
    def of(cls, fields: dict[str, Any]) -> HybridTask:
        """From what a case holds."""
        return cls(FsdpTask.of(fields["layers"]), fields["per_node"])

    @property
    def nodes(self) -> int:
        """How many there are."""
        return self.layers.ranks // self.per_node

    @property
    def in_node(self) -> FsdpTask:
        """The same training, whose pieces are those of one node."""
        return replace(self.layers, ranks=self.per_node)

    @property
    def cluster(self) -> Cluster:
        """Where the ranks are: each has a card of its own to other nodes."""
        within, ranks = self.layers.link, self.layers.ranks
        across = Link("made up", within.latency_s, within.bytes_per_s / SLOWER)
        return Cluster(ranks, within, across, self.per_node)


@dataclass(frozen=True)
class Sent:
    """Bytes that a rank sends in a step: to ranks of its node, and to others."""

    inside: float
    across: float


def train_hybrid(
    answers: Sequence[Callable[..., Any]], task: HybridTask, seed: int | None = None
) -> Ranked:
    """Train on light ranks; ``results`` are each rank's pieces after every step, in a row.

    Args:
        answers: ``make_groups(per_node)``, ``gather_weights(piece, groups)`` and
            ``reduce_gradient(gradient, groups)``.
        task: what is trained, where.
        seed: of the order of ranks that could go on at the same instant.
    """
    make_groups, gather_weights, reduce_gradient = answers
    trained, counts = task.layers, task.layers.counts
    start, sizes = make_weights(trained.widths, trained.seed), task.in_node.pieces

    def body(rank: int) -> list[np.ndarray]:
        pieces = pieces_of(start, task.in_node, rank % task.per_node)
        groups, after = make_groups(task.per_node), []

        def whole(layer: int, memory: Buffers) -> Tensor:
            padded = (task.per_node * sizes[layer],)
            name = f"what `gather_weights` returned for layer {layer}"
            found = as_array(gather_weights(pieces[layer].clone(), groups), padded, name)
            return memory.allocate(padded[0]).copy_(torch.tensor(found))

        for number in range(trained.steps):
            memory = Buffers()
            layers = FlatLayers(
                trained.widths, trained.times_s, memory, batch_of(trained, number, rank)
            )
            for layer in range(len(counts)):
                layers.forward(layer, whole(layer, memory))
            for layer in reversed(range(len(counts))):
                gradient = memory.allocate(counts[layer])
                layers.backward(layer, whole(layer, memory), gradient)
                name = f"what `reduce_gradient` returned for layer {layer}"
                found = reduce_gradient(gradient.clone(), groups)
                mean = torch.tensor(as_array(found, (sizes[layer],), name))
                pieces[layer] = pieces[layer] - trained.rate * mean
            after.append(torch.cat(pieces).numpy())
        return after

    return run_ranks(body, trained.ranks, answers, cluster=task.cluster, seed=seed)


def sent_by_rank(run: Ranked, task: HybridTask) -> list[Sent]:
    """What each rank sends in a step."""
    found = []
    for rank in range(task.layers.ranks):
        mine = [one for one in run.exchanges if one.rank == rank]
        across = sum(one.across_bytes for one in mine)
        inside = sum(one.wire_bytes for one in mine) - across
        found.append(Sent(inside / task.layers.steps, across / task.layers.steps))
    return found


def inside_bytes(task: HybridTask) -> int:
    """What a rank sends inside its node: each layer gathered twice, and reduced once."""
    return 3 * (task.per_node - 1) * SIZE * sum(task.in_node.pieces)


def across_bytes(task: HybridTask) -> int:
    """The most that a rank has to send to other nodes: an all-reduce of each of its pieces."""
    return sum(2 * (task.nodes - 1) * -(-SIZE * each // task.nodes) for each in task.in_node.pieces)
