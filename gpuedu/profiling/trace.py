"""The steps as a trace in Chrome's format, which https://ui.perfetto.dev opens.

Rows: steps, waits for the loader, lines of Python, operators, and marks where the host waits or
copies. Counted steps are longer than normal, because every operator was looked at. Source: "Trace
Event Format", Google, events of phases X (complete), i (instant) and M (metadata).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from gpuedu.errors import GpueduError
from gpuedu.profiling.records import Operator, Watched
from gpuedu.profiling.summary import short

ROWS = ("steps", "data loader", "lines of Python", "operators", "waits and copies")
_PROCESS = 1
_US = 1e6


def trace(watched: Watched) -> dict[str, Any]:
    """The trace as one JSON object."""
    return {
        "displayTimeUnit": "ms",
        "otherData": {"script": watched.script, "device": watched.device},
        "traceEvents": list(_events(watched)),
    }


def write_trace(watched: Watched, path: Path) -> None:
    """Write the trace.

    Raises:
        GpueduError: the file cannot be written.
    """
    write_file(path, json.dumps(trace(watched)))


def write_file(path: Path, text: str) -> None:
    """Write a text; GpueduError if that fails."""
    try:
        path.write_text(text, "utf-8")
    except OSError as fault:
        raise GpueduError(
            f"{path} cannot be written: {fault.strerror or fault}",
            remedy="a file name in a folder that exists",
        ) from fault


def _events(watched: Watched) -> Iterator[dict[str, Any]]:
    yield _named("process_name", watched.script, 0)
    for row, name in enumerate(ROWS):
        yield _named("thread_name", name, row)
        yield {**_named("thread_sort_index", "", row), "args": {"sort_index": row}}
    for one in watched.steps:
        yield _span(0, f"step {one.number} ({one.phase})", one.start_s, one.time_s)
    for wait in watched.waits:
        name = f"next batch of {wait.loader.dataset}"
        yield _span(1, name, wait.start_s, wait.time_s, workers=wait.loader.workers)
    for group in _runs(watched.operators):
        first, last = group[0], group[-1]
        name = f"{short(first.site, watched.script)} {first.site.text}"
        yield _span(2, name, first.start_s, last.start_s + last.time_s - first.start_s)
    for one in watched.operators:
        arguments = {"part": one.part, "elements": one.elements, "flop": one.flop}
        yield _span(3, one.name, one.start_s, one.time_s, dtype=one.dtype, **arguments)
    for call in watched.calls:
        name = f"{call.kind}, {short(call.site, watched.script)}"
        arguments = {"bytes": call.size_bytes}
        yield {**_event(4, name, call.start_s), "ph": "i", "s": "t", "args": arguments}


def _runs(operators: tuple[Operator, ...]) -> Iterator[list[Operator]]:
    """Operators in a row that one line called, in one step."""
    group: list[Operator] = []
    for one in operators:
        place = one.site.file, one.site.line, one.step
        if group and (group[0].site.file, group[0].site.line, group[0].step) != place:
            yield group
            group = []
        group.append(one)
    if group:
        yield group


def _event(row: int, name: str, start_s: float) -> dict[str, Any]:
    return {"name": name, "cat": ROWS[row], "pid": _PROCESS, "tid": row, "ts": start_s * _US}


def _span(row: int, name: str, start_s: float, time_s: float, **arguments: Any) -> dict[str, Any]:
    return {**_event(row, name, start_s), "ph": "X", "dur": time_s * _US, "args": arguments}


def _named(what: str, name: str, row: int) -> dict[str, Any]:
    return {"name": what, "ph": "M", "pid": _PROCESS, "tid": row, "args": {"name": name}}
