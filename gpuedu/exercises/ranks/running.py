"""Run a learner's function on light ranks, and tell what came of it in plain values."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from gpuedu.clock import Timeline
from gpuedu.errors import AnswerError, GpueduError
from gpuedu.exercises.guard import learner_line
from gpuedu.exercises.training.quiet import quiet_torch
from gpuedu.multi.exchanges import Exchange, RankError
from gpuedu.multi.network import Cluster


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
        rows = [list(vars(one).values()) for one in self.exchanges]
        return {"exchanges": rows, "time_s": self.time_s}


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

    Args:
        body: calls the learner's function with what the rank has; what it returns should be plain.
        ranks: how many.
        answers: the learner's functions, in which ``torch.distributed`` means the network.
        cluster: where the ranks are; by default GPUs of one node, joined by NVLink 4.
        seed: of the order of ranks that could go on at the same instant.

    Raises:
        AnswerError: a rank failed; it names the rank, the exception and the learner's line.
        DeadlockError, CommunicationError: the ranks do not fit together.
    """
    import torch.distributed as dist

    from gpuedu.multi.light import run_light

    def on_rank() -> Any:
        return body(dist.get_rank())

    with quiet_torch():
        try:
            run = run_light(on_rank, ranks, cluster=cluster, seed=seed, lend_to=answers)
        except RankError as failed:
            raise _told(failed) from failed.fault
    return Ranked(run.results, run.exchanges, run.timeline, run.time_s)


def exchanges_of(rows: Iterable[Sequence[Any]]) -> list[Exchange]:
    """The exchanges that a play returned as rows."""
    return [Exchange(*row) for row in rows]


def _told(failed: RankError) -> AnswerError:
    """The failure with the learner's line, as a check tells every exception of theirs."""
    fault, remedy = failed.fault, ""
    if isinstance(fault, GpueduError):
        remedy = fault.remedy
        if isinstance(fault, AnswerError):
            return AnswerError(f"rank {failed.rank}: {fault.message}", remedy=remedy)
    where = learner_line(fault) if fault is not None else ""
    return AnswerError(f"{failed.message}{', ' + where if where else ''}", remedy=remedy)
