"""Plays of the lesson collectives on collectives made of sends and receives: the first half."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch

from gpuedu.exercises.collectives.collective_runs import collect, two_machines
from gpuedu.exercises.contract import Answer, Play

Inputs = Mapping[str, Any]


def tensors_of(inputs: Inputs) -> list[torch.Tensor]:
    """Each rank's tensor: a row of ``values``, in the case's shape and dtype."""
    dtype, shape = getattr(torch, inputs["dtype"]), tuple(inputs["shape"])
    return [torch.tensor(row).to(dtype).reshape(shape) for row in inputs["values"]]


def play_broadcast_tree(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """What each rank holds after a broadcast from the root."""
    (broadcast_tree,) = answers
    found = collect(broadcast_tree, tensors_of(inputs), inputs["root"], late=inputs["late"])
    return found.plain(inputs["shape"])


def play_in_place(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """What each rank's tensor is after a collective over all ranks."""
    (collective,) = answers
    cluster = two_machines(inputs["ranks"]) if inputs["on_two"] else None
    found = collect(collective, tensors_of(inputs), late=inputs["late"], cluster=cluster)
    return found.plain(inputs["shape"])


LIMIT_S = 40.0
"""For all cases together; they take about one second. Ranks are threads that take turns over a
thousand times, and on a busy machine each turn may have to wait."""
_X = ("x",)
EXCHANGING_PLAYS = {
    "broadcast-tree": Play(
        (Answer("broadcast_tree", signature=("x", "root")),),
        play_broadcast_tree,
        LIMIT_S,
        observes="messages between simulated ranks",
    ),
    "reduce-scatter": Play(
        (Answer("reduce_scatter", signature=_X),),
        play_in_place,
        LIMIT_S,
        observes="messages between simulated ranks",
    ),
    "all-gather": Play(
        (Answer("all_gather", signature=_X),),
        play_in_place,
        LIMIT_S,
        observes="messages between simulated ranks",
    ),
    "ring-all-reduce": Play(
        (Answer("ring_all_reduce", signature=_X),),
        play_in_place,
        LIMIT_S,
        observes="messages between simulated ranks",
    ),
}
