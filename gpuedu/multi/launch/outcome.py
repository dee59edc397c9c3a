"""The outcome of a launch: the results, or the error that says what happened first."""

from __future__ import annotations

import contextlib
import signal
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gpuedu.clock import Waiting
from gpuedu.errors import AnswerError, DeadlockError
from gpuedu.multi.exchanges import Exchange, RankError
from gpuedu.multi.launch.agreement import disagreement
from gpuedu.multi.launch.rank import result_file
from gpuedu.multi.launch.watch import Watch


class LaunchError(AnswerError):
    """Ranks could not be started, or had to be ended."""


@dataclass(frozen=True)
class Launched:
    """The outcome of a launch's last attempt.

    ``results`` are by rank, ``exchanges`` in the order in which they ended; ``restarts`` says how
    often all ranks had to start again.
    """

    results: tuple[Any, ...]
    exchanges: tuple[Exchange, ...]
    restarts: int = 0


def outcome_of(folder: Path, ranks: int, watch: Watch, statuses: dict[int, int | None]) -> Launched:
    """The results of the last attempt, or the error that says what happened first."""
    import cloudpickle

    attempt = max((int(path.name.split("-")[1]) for path in folder.glob("calls-*")), default=0)
    found: dict[int, dict[str, Any]] = {}
    for rank in range(ranks):
        with contextlib.suppress(FileNotFoundError):
            raw = result_file(folder, attempt, rank).read_bytes()
            found[rank] = cloudpickle.loads(raw)
    differing = disagreement(folder, attempt, ranks)
    if differing is not None:
        raise differing
    if watch.reason not in ("", "left", "differing"):
        raise _ended(watch)
    failed = _first_failure(statuses if not watch.reason else {}, found, ranks)
    if failed is not None:
        raise failed
    exchanges = [one for rank in range(ranks) for one in found[rank]["exchanges"]]
    exchanges.sort(key=lambda one: (one.end_s, one.rank))
    results = tuple(found[rank]["value"] for rank in range(ranks))
    return Launched(results, tuple(exchanges), attempt)


def _ended(watch: Watch) -> AnswerError:
    """Why the watch ended the ranks."""
    standings = [one for one in watch.standings if one is not None]
    said = "; ".join(map(str, standings)) or "no rank had started"
    if watch.reason == "deadlock":
        waiting = tuple(
            Waiting(f"rank {one.rank}", str(one).partition(" waits in ")[2], one.since_s)
            for one in standings
            if one.state == "calls"
        )
        remedy = "Which rank should end each of these waits, and what is it waiting for?"
        return DeadlockError(f"no rank can go on: {said}", waiting=waiting, remedy=remedy)
    if watch.reason == "output":
        return LaunchError("a rank printed more than 64 MiB", remedy="Print less, on rank 0 alone.")
    return LaunchError(
        f"the ranks did not finish in time: {said}", remedy="A longer `time_limit_s`, or less work."
    )


def _first_failure(
    statuses: dict[int, int | None], found: dict[int, dict[str, Any]], ranks: int
) -> RankError | None:
    """A rank that was killed, else the one that failed first, else one that left no result."""
    for rank, status in sorted(statuses.items()):
        if status is not None and status < 0:
            name = signal.Signals(-status).name
            return RankError(f"rank {rank} was killed ({name})", rank=rank)
    faults = [(found[rank]["at"], rank) for rank in found if "fault" in found[rank]]
    if faults:
        _, rank = min(faults)
        own = found[rank]
        trace = f"\n\n{own['trace'].rstrip()}" if own["trace"] else ""
        return RankError(f"rank {rank} failed: {own['fault']}{trace}", rank=rank)
    missing = [rank for rank in range(ranks) if rank not in found]
    if missing:
        rank = missing[0]
        status = statuses.get(rank)
        how = "" if status is None else f" with exit status {status}"
        message = f"rank {rank} ended{how} before its function had returned"
        return RankError(message, rank=rank, remedy="Return from it: `os._exit` is not needed.")
    return None
