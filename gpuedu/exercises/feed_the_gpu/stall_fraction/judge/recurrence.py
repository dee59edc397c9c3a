"""When steps are done, by recurrence, for queues that the simulation does not have too."""

from __future__ import annotations

from collections.abc import Sequence


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
