"""who-waits: beside the learner's code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from gpuedu.errors import AnswerError
from gpuedu.exercises.contract import Answer, Inputs, Play
from gpuedu.exercises.plain import describe, text
from gpuedu.exercises.ranks.in_place import InPlace, call_in_place
from gpuedu.exercises.training.tensors import as_array
from gpuedu.multi.exchanges import CommunicationError
from gpuedu.multi.network import Cluster, Link

PROGRAMS = ("around", "along", "report", "clip", "two_sums", "relay")
OUTCOMES = ("ends", "deadlock", "disagree", "wrong numbers")
LINK = Link("1 µs, whatever the size", 1e-6, 1e18)
"""So that messages which are under way together do not queue for a port, in whatever order."""
_LINE = "The ranks stand in a line: the first has nobody above it, the last nobody below."
UNTOUCHED = -7.0
"""In a place that nobody should receive into."""


def play_who_waits(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """What the learner read in the programs, or what their ``swap_halos`` does."""
    outcomes, waits_for, swap_halos = answers
    if inputs["ask"] == "outcomes":
        return {name: _outcome(outcomes, name) for name in PROGRAMS}
    if inputs["ask"] == "waits":
        return {"got": _ranks_of(waits_for, inputs["ranks"])}
    pieces = inputs["pieces"]
    found = swap(swap_halos, pieces)
    row = pieces.shape[2:]
    shapes = {"piece": pieces.shape[1:], "above": row, "below": row}
    parts = zip(shapes.items(), zip(*found.tensors, strict=True), strict=True)
    held = {
        name: np.stack([as_array(one, shape, f"`{name}`") for one in ranks])
        for (name, shape), ranks in parts
    }
    return {**held, "time_s": found.run.time_s}


def _outcome(outcomes: dict[str, Any], name: str) -> str:
    wanted = ", ".join(f'"{one}"' for one in OUTCOMES)
    if name not in outcomes or outcomes[name] is ...:
        raise AnswerError(f'`outcomes["{name}"]` is not filled in', remedy=f"one of {wanted}")
    found = text(outcomes[name], f'`outcomes["{name}"]`')
    if found not in OUTCOMES:
        raise AnswerError(f'`outcomes["{name}"]` is "{found}"', remedy=f"one of {wanted}")
    return found


def _ranks_of(waits_for: dict[Any, Any], ranks: int) -> list[int]:
    found = []
    for rank in range(ranks):
        value = waits_for.get(rank, ...)
        is_whole = isinstance(value, int | np.integer) and type(value) is not bool
        if not is_whole or not 0 <= value < ranks:
            told = "not there" if value is ... else describe(value)
            raise AnswerError(
                f"`waits_for[{rank}]` is {told}",
                remedy=f"For each of the ranks 0 to {ranks - 1}, the rank that it waits for.",
            )
        found.append(int(value))
    return found


def swap(swap_halos: Any, pieces: np.ndarray) -> InPlace:
    """Call ``swap_halos`` on as many ranks as there are pieces."""
    ranks, _, width = pieces.shape
    tensors = [torch.tensor(piece) for piece in pieces]
    halos = [[one.new_full((width,), UNTOUCHED) for _ in "ab"] for one in tensors]
    given = [(one, *two) for one, two in zip(tensors, halos, strict=True)]
    try:
        return call_in_place(swap_halos, given, cluster=Cluster(ranks, LINK))
    except CommunicationError as fault:
        if fault.message.startswith("there is no rank"):
            raise CommunicationError(fault.message, remedy=_LINE) from None
        raise


PLAY = Play(
    (
        Answer("outcomes", dict),
        Answer("waits_for", dict),
        Answer("swap_halos", signature=("piece", "above", "below")),
    ),
    play_who_waits,
)
