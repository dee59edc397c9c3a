"""Traces on disk: one .npz file with a JSON header, without pickle.

The header holds the records as nested objects. An array in them is a reference into one flat array
for each dtype, so that a file has few members however many access sites a kernel has.
"""

from __future__ import annotations

import dataclasses
import json
import os
import tempfile
import types
import typing
import zipfile
import zlib
from collections.abc import Mapping
from enum import Enum
from pathlib import Path
from typing import Any

import numpy as np

from gpuedu.errors import GpueduError
from gpuedu.trace.records import WARP_SIZE, Trace

FORMAT = "gpuedu-trace"
VERSION = 1
_HEADER = "header"


class TraceFileError(GpueduError):
    """A file that should hold a trace and does not, or that cannot be read."""


def save(trace: Trace, path: str | os.PathLike[str]) -> Path:
    """Write a trace to ``path``, replacing what is there only when all of it is written.

    Args:
        trace: The account of a launch.
        path: The file; its name is kept as it is.

    Returns:
        The path written.
    """
    target = Path(path)
    pool: dict[str, list[np.ndarray]] = {}
    header = {"format": FORMAT, "version": VERSION, "trace": _encode(trace, pool)}
    flat = {f"flat_{dtype}": np.concatenate(parts) for dtype, parts in pool.items()}
    text = json.dumps(header, separators=(",", ":")).encode("utf-8")
    handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with os.fdopen(handle, "wb") as out:
            np.savez_compressed(out, **{_HEADER: np.frombuffer(text, np.uint8)}, **flat)
        Path(temporary).replace(target)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
    return target


def load(path: str | os.PathLike[str]) -> Trace:
    """Read a trace that ``save`` wrote.

    Raises:
        TraceFileError: The file is not there, is no trace, is damaged, or was written by a newer
            gpuedu.
    """
    where = Path(path)
    try:
        header, flat = _read(where)
        _require_version(header, where)
        trace = _decode(Trace, header["trace"], flat)
    except FileNotFoundError as fault:
        raise TraceFileError(
            f"no trace at {where}", remedy="save one with `save(trace, path)` first"
        ) from fault
    except (
        *(OSError, ValueError, KeyError, TypeError, IndexError, AttributeError, EOFError),
        *(zipfile.BadZipFile, zlib.error, NotImplementedError, RecursionError),
    ) as fault:
        raise _damaged(where, f"{type(fault).__name__}: {fault}") from fault
    _require_consistent(trace, where)
    return trace


def _read(where: Path) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    # Opened here: NumPy leaves a file open that it cannot read.
    with where.open("rb") as file, np.load(file, allow_pickle=False) as archive:
        header = json.loads(archive[_HEADER].tobytes().decode("utf-8"))
        flat = {name: archive[name] for name in archive.files if name != _HEADER}
    return header, flat


def _require_version(header: Mapping[str, Any], where: Path) -> None:
    if header["format"] != FORMAT:
        raise ValueError(f"its format is {header['format']!r}")
    if header["version"] > VERSION:
        raise TraceFileError(
            f"{where} has version {header['version']} of the format, this gpuedu reads {VERSION}",
            remedy="update gpuedu, or make the trace again with this one",
        )


def _damaged(where: Path, why: str) -> TraceFileError:
    return TraceFileError(
        f"{where} is no trace or is damaged ({why})", remedy="make it again and save it"
    )


def _encode(value: Any, pool: dict[str, list[np.ndarray]]) -> Any:
    """The value as JSON; its arrays are moved to ``pool``, by dtype."""
    if isinstance(value, np.ndarray):
        parts = pool.setdefault(value.dtype.name, [])
        begin = sum(part.size for part in parts)
        parts.append(value.reshape(-1))
        return {"dtype": value.dtype.name, "begin": begin, "shape": list(value.shape)}
    if dataclasses.is_dataclass(value):
        return {f.name: _encode(getattr(value, f.name), pool) for f in dataclasses.fields(value)}
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, tuple | list):
        return [_encode(item, pool) for item in value]
    if isinstance(value, Mapping):
        return {str(key): _encode(item, pool) for key, item in value.items()}
    return value.item() if isinstance(value, np.generic) else value


def _decode(kind: Any, value: Any, flat: Mapping[str, np.ndarray]) -> Any:
    """A value of type ``kind`` (a type hint of the records) from its JSON."""
    if kind is np.ndarray:
        size = int(np.prod(value["shape"], dtype=np.int64))
        part = flat[f"flat_{value['dtype']}"][value["begin"] : value["begin"] + size]
        return part.reshape(value["shape"])
    if dataclasses.is_dataclass(kind):
        hints = typing.get_type_hints(kind)
        return kind(**{name: _decode(hints[name], item, flat) for name, item in value.items()})
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if origin is types.UnionType:
        (known,) = (option for option in arguments if option is not types.NoneType)
        return None if value is None else _decode(known, value, flat)
    if origin is tuple:
        inner = [arguments[0]] * len(value) if arguments[-1] is Ellipsis else arguments
        return tuple(_decode(k, item, flat) for k, item in zip(inner, value, strict=True))
    if origin is dict:
        return {key: _decode(arguments[1], item, flat) for key, item in value.items()}
    if kind is float and isinstance(value, int | float):
        return value
    if isinstance(kind, type) and issubclass(kind, Enum):
        return kind(value)
    if not isinstance(value, kind):
        raise TypeError(f"{value!r} is no {kind.__name__}")
    return value


def _require_consistent(trace: Trace, where: Path) -> None:
    """The arrays have the lengths that the launch says, and point at what is there."""
    warps = trace.launch.warps
    counted = [line.executions for line in trace.lines] + [line.lanes for line in trace.lines]
    for site in trace.sites:
        counted += [getattr(site, f) for f in ("requests", "lanes", "sectors", "wavefronts")]
    for branch in trace.branches:
        counted += [branch.executions, branch.divergent]
    events, steps = trace.events, trace.steps
    rows = [(events, len(trace.sites), events.site), (steps, len(trace.lines), steps.line)]
    is_whole = all(array.shape == (warps,) for array in counted)
    is_whole &= events.element.shape == (len(events.step), WARP_SIZE)
    for record, known, pointer in rows:
        is_whole &= len({len(getattr(record, f.name)) for f in dataclasses.fields(record)}) == 1
        is_whole &= not len(pointer) or (pointer.min() >= 0 and pointer.max() < known)
    if not is_whole:
        raise _damaged(where, "its counts do not fit its launch")
