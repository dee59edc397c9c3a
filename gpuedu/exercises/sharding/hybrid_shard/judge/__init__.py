"""hybrid-shard: pieces inside a node, copies of them across."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from functools import lru_cache

import numpy as np

from gpuedu.exercises.contract import Case, Fault, Inputs, Judge, Plain, Prediction, Property
from gpuedu.exercises.ranks.properties import (
    Held,
    right_on_ranks,
    undecided_if_silent,
    undecided_if_wrong,
)
from gpuedu.exercises.sharding.fsdp.fsdp_runs import FsdpTask
from gpuedu.exercises.sharding.fsdp.layers_alone import train_whole_layers, whole_from
from gpuedu.exercises.sharding.hybrid_shard.hybrid_runs import (
    HybridTask,
    across_bytes,
    inside_bytes,
)
from gpuedu.units import MS, format_size

REL = 1e-9
_RATE = 1e8
"""Bytes a second inside a node."""


def cases(rng: np.random.Generator) -> list[Case]:
    """One to four nodes of two to four ranks; layers that divide by a node's ranks and others."""
    seeds = iter(rng.integers(2**20, size=32).tolist())

    def draw(
        nodes: int, per_node: int, *decides: str, widths: tuple[int, ...] = (), steps: int = 2
    ) -> Case:
        ranks, label = nodes * per_node, f"{_count(nodes, 'node')} of {_count(per_node, 'rank')}"
        widths = widths or tuple(rng.integers(4, 8, size=4).tolist())
        times_s = (0.01 * MS,) * (len(widths) - 1)
        layers = FsdpTask(widths, times_s, ranks, 1e-6, _RATE, steps=steps, seed=next(seeds))
        task = {"layers": asdict(layers), "per_node": per_node}
        return Case(label, {"task": task, "seed": next(seeds)}, decides)

    even = (5, 6, 12, 6)
    return [
        draw(2, 2, "equal", "across", "inside", widths=even),
        draw(2, 3, "equal", "across", "inside", widths=even),
        draw(3, 2, "equal", "across", "inside", widths=even),
        draw(4, 2, "equal", "across", "inside", widths=even),
        draw(2, 4, "ragged", "across", "inside", widths=(4, 5, 7, 3)),
        draw(3, 3, "ragged", "across", widths=(6, 5, 4)),
        draw(1, 4, "equal", "inside", widths=(5, 8, 4, 4)),
        draw(3, 1, "equal", "across"),
    ]


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'s' * (number != 1)}"


@lru_cache(maxsize=64)
def _whole(layers: FsdpTask) -> list[np.ndarray]:
    return train_whole_layers(layers)


def _steps(inputs: Inputs, observed: Plain) -> Iterable[Held]:
    task = HybridTask.of(inputs["task"])
    ends = np.cumsum(task.layers.counts)[:-1]
    for number, wanted in enumerate(_whole(task.layers)):
        room = REL * np.abs(wanted).max()
        for node in range(task.nodes):
            first = node * task.per_node
            ranks = observed["pieces"][first : first + task.per_node, number]
            got = whole_from(list(ranks), task.in_node)
            parts = zip(np.split(got, ends), np.split(wanted, ends), strict=True)
            for layer, (mine, true) in enumerate(parts):
                where = f"after step {number + 1}, on node {node}, of layer {layer}"
                yield Held(where, "weights", mine, true, room)


def _test_across(case: Case, observed: Plain) -> Iterable[Fault]:
    task = HybridTask.of(case.inputs["task"])
    most = across_bytes(task)
    yield from undecided_if_silent("across", task.nodes, observed["sent"][:, 1].sum())
    for rank, (_, across) in enumerate(observed["sent"].tolist()):
        if across > most:
            yield Fault(
                "across",
                f"in a step, rank {rank} sends {format_size(across)} to other nodes; to all-reduce "
                f"its pieces of the gradients over {task.nodes} nodes takes {format_size(most)}",
            )
            return


def _test_inside(case: Case, observed: Plain) -> Iterable[Fault]:
    task = HybridTask.of(case.inputs["task"])
    sent, least = observed["sent"][:, 0].sum(), task.layers.ranks * inside_bytes(task)
    if sent == least:
        return
    told = (
        f"in a step, all ranks send {format_size(sent)} inside their nodes; to gather each layer "
        f"twice there and to reduce it once takes {format_size(least)}"
    )
    yield Fault("inside", told if sent > least else f"{told}: some weights were kept")


JUDGE = Judge(
    title="Shard inside, replicate across",
    properties=(
        right_on_ranks(
            "equal",
            "after every step each node has the weights of one process with the whole batch",
            2,
            _steps,
            asks="Over which ranks does each collective go, and over which samples is the mean?",
        ),
        right_on_ranks(
            "ragged",
            "and where the ranks of a node don't divide a layer evenly",
            1,
            _steps,
            asks="If it is right where they divide it: where does each rank's piece start and end, "
            "and where is the padding?",
        ),
        Property(
            "across",
            "no rank sends more to other nodes than an all-reduce of its pieces",
            2,
            "How large is the tensor that each rank hands over to other nodes, and how often?",
            undecided_if_wrong("across", _steps, _test_across),
        ),
        Property(
            "inside",
            "inside a node, weights are gathered twice and gradients reduced once",
            1,
            "What does a rank need of its node's gradients, and what of its weights?",
            undecided_if_wrong("inside", _steps, _test_inside),
        ),
    ),
    hints=(
        "Each rank is in two groups: the ranks of its node, and the ranks at its place in all "
        "nodes. Which of the two has every piece of a layer, and which has copies of one piece?",
        "Make all groups on all ranks, and keep the two that the rank is in. Weights are gathered "
        "in the node's group alone. The gradient is first reduce-scattered in the node's group. "
        "Then the ranks with the same place add up what they have.",
        "`nodes = [dist.new_group(range(first, first + per_node)) for first in range(0, ranks, "
        "per_node)]`, `places = [dist.new_group(range(place, ranks, per_node)) for place in "
        "range(per_node)]`; return `nodes[rank // per_node], places[rank % per_node]`. To reduce: "
        "pad, `dist.reduce_scatter_tensor(piece, whole, group=node)`, `dist.all_reduce(piece, "
        "group=place)`, and divide by all ranks.",
    ),
    cases=cases,
    seeds=3,
    predictions={
        "hybrid-shard": Prediction(
            "2 nodes of 8 GPUs, each GPU with its own network card to the other node. Fully "
            "sharded over all 16, each collective is one ring through all of them. What does the "
            "busiest card send then, divided by what it sends with hybrid sharding?",
            truth=22.5,
            unit="times",
            because="Three collectives send 15/16 of the layer's bytes each, and the ring leaves a "
            "node through one card: 2.8 layers. With hybrid sharding, each card sends half "
            "of an eighth of a layer twice: 1/8 of a layer.",
        ),
    },
)
