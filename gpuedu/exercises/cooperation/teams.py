"""How a block's threads shared the work, as plain numbers: partly active warps, rounds, barriers.

Read from the account of a launch whose blocks are all watched.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gpuedu.lens.listing import line_texts
from gpuedu.trace import Operation, Place, Trace

_ALL_LANES = 0xFFFFFFFF


def observe_teams(trace: Trace) -> dict[str, Any]:
    """What a judge may see of how a block's threads worked together.

    Args:
        trace: The account of a launch of whole warps, with all its blocks watched.

    Returns:
        ``partly``: the most warps of one block that run one line, between the same two barriers,
        with some of their lanes and not all; ``partly_line``, ``partly_text``, ``partly_block``
        and ``partly_epoch`` (barriers passed before) say where. ``rounds``: how often the warp
        that repeats a line most runs it, with ``rounds_line`` and ``rounds_text``.
        ``waits``: lanes of a block that wait for another's atomic on the same address.
        ``barriers``: the most barriers that a block passes. ``shared_bytes``: shared memory of a
        block.
    """
    arrivals = [barrier.arrivals for barrier in trace.barriers]
    atomics = [site for site in trace.sites if site.operation is Operation.ATOMIC]
    waits = sum(int(site.same_address_lanes.sum()) for site in atomics)
    return {
        **_partly_active(trace),
        **_repeated(trace),
        "waits": waits / trace.launch.blocks,
        "barriers": int(sum(arrivals).max()) if arrivals else 0,
        "shared_bytes": trace.launch.shared_bytes + trace.launch.dynamic_shared_bytes,
    }


def _partly_active(trace: Trace) -> dict[str, Any]:
    """Where the most warps of a block are partly active on one line in one epoch."""
    steps = trace.steps
    partial = np.flatnonzero((steps.active != _ALL_LANES) & (steps.active != 0))
    columns = (steps.block, steps.epoch, steps.line, steps.warp)
    seen = np.unique(np.stack([column[partial] for column in columns], axis=1), axis=0)
    if not len(seen):
        return {"partly": 0, **_at("partly", trace, None), "partly_block": 0, "partly_epoch": 0}
    steps_of, counts = np.unique(seen[:, :3], axis=0, return_counts=True)
    block, epoch, line = (int(part) for part in steps_of[counts.argmax()])
    return {
        "partly": int(counts.max()),
        **_at("partly", trace, trace.lines[line].place),
        "partly_block": block,
        "partly_epoch": epoch,
    }


def _repeated(trace: Trace) -> dict[str, Any]:
    """The line that one warp runs most often."""
    often = [int(line.executions.max()) for line in trace.lines]
    if not often:
        return {"rounds": 0, **_at("rounds", trace, None)}
    place = trace.lines[int(np.argmax(often))].place
    return {"rounds": max(often), **_at("rounds", trace, place)}


def _at(name: str, trace: Trace, place: Place | None) -> dict[str, Any]:
    text = line_texts(trace.launch).get(place, "").strip() if place else ""
    return {f"{name}_line": place.line if place else 0, f"{name}_text": text}
