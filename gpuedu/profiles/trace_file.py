"""PyTorch's traces as they are on disk: Chrome's trace format, with the profiler's own names.

An event that took time has ``ph`` "X", a start ``ts`` and a duration ``dur`` in microseconds, and a
category ``cat``: "cpu_op", "user_annotation", "cuda_runtime", "kernel", "gpu_memcpy", "gpu_memset".
Its ``args`` hold the stream and the device of a kernel, the ``bytes`` of a copy, and two numbers
that link things: ``correlation`` is shared by a call of the CUDA runtime and what it started, and
``External id`` by an operator and what was started from it.
Source: the profiler's own library, github.com/pytorch/kineto, libkineto/src: ``output_json.cpp``,
``CuptiActivity.cpp``.
"""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

from gpuedu.profiles.errors import ProfileError

_REMEDY = "a file that `profile.export(...)` or torch's `export_chrome_trace(...)` wrote"
_NS_PER_US = 1000
_GZIP = b"\x1f\x8b"


@dataclass(frozen=True)
class TraceEvent:
    """Something that took time: ``kind`` is its category, ``thread`` its (process, thread).

    ``start_ns`` and ``time_ns`` are whole nanoseconds of the trace's own clock.
    """

    kind: str
    name: str
    start_ns: int
    time_ns: int
    thread: tuple[Any, Any]
    args: Mapping[str, Any]

    @property
    def end_ns(self) -> int:
        """When it ended."""
        return self.start_ns + self.time_ns


@dataclass(frozen=True)
class Trace:
    """The events of a trace in the order of start, the longer first, and the names of the GPUs."""

    events: tuple[TraceEvent, ...]
    gpus: Mapping[int, str]


def read_bytes(path: str | Path) -> bytes:
    """The bytes of a trace's file, compressed by gzip whether or not the file was.

    Raises:
        ProfileError: there is no such file, or it cannot be read.
    """
    try:
        found = Path(path).read_bytes()
    except OSError as fault:
        raise ProfileError(
            f"the trace {path} cannot be read: {fault.strerror or fault}", remedy=_REMEDY
        ) from fault
    return found if found.startswith(_GZIP) else gzip.compress(found)


def parse(compressed: bytes, *, name: str) -> Trace:
    """Read a trace.

    Args:
        compressed: its text, compressed by gzip.
        name: what errors call it.

    Raises:
        ProfileError: the bytes are cut short, or not a trace.
    """
    try:
        # Decimal: a start has more digits than a float holds.
        whole = json.loads(gzip.decompress(compressed), parse_float=Decimal)
    except (EOFError, OSError, ValueError, RecursionError, zlib.error) as fault:
        raise ProfileError(f"{name} is not a trace: {fault}", remedy=_REMEDY) from fault
    # Chrome's format may also be the bare list of events.
    rows = whole.get("traceEvents") if isinstance(whole, dict) else whole
    if not isinstance(rows, list):
        raise ProfileError(f"{name} is not a trace: it has no `traceEvents`", remedy=_REMEDY)
    events = [_event(row, at, name) for at, row in enumerate(rows) if _took_time(row)]
    events.sort(key=lambda one: (one.start_ns, -one.time_ns))
    return Trace(tuple(events), _gpus(whole))


def _took_time(row: Any) -> bool:
    return isinstance(row, dict) and row.get("ph") == "X"


def _event(row: dict[str, Any], at: int, name: str) -> TraceEvent:
    try:
        return TraceEvent(
            kind=str(row.get("cat", "")),
            name=str(row["name"]),
            start_ns=round(row["ts"] * _NS_PER_US),
            time_ns=round(row.get("dur", 0) * _NS_PER_US),
            thread=(row.get("pid"), row.get("tid")),
            args=row["args"] if isinstance(row.get("args"), dict) else {},
        )
    except (KeyError, TypeError, ValueError, ArithmeticError) as fault:
        raise ProfileError(
            f"{name} is not a trace: event {at} has no usable name, `ts` or `dur`", remedy=_REMEDY
        ) from fault


def _gpus(whole: Any) -> dict[int, str]:
    found = whole.get("deviceProperties") if isinstance(whole, dict) else None
    gpus = [one for one in found or () if isinstance(one, dict)]
    return {one["id"]: str(one.get("name", "GPU")) for one in gpus if "id" in one}
