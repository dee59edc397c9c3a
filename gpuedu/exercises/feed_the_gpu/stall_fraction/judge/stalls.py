"""When steps are done, by recurrence and as known mistakes give it, for stall-fraction."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gpuedu.exercises.compare import Misconception
from gpuedu.exercises.feed_the_gpu.feeding import feed_in_turn


def schedule(loads_s: Sequence[float], computes_s: Sequence[float], depth: float) -> list[float]:
    """When each step is done, by recurrence; ``depth`` may be infinite, or 0 for a handover."""
    entered, taken, done = [], [], []
    for i, (load_s, compute_s) in enumerate(zip(loads_s, computes_s, strict=True)):
        room_s = taken[i - int(depth)] if i >= depth > 0 else 0.0
        entered.append(max((entered[-1] if entered else 0.0) + load_s, room_s))
        taken.append(max(entered[-1], done[-1] if done else 0.0))
        done.append(taken[-1] + compute_s)
        if depth == 0:
            entered[-1] = taken[-1]
    return done


def stall_of(done_s: Sequence[float], computes_s: Sequence[float]) -> float:
    """Share of the time until the last step is done in which the device waits."""
    return 1 - sum(computes_s) / done_s[-1]


def _in_turn(loads_s: Sequence[float], computes_s: Sequence[float], **_: Any) -> list[float]:
    return list(feed_in_turn(loads_s, computes_s).done_s)


def _longer_ones(loads_s: Sequence[float], computes_s: Sequence[float], **_: Any) -> list[float]:
    """Step by step the longer of the two, as if each step began together."""
    longer = [max(pair) for pair in zip(loads_s, computes_s, strict=True)]
    return np.cumsum(longer).tolist()


def _never_starved(loads_s: Sequence[float], computes_s: Sequence[float], **_: Any) -> list[float]:
    return (loads_s[0] + np.cumsum(computes_s)).tolist()


def _from_step_begin(
    loads_s: Sequence[float], computes_s: Sequence[float], **_: Any
) -> list[float]:
    """The loader begins a batch when the step before begins: it makes one ahead at most."""
    begun, done = [loads_s[0]], [loads_s[0] + computes_s[0]]
    for load_s, compute_s in zip(loads_s[1:], computes_s[1:], strict=True):
        begun.append(max(begun[-1] + load_s, done[-1]))
        done.append(begun[-1] + compute_s)
    return done


DONE = (
    Misconception(_in_turn, "That is one after the other. What does the loader do meanwhile?"),
    Misconception(
        _longer_ones,
        "That takes the longer of the two in every step by itself. A loader that is fast for a "
        "while gets ahead: where do those batches wait?",
    ),
    Misconception(
        _never_starved,
        "That waits for the first batch alone. What if a later batch comes late?",
    ),
    Misconception(
        lambda loads_s, computes_s, depth: schedule(loads_s, computes_s, len(loads_s)),
        "That is with a queue that is never full. When may batch i go into a queue of `depth` "
        "places? Which batch must have left it?",
    ),
    Misconception(
        lambda loads_s, computes_s, depth: schedule(loads_s, computes_s, depth + 1),
        "That is with one place more. When batch i goes in, which batch must have been taken?",
    ),
    Misconception(
        lambda loads_s, computes_s, depth: schedule(loads_s, computes_s, depth - 1),
        "That is with one place less: as if the batch that the loader holds stood in the queue.",
    ),
    Misconception(
        _from_step_begin,
        "There the loader begins a batch only when the step before begins. It may go on as soon "
        "as its last batch is in the queue.",
    ),
)


def _stalls(loads_s: Sequence[float], computes_s: Sequence[float], depth: int) -> float:
    return stall_of(schedule(loads_s, computes_s, depth), computes_s)


SHARES = (
    Misconception(lambda **given: 100 * _stalls(**given), "That is in per cent, not a share."),
    Misconception(lambda **given: 1 - _stalls(**given), "That is the share in which it computes."),
    Misconception(
        lambda loads_s, computes_s, depth: (
            1 - sum(computes_s) / (schedule(loads_s, computes_s, depth)[-1] - loads_s[0])
        ),
        "That begins with the first batch. The clock runs from 0, and the device waits for it.",
    ),
    Misconception(
        lambda loads_s, computes_s, depth: (
            schedule(loads_s, computes_s, depth)[-1] / sum(computes_s) - 1
        ),
        "That is a share of the computing. What is wanted is one of the whole time.",
    ),
    Misconception(
        lambda loads_s, computes_s, depth: max(0.0, 1 - sum(computes_s) / sum(loads_s)),
        "That is from the sums, as if every batch came at an even pace. Some come late: what does "
        "`done_times` say?",
    ),
    Misconception(
        lambda loads_s, computes_s, depth: sum(loads_s) / (sum(loads_s) + sum(computes_s)),
        "That is the share of loading if nothing overlaps.",
    ),
    Misconception(
        lambda loads_s, computes_s, depth: (
            schedule(loads_s, computes_s, depth)[-1] - sum(computes_s)
        ),
        "That is the time in which the device waits. Of what time is it a share?",
    ),
)
