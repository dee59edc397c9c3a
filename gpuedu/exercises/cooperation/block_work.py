"""How a block's threads share its work, as plain numbers: partly active warps, rounds, barriers.

Read from the account of a launch whose blocks are all watched.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from gpuedu.exercises.contract import Plain
from gpuedu.lens.listing import line_texts
from gpuedu.trace import LineCount, Operation, Place, Trace

_ALL_LANES = 0xFFFFFFFF
_IN_A_STEP = 2
"""Loads, or operations, of a line that are one step."""
_OF_A_STEP = 4
"""Loads of a step, on all its lines."""
_SHOWN = 80
"""Characters of a line that a message shows."""


def rounds_of(trace: Trace) -> dict[str, Any]:
    """How many steps one after the other a block takes.

    A step is a line that computes in floats, uses memory or waits at a barrier: a loop that looks
    further, and finds nothing to do, takes none. A line with many loads or operations is as many
    steps as there are pairs of them, and on however many lines they are, a step has four loads.

    Returns:
        ``rounds``: how many steps a warp takes at most on one line, or by all its loads, and
        ``rounds.at``, the line with the most of them, which ``line_of`` reads. ``waits``: lanes of
        a block that wait for another's atomic on the same address.
    """
    works = {site.place for site in (*trace.sites, *trace.barriers)}
    steps = [line for line in trace.lines if line.flop or line.place in works]
    each = [_steps_of(line, trace) for line in steps]
    often = [int(line.executions.max()) * n for line, n in zip(steps, each, strict=True)]
    most = int(np.argmax(often)) if often else 0
    place, counts = (steps[most].place, each[most]) if often else (None, 1)
    rounds, loads = max(often, default=0), _loads_of(trace)
    if sum(loads.values()) // _OF_A_STEP > rounds:
        rounds, place = sum(loads.values()) // _OF_A_STEP, max(loads, key=loads.__getitem__)
        ran = (int(line.executions.max()) for line in steps if line.place == place)
        counts = rounds // max(next(ran, rounds), 1)
    atomics = [site for site in trace.sites if site.operation is Operation.ATOMIC]
    waits = sum(int(site.same_address_lanes.sum()) for site in atomics)
    return {
        "rounds": rounds,
        "rounds.at": line_record(trace, place, counts),
        "waits": waits / trace.launch.blocks,
    }


def _loads_of(trace: Trace) -> dict[Place, int]:
    """How often the warp that reads memory most does so, by line."""
    loads = [site for site in trace.sites if site.operation is Operation.LOAD]
    busiest = int(np.argmax(sum(site.requests for site in loads))) if loads else 0
    found: dict[Place, int] = {}
    for site in loads:
        found[site.place] = found.get(site.place, 0) + int(site.requests[busiest])
    return found


def _steps_of(line: LineCount, trace: Trace) -> int:
    """How many steps one run of a line is: two numbers are read, or added, in one."""
    loads = (
        site.requests.sum()
        for site in trace.sites
        if site.place == line.place and site.operation is Operation.LOAD
    )
    read = sum(loads) / max(int(line.executions.sum()), 1)
    done = sum(line.flop.values()) / max(int(line.lanes.sum()), 1)
    return max(1, int(read / _IN_A_STEP), int(done / _IN_A_STEP))


def partly_active_warps(trace: Trace) -> dict[str, Any]:
    """Where the most warps of a block are partly active on one line, between the same barriers.

    Args:
        trace: The account of a launch of whole warps, with all its blocks watched.

    Returns:
        ``partly``: the most warps of one block that run a line with some of their lanes and not
        all. ``partly.at``, ``partly.block`` and ``partly.epoch`` (barriers passed before) say
        where.
    """
    steps = trace.steps
    partial = np.flatnonzero((steps.active != _ALL_LANES) & (steps.active != 0))
    columns = (steps.block, steps.epoch, steps.line, steps.warp)
    seen = np.unique(np.stack([column[partial] for column in columns], axis=1), axis=0)
    most, block, epoch, place = 0, 0, 0, None
    if len(seen):
        steps_of, counts = np.unique(seen[:, :3], axis=0, return_counts=True)
        block, epoch, line = (int(part) for part in steps_of[counts.argmax()])
        most, place = int(counts.max()), trace.lines[line].place
    at = line_record(trace, place)
    return {"partly": most, "partly.at": at, "partly.block": block, "partly.epoch": epoch}


def barriers_and_memory(trace: Trace) -> dict[str, int]:
    """``barriers``: the most that a block passes; ``shared_bytes``: what it has."""
    arrivals = [barrier.arrivals for barrier in trace.barriers]
    return {
        "barriers": int(sum(arrivals).max()) if arrivals else 0,
        "shared_bytes": trace.launch.shared_bytes + trace.launch.dynamic_shared_bytes,
    }


def line_of(observed: Plain, name: str) -> str:
    """The line of the learner's cell that belongs to ``partly``, to ``rounds``, and so on.

    >>> line_of({"rounds.at": '{"line": 3, "text": "a += 1"}'}, "rounds")
    'line 3, `a += 1`'
    """
    at = json.loads(observed[f"{name}.at"])
    text, each = at["text"], at.get("each", 1)
    shown = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
    return f"line {at['line']}, `{shown}`{f' (it counts {each} times)' if each > 1 else ''}"


def line_record(trace: Trace, place: Place | None, each: int = 1) -> str:
    """A line as a record, which is the learner's own: known wrong answers may have it elsewhere.

    ``each`` says how often one run of it counts.
    """
    text = line_texts(trace.launch).get(place, "").strip() if place else ""
    at = {"line": place.line if place else 0, "text": text}
    return json.dumps(at | ({"each": each} if each > 1 else {}))
