"""Drawings of programs that wait: what came of each, who waits for whom, halos that are swapped."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np

from gpuedu.errors import AnswerError, DeadlockError
from gpuedu.exercises.collectives.exchanging_pictures import draw_run, name_of
from gpuedu.exercises.collectives.who_waits.play import LINK, swap
from gpuedu.exercises.ranks import run_ranks
from gpuedu.figures.caption import Caption
from gpuedu.figures.exchanges import plot_exchanges
from gpuedu.figures.waits import in_a_circle, plot_waits
from gpuedu.units import US

RANKS = 4
_HALO_RANKS, _HALO_WIDTH = 6, 100
_PEER = re.compile(r"a (?P<kind>send|recv) of .*? (?:to|from) rank (?P<peer>\d+)")
_MEETING = re.compile(r"the others in collective (?P<number>\d+)")
_LINE = re.compile(r"\(line \d+: `(?P<text>.*)`\)")
Answer = Callable[..., Any]


def tell_programs(outcomes: dict[str, Any], *programs: Answer) -> str:
    """What comes of each program on four ranks, a few lines each, with what the learner said."""
    return "\n".join(_tell(program, outcomes) for program in programs)


def _tell(program: Answer, outcomes: dict[str, Any]) -> str:
    name = name_of(program)
    said = outcomes.get(name)
    name = f'{name} (you: "{said}")' if type(said) is str else name
    results: dict[int, Any] = {}

    def body(rank: int) -> None:
        results[rank] = program()

    try:
        run = run_ranks(body, RANKS, [program])
    except DeadlockError as fault:
        waits = [f"  {one.name} waits for {one.what}" for one in fault.waiting]
        return "\n".join([f"{name}: no rank can go on", *waits])
    except AnswerError as fault:
        return f"{name}: {fault.message}"
    told = "; ".join(f"rank {rank} {str(results[rank])[:30]}" for rank in sorted(results))
    return f"{name}: ends after {run.time_s / US:.1f} µs (simulated). It returns: {told}"


def waits_of(fault: DeadlockError) -> tuple[dict[int, list[int]], dict[int, str]]:
    """Whom each rank waits for, and in which line.

    Who waits in a collective waits for all that are not in the same one.
    """
    ranks = {int(one.name.removeprefix("rank ")): one.what for one in fault.waiting}
    meetings = {rank: found[1] for rank, what in ranks.items() if (found := _MEETING.match(what))}
    waits = {}
    for rank, what in ranks.items():
        if found := _PEER.match(what):
            waits[rank] = [int(found["peer"])]
        else:
            here = meetings.get(rank)
            waits[rank] = [one for one in range(RANKS) if one != rank and meetings.get(one) != here]
    notes = {rank: found["text"] for rank, what in ranks.items() if (found := _LINE.search(what))}
    return waits, notes


def draw_waits(answered: dict[Any, Any], program: Answer) -> Any:
    """Who waits for whom in a program on four ranks; its messages, if it ends.

    Only the fact that something is in ``answered`` counts: nothing is shown before.
    """
    try:
        run_ranks(lambda rank: program() and None, RANKS, [program])
    except DeadlockError as fault:
        waits, notes = waits_of(fault)
        circle = sorted(in_a_circle(waits))
        told = "; ".join(
            f"rank {rank} waits for {others}" for rank, others in sorted(waits.items())
        )
        caption = Caption(
            title=f"{name_of(program)}: who waits for whom",
            source=f"{RANKS} light ranks. Dark: ranks that wait for each other in a circle.",
            alt=f"Who waits for whom when no rank can go on: {told}. In a circle: {circle}.",
        )
        return plot_waits(waits, ranks=RANKS, notes=notes, caption=caption)
    except AnswerError as fault:
        return f"{name_of(program)}: {fault.message}"
    return draw_run(program, RANKS)


def draw_halos(swap_halos: Answer) -> Any:
    """The learner's exchange of halos on six ranks, or who waits for whom."""
    pieces = np.arange(_HALO_RANKS * 2 * _HALO_WIDTH, dtype=float)
    try:
        run = swap(swap_halos, pieces.reshape(_HALO_RANKS, 2, _HALO_WIDTH)).run
    except DeadlockError as fault:
        waits = "\n".join(f"  {one.name} waits for {one.what}" for one in fault.waiting)
        return f"No rank can go on:\n{waits}"
    except AnswerError as fault:
        return f"{name_of(swap_halos)}: {fault.message}"
    messages = f"{run.time_s / LINK.latency_s:.3g}"
    many = "message" if messages == "1" else "messages"
    sends = [one for one in run.exchanges if one.kind == "send"]
    told = "; ".join(f"rank {one.rank} to {one.peer} at {one.start_s / US:.0f} µs" for one in sends)
    caption = Caption(
        title=f"{name_of(swap_halos)} on {_HALO_RANKS} ranks: as long as {messages} {many}",
        x="simulated time",
        source="Simulated: a message takes 1 µs, whatever its size.",
        alt=f"Sends and receives of {_HALO_RANKS} ranks in a line. {told or 'Nothing was sent'}.",
    )
    return plot_exchanges(run.exchanges, caption=caption, ranks=_HALO_RANKS)
