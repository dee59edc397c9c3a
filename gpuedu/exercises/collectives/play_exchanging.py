"""Plays of the lesson collectives on collectives made of sends and receives: the first half."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from gpuedu.exercises.collectives.collective_runs import collect, two_machines
from gpuedu.exercises.contract import Inputs


def tensors_of(inputs: Inputs) -> list[torch.Tensor]:
    """Each rank's tensor: a row of ``values``, in the case's shape and dtype."""
    dtype, shape = getattr(torch, inputs["dtype"]), tuple(inputs["shape"])
    return [torch.tensor(row).to(dtype).reshape(shape) for row in inputs["values"]]


def play_in_place(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """What each rank's tensor is after a collective over all ranks."""
    (collective,) = answers
    cluster = two_machines(inputs["ranks"]) if inputs["on_two"] else None
    found = collect(collective, tensors_of(inputs), late=inputs["late"], cluster=cluster)
    return found.plain(inputs["shape"])


LIMIT_S = 40.0
"""For all cases together; they take about one second. Ranks are threads that take turns over a
thousand times, and on a busy machine each turn may have to wait."""


X = ("x",)
