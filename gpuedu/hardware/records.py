"""Measurements recorded on real GPUs, read from ``gpuedu/recorded/<device>/<name>.json``.

A time that is shown on a machine without a GPU comes from here or is not shown at all.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Any

from gpuedu.errors import CatalogueError

_TEXTS = ("device", "name", "date", "unit", "what")


@dataclass(frozen=True)
class Record:
    """One measurement series on one device.

    ``rows`` hold the parameters of a point with its ``median`` and ``spread`` (first to third
    quartile) in ``unit``. ``versions`` names driver, CUDA and libraries. ``date`` is ISO 8601.
    """

    device: str
    name: str
    date: str
    unit: str
    what: str
    versions: Mapping[str, str]
    rows: tuple[Mapping[str, Any], ...]


def records(name: str, folder: Traversable | None = None) -> tuple[Record, ...]:
    """Every device's record of this name; empty where none was taken yet.

    Raises:
        CatalogueError: for a file that does not say what a record must, with file and field.
    """
    root = resources.files("gpuedu").joinpath("recorded") if folder is None else folder
    if not root.is_dir():
        return ()
    devices = sorted((entry for entry in root.iterdir() if entry.is_dir()), key=lambda e: e.name)
    found = (entry.joinpath(f"{name}.json") for entry in devices)
    return tuple(read_record(path) for path in found if path.is_file())


def read_record(path: Traversable) -> Record:
    """One record from its file."""
    where = f"recorded/{path.name}"
    try:
        data = json.loads(path.read_text("utf-8"))
    except (json.JSONDecodeError, UnicodeDecodeError) as fault:
        raise CatalogueError(f"{where}: not JSON: {fault}") from fault
    if not isinstance(data, dict):
        raise CatalogueError(f"{where}: should be an object")
    for field in _TEXTS:
        if not isinstance(data.get(field), str) or not data[field]:
            raise CatalogueError(f"{where}: {field} should be a text")
    if not isinstance(data.get("versions"), dict) or not data["versions"]:
        raise CatalogueError(f"{where}: versions should name driver and libraries")
    rows = data.get("rows")
    if not isinstance(rows, list) or not rows:
        raise CatalogueError(f"{where}: rows should be a list of points")
    for number, row in enumerate(rows):
        for field in ("median", "spread"):
            value = row.get(field) if isinstance(row, dict) else None
            if isinstance(value, bool) or not isinstance(value, (int, float)) or not value >= 0:
                raise CatalogueError(f"{where}: row {number}: {field} should be a number")
    return Record(*(data[field] for field in _TEXTS), versions=data["versions"], rows=tuple(rows))
