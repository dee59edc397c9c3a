"""In which order a warp asks global memory, reads shared memory and stores there, step by step."""

from __future__ import annotations

from typing import Any

import numpy as np

from gpuedu.trace import Operation, Space, Trace


def order_of_accesses(trace: Trace) -> dict[str, Any]:
    """For the first warp of block 0, what comes first and last between two barriers.

    Returns:
        Four lists with an entry for each epoch, the time between two barriers of the block, in
        which the warp reads shared memory: ``asked`` is the position of its first load from global
        memory, ``asked_last`` of its last one, ``used`` of its first load from shared memory,
        ``used_last`` of its last, ``stored`` of its first store to shared memory. -1: none.
    """
    events = trace.events
    own = np.flatnonzero((events.block == 0) & (events.warp == 0))
    kinds = [_kind(trace, int(events.site[row])) for row in own]
    epochs = events.epoch[own]
    found: dict[str, list[int]] = {
        name: [] for name in ("asked", "asked_last", "used", "used_last", "stored")
    }
    for epoch in np.unique(epochs):
        here = [kind if at == epoch else "" for kind, at in zip(kinds, epochs, strict=True)]
        if "use" not in here:
            continue
        found["asked"].append(_first(here, "ask"))
        found["asked_last"].append(_last(here, "ask"))
        found["used"].append(_first(here, "use"))
        found["used_last"].append(_last(here, "use"))
        found["stored"].append(_first(here, "store"))
    return found


def _kind(trace: Trace, site: int) -> str:
    seen = trace.sites[site]
    if seen.space is Space.GLOBAL:
        return "ask" if seen.operation is Operation.LOAD else ""
    if seen.space is Space.SHARED:
        return "use" if seen.operation is Operation.LOAD else "store"
    return ""


def _first(kinds: list[str], wanted: str) -> int:
    return kinds.index(wanted) if wanted in kinds else -1


def _last(kinds: list[str], wanted: str) -> int:
    return len(kinds) - 1 - kinds[::-1].index(wanted) if wanted in kinds else -1
