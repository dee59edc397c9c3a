"""What a memory trace says: memory over time, its peak, and who holds what at a moment."""

from __future__ import annotations

from gpuedu.training.memory.records import (
    KINDS,
    Block,
    Ledger,
    LedgerRow,
    MemoryPoint,
    MemoryTrace,
)


def points(trace: MemoryTrace) -> tuple[MemoryPoint, ...]:
    """What was live at every tick, from the first to the last.

    If an allocator was read, its total counts: what it has beyond the blocks is ``other``, and
    stays so until it is read again.

    >>> trace = MemoryTrace((Block("weights", 8, 0), Block("other", 4, 1, 2)), (), ticks=3)
    >>> [point.live_bytes for point in points(trace)]
    [8, 12, 8]
    """
    changes: list[list[tuple[str, int]]] = [[] for _ in range(trace.ticks)]
    for block in trace.blocks:
        changes[block.born].append((block.kind, block.size_bytes))
        if block.freed is not None:
            changes[block.freed].append((block.kind, -block.size_bytes))
    totals = {reading.tick: reading.live_bytes for reading in trace.readings}
    phases = {mark.tick: mark.phase for mark in trace.marks}
    live, phase, beyond, found = dict.fromkeys(KINDS, 0), "", 0, []
    for tick, here in enumerate(changes):
        phase = phases.get(tick, phase)
        for kind, size_bytes in here:
            live[kind] += size_bytes
        if tick in totals:
            beyond = totals[tick] - sum(live.values())
        found.append(MemoryPoint(tick, phase, live | {"other": max(live["other"] + beyond, 0)}))
    return tuple(found)


def peak(trace: MemoryTrace) -> MemoryPoint:
    """The point at which most was live; the first, if several are equal.

    Raises:
        ValueError: for an empty trace.
    """
    if not trace.ticks:
        raise ValueError("nothing was allocated while the memory was watched")
    return max(points(trace), key=lambda point: point.live_bytes)


def peak_bytes(trace: MemoryTrace) -> int:
    """The most that was live at once: on a GPU also between two ticks, inside an operation."""
    return max(peak(trace).live_bytes, trace.highest_reading_bytes or 0)


def end_of(trace: MemoryTrace, phase: str, *, step: int = 0) -> int:
    """The last tick of a phase; ``step`` counts the times that the phase came, from 0.

    Raises:
        ValueError: if the phase did not come that often.
    """
    begins = [number for number, mark in enumerate(trace.marks) if mark.phase == phase]
    if step >= len(begins):
        known = sorted({mark.phase for mark in trace.marks})
        raise ValueError(f"phase {phase!r} came {len(begins)} times; the phases are {known}")
    later = trace.marks[begins[step] + 1 :]
    return (later[0].tick if later else trace.ticks) - 1


def ledger_at(trace: MemoryTrace, tick: int) -> Ledger:
    """Who holds what at a tick, such as ``end_of(trace, "forward")`` or ``peak(trace).tick``.

    >>> blocks = (Block("activations", 8, 0, layer="0"), Block("activations", 4, 1, layer="0"))
    >>> ledger_at(MemoryTrace(blocks, (), ticks=2), 1).rows[0].size_bytes
    12
    """
    point = points(trace)[tick]
    alive = [b for b in trace.blocks if b.born <= tick and (b.freed is None or tick < b.freed)]
    grouped: dict[tuple[str, str], list[Block]] = {}
    for kind in KINDS:
        for block in (block for block in alive if block.kind == kind):
            grouped.setdefault((kind, block.layer), []).append(block)
    rows = [_row(kind, layer, blocks) for (kind, layer), blocks in grouped.items()]
    if trace.readings:
        rows = [row for row in rows if row.kind != "other"]
        rows.append(LedgerRow("other", "", point.by_kind["other"], 0))
    source = "allocator" if trace.readings else "counted"
    return Ledger(tick, point.phase, tuple(rows), trace.device, source)


def _row(kind: str, layer: str, blocks: list[Block]) -> LedgerRow:
    lines = tuple(dict.fromkeys(block.line for block in blocks if block.line))
    return LedgerRow(kind, layer, sum(b.size_bytes for b in blocks), len(blocks), lines)
