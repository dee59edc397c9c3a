"""A training run that saves at intervals and is interrupted by failures, as a simulation.

What it simplifies: a failure stops the whole run at once, a machine to replace it is ready, and
restarts and saves always take equally long.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

RESTART, SAVE, KEPT, LOST = "restart", "save", "kept", "lost"


@dataclass(frozen=True)
class Saving:
    """What a save and a restart cost, in seconds.

    Attributes:
        save_s: Training stops for so long for each save.
        write_s: After that it goes on, and so much later the checkpoint is written. A run can't go
            back to it before.
        restart_s: From a failure until the run trains again.
    """

    save_s: float
    write_s: float
    restart_s: float


@dataclass(frozen=True)
class Stretch:
    """What the run did from ``start_s`` to ``end_s``: RESTART, SAVE, KEPT or LOST.

    LOST is training that was done before a failure and wasn't in a written checkpoint.
    """

    kind: str
    start_s: float
    end_s: float


def interrupted_run(interval_s: float, saving: Saving, gaps_s: Iterable[float]) -> list[Stretch]:
    """All that a run does, from a start until the last of its failures.

    Args:
        interval_s: It trains for so long between two saves, more than 0 s and at least
            ``saving.write_s``.
        saving: Costs.
        gaps_s: The time to the first failure, and from each to the next. They may come at any
            moment: during a restart or a save, too.

    >>> run = interrupted_run(60, Saving(5, 10, 20), [100, 15])
    >>> [(one.kind, one.start_s, one.end_s) for one in run]
    [('restart', 0.0, 20.0), ('kept', 20.0, 80.0), ('save', 80.0, 85.0), ('lost', 85.0, 100.0),
     ('restart', 100.0, 115.0)]
    """
    if interval_s <= 0 or interval_s < saving.write_s:
        raise ValueError(f"the interval is {interval_s} s, with {saving.write_s} s for writing")
    done: list[Stretch] = []
    start_s = 0.0
    for gap_s in gaps_s:
        done += _until_failure(interval_s, saving, start_s, start_s + gap_s)
        start_s += gap_s
    return done


def _until_failure(
    interval_s: float, saving: Saving, start_s: float, failure_s: float
) -> list[Stretch]:
    """From one failure to the next."""
    done = [Stretch(RESTART, start_s, min(start_s + saving.restart_s, failure_s))]
    now_s, snapshots_s = done[0].end_s, []
    while now_s < failure_s:
        trained_s = min(now_s + interval_s, failure_s)
        done.append(Stretch(KEPT, now_s, trained_s))
        now_s = min(trained_s + saving.save_s, failure_s)
        if now_s > trained_s:
            done.append(Stretch(SAVE, trained_s, now_s))
        if now_s == trained_s + saving.save_s and trained_s < failure_s:
            snapshots_s.append(now_s)
    written_s = [one for one in snapshots_s if one + saving.write_s <= failure_s]
    safe_s = written_s[-1] if written_s else start_s
    return [_lost(one) if one.kind == KEPT and one.end_s > safe_s else one for one in done]


def _lost(stretch: Stretch) -> Stretch:
    return Stretch(LOST, stretch.start_s, stretch.end_s)
