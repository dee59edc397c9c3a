"""Run a learner's function on light ranks, and tell what came of it in plain values."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gpuedu.clock import Timeline, Waiting
from gpuedu.errors import AnswerError, DeadlockError, GpueduError
from gpuedu.exercises.guard import learner_line
from gpuedu.exercises.training.quiet import quiet_torch
from gpuedu.exercises.training.unwritten import unwritten_is_nan
from gpuedu.multi.exchanges import Exchange, RankError
from gpuedu.multi.network import Cluster

_BY_HAND = ("send", "recv")
_PEER = re.compile(r" (?:to|from) rank (\d+)")
_TOLD = 3
_PLAIN = ["rank", "kind", "peer", "size_bytes", "posted_s", "start_s", "end_s", "line", "text"]
"""Fields of an exchange that a play returns: all but those that follow from the network."""


@dataclass(frozen=True)
class Call:
    """A rank's call of a collective, and the bytes that it gave."""

    rank: int
    kind: str
    size_bytes: int
    line: int = 0
    text: str = ""

    def __str__(self) -> str:
        at = f" (line {self.line}: `{self.text}`)" if self.text else ""
        return f"rank {self.rank} called `dist.{self.kind}`{at}"


@dataclass(frozen=True)
class Ranked:
    """What came of a run on light ranks.

    ``results`` holds what ``body`` returned, by rank; ``exchanges`` are in the order in which they
    ended; ``time_s`` is the simulated time of the whole run.
    """

    results: tuple[Any, ...]
    exchanges: tuple[Exchange, ...]
    timeline: Timeline
    time_s: float

    def plain(self) -> dict[str, Any]:
        """Exchanges and time as a play returns them; ``exchanges_of`` reads them."""
        rows = [[getattr(one, name) for name in _PLAIN] for one in self.exchanges]
        return {"exchanges": rows, "time_s": self.time_s}

    def traffic(self, *, is_timed: bool = True) -> dict[str, Any]:
        """What was exchanged, without when: the same however a mistake is written.

        - ``sends``: a row (from, to, bytes) for each message, sorted;
        - ``calls``: the calls of collectives, in the order in which they ended; ``calls_of`` reads
          them;
        - ``time_s``: the simulated time of the whole run, if ``is_timed``.
        """
        sends = [one for one in self.exchanges if one.kind == "send"]
        rows = sorted((one.rank, one.peer, one.size_bytes) for one in sends)
        calls = [
            json.dumps(vars(Call(one.rank, one.kind, one.size_bytes, one.line, one.text)))
            for one in self.exchanges
            if one.kind not in _BY_HAND
        ]
        table = np.array(rows, np.int64).reshape(-1, 3)
        time_s = {"time_s": self.time_s} if is_timed else {}
        return {"sends": table, "calls": calls, **time_s}


def run_ranks(
    body: Callable[[int], Any],
    ranks: int,
    answers: Sequence[Any],
    *,
    cluster: Cluster | None = None,
    seed: int | None = None,
) -> Ranked:
    """Call ``body(rank)`` on each light rank; it calls the learner's functions.

    Tensors that ``body`` hands to the learner should be each rank's own: light ranks share memory.
    What the learner's functions do not write of a ``torch.empty`` is NaN, and not what lay there.

    Args:
        body: calls the learner's function with what the rank has; what it returns should be plain.
        ranks: how many.
        answers: the learner's functions, in which ``torch.distributed`` means the network.
        cluster: where the ranks are; by default GPUs of one node, joined by NVLink 4.
        seed: of the order of ranks that could go on at the same instant.

    Raises:
        AnswerError: a rank failed; it names the rank, the exception and the learner's line.
        DeadlockError, CommunicationError: the ranks do not fit together; the former names ranks
            that wait and ranks that have returned.
    """
    import torch.distributed as dist

    from gpuedu.multi.light import run_light

    def on_rank() -> Any:
        return body(dist.get_rank())

    with quiet_torch(), unwritten_is_nan():
        try:
            run = run_light(on_rank, ranks, cluster=cluster, seed=seed, lend_to=answers)
        except RankError as failed:
            raise _told(failed) from failed.fault
        except DeadlockError as stuck:
            told, asks = tell_deadlock(stuck.waiting, ranks), _ask_of_deadlock(stuck.waiting, ranks)
            raise DeadlockError(told, waiting=stuck.waiting, remedy=asks) from None
    return Ranked(run.results, run.exchanges, run.timeline, run.time_s)


def exchanges_of(rows: Iterable[Sequence[Any]]) -> list[Exchange]:
    """The exchanges that a play returned as rows."""
    return [Exchange(**dict(zip(_PLAIN, row, strict=True))) for row in rows]


def calls_of(records: Iterable[str]) -> list[Call]:
    """The calls of collectives that a play returned as records."""
    return [Call(**json.loads(one)) for one in records]


def tell_deadlock(waiting: Sequence[Waiting], ranks: int) -> str:
    r"""Which ranks wait for what, and which have returned.

    >>> waiting = [Waiting(f"rank {rank}", f"a recv from rank {rank + 1}", 0.0) for rank in (0, 1)]
    >>> print(tell_deadlock(waiting, 3).replace("; ", "\n"))
    no rank can go on: rank 1 waits for a recv from rank 2
    rank 0 waits for a recv from rank 1
    rank 2 has returned
    """
    over = _returned(waiting, ranks)
    first = sorted(waiting, key=lambda one: _is_for_one_of(one, over), reverse=True)
    told = [f"{one.name} waits for {one.what}" for one in first[:_TOLD]]
    more = len(first) - _TOLD
    told += [f"and {more} more wait{'s' if more == 1 else ''}"] * (more > 0)
    if over:
        some = ", ".join(over[:_TOLD]) + (" and others" if len(over) > _TOLD else "")
        told.append(f"{some} {'has' if len(over) == 1 else 'have'} returned")
    return f"no rank can go on: {'; '.join(told)}"


def _returned(waiting: Sequence[Waiting], ranks: int) -> list[str]:
    stuck = {one.name for one in waiting}
    return [name for name in (f"rank {rank}" for rank in range(ranks)) if name not in stuck]


def _is_for_one_of(one: Waiting, names: Sequence[str]) -> bool:
    """Whether the other side of what a rank waits in is one of these ranks."""
    found = _PEER.search(one.what)
    return found is not None and f"rank {found[1]}" in names


def _ask_of_deadlock(waiting: Sequence[Waiting], ranks: int) -> str:
    """A question about ranks that wait, from what they wait in."""
    if all(one.what.startswith("a send") for one in waiting):
        over = _returned(waiting, ranks)
        if any(_is_for_one_of(one, over) for one in waiting):
            return (
                "A send ends when its receive is called, and a rank that has returned calls none. "
                "Should this message be sent at all? If so, where does that rank receive it?"
            )
        return (
            "Every rank that waits is in a send, which ends when its receive is called. Which rank "
            "receives, and when does it get there? (`isend` starts to send, and goes on.)"
        )
    if all(one.what.startswith("a recv") for one in waiting):
        return "Every rank that waits is in a receive. Which rank should send, and when?"
    if all(one.what.startswith("the others in collective") for one in waiting):
        if len(waiting) < ranks:
            return (
                "A collective ends when all ranks have come to it. Which collectives does a rank "
                "that has returned call, and which one that waits?"
            )
        return "Which collectives does each rank call, in which order, and in which groups?"
    return "Take one of them: which call of which rank would end its wait?"


def _told(failed: RankError) -> AnswerError:
    """The failure with the learner's line, as a check tells every exception of theirs."""
    fault, remedy = failed.fault, ""
    if isinstance(fault, GpueduError):
        remedy = fault.remedy
        if isinstance(fault, AnswerError):
            return AnswerError(f"rank {failed.rank}: {fault.message}", remedy=remedy)
    where = learner_line(fault) if fault is not None else ""
    return AnswerError(f"{failed.message}{', ' + where if where else ''}", remedy=remedy)
