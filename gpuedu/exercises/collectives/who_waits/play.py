"""who-waits: beside the learner's code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from gpuedu.errors import AnswerError, DeadlockError
from gpuedu.exercises.collectives.collective_runs import tell_unfit
from gpuedu.exercises.contract import Answer, Inputs, Play
from gpuedu.exercises.plain import describe, text
from gpuedu.exercises.ranks import run_ranks
from gpuedu.exercises.training.tensors import as_array
from gpuedu.multi.exchanges import CommunicationError
from gpuedu.multi.network import Cluster, Link

PROGRAMS = ("around", "along", "report", "clip", "two_sums", "relay")


OUTCOMES = ("ends", "deadlock", "disagree", "wrong numbers")


LINK = Link("1 µs, whatever the size", 1e-6, 1e18)
"""So that messages which are under way together do not queue for a port, in whatever order."""


_LINE = "The ranks stand in a line: the first has nobody above it, the last nobody below."


UNTOUCHED = -7.0
"""What stands in a place that nobody should receive into."""


def play_who_waits(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """What the learner read in the programs, or what their ``swap_halos`` does."""
    outcomes, waits_for, swap_halos = answers
    if inputs["ask"] == "outcomes":
        return {name: _outcome(outcomes, name) for name in PROGRAMS}
    if inputs["ask"] == "waits":
        return {"got": _ranks_of(waits_for, inputs["ranks"])}
    return swap(swap_halos, inputs["pieces"])


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
        if type(value) is not int or not 0 <= value < ranks:
            told = "not there" if value is ... else describe(value)
            raise AnswerError(
                f"`waits_for[{rank}]` is {told}",
                remedy=f"For each of the ranks 0 to {ranks - 1}, the rank that it waits for.",
            )
        found.append(value)
    return found


def swap(swap_halos: Any, pieces: np.ndarray) -> dict[str, Any]:
    """Call ``swap_halos`` on as many ranks as there are pieces; tensors before and after."""
    ranks, _, width = pieces.shape
    over: set[int] = set()

    def body(rank: int) -> list[np.ndarray]:
        piece = torch.tensor(pieces[rank])
        above, below = (torch.full((width,), UNTOUCHED, dtype=torch.float64) for _ in range(2))
        swap_halos(piece, above, below)
        over.add(rank)
        # What is still on its way when the function returns would find this.
        kept = [one.detach().clone() for one in (piece, above, below)]
        piece.fill_(float("nan"))
        shapes = (pieces.shape[1:], (width,), (width,))
        return [as_array(one, shape) for one, shape in zip(kept, shapes, strict=True)]

    try:
        run = run_ranks(body, ranks, [swap_halos], cluster=Cluster(ranks, LINK))
    except DeadlockError as fault:
        raise DeadlockError(fault.message, waiting=fault.waiting, remedy=_why(fault)) from None
    except CommunicationError as fault:
        if fault.message.startswith("there is no rank"):
            raise CommunicationError(fault.message, remedy=_LINE) from None
        raise tell_unfit(fault, over) from None
    parts = [np.stack(one) for one in zip(*run.results, strict=True)]
    names = ("piece", "above", "below")
    return {**dict(zip(names, parts, strict=True)), **run.plain()}


def _why(fault: DeadlockError) -> str:
    if all(one.what.startswith("a send") for one in fault.waiting):
        return (
            "All who wait are in a send. A send ends when its receive is called; `isend` begins to "
            "send, and goes on."
        )
    return (
        "Take one of them: which call of which rank would end its wait? What does that rank wait "
        "for instead?"
    )


PLAY = Play(
    (
        Answer("outcomes", dict),
        Answer("waits_for", dict),
        Answer("swap_halos", signature=("piece", "above", "below")),
    ),
    play_who_waits,
    observes="messages between simulated ranks",
)
