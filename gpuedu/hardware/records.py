"""Measurements recorded on real GPUs, read from the JSON files in a device's folder.

A time that is shown on a machine without a GPU comes from here or is not shown at all. Records are
in ``gpuedu/recorded/<device>/``, which comes with the course, and in the learner's own folder,
where ``gpuedu record`` writes. A file holds several series. A JSON file without ``"format":
"gpuedu-records"`` is something else, and is skipped.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Any

from gpuedu.errors import CatalogError
from gpuedu.hardware.gpus import find_gpus
from gpuedu.hardware.home import data_folder
from gpuedu.hardware.plausibility import require_plausible
from gpuedu.hardware.record_form import FORMAT, VERSION, require_form

FOLDER = "recorded"


@dataclass(frozen=True)
class Record:
    """One measurement series on one device.

    ``rows`` hold the parameters of a point with its ``median`` and ``spread`` (first to third
    quartile) in ``unit``. ``versions`` names driver, CUDA and libraries. ``date`` is ISO 8601.
    ``left_out`` says which points are missing, and why. ``is_own`` says that the learner measured
    it, or that this machine has such a GPU.
    """

    device: str
    name: str
    date: str
    unit: str
    what: str
    versions: Mapping[str, str]
    rows: tuple[Mapping[str, Any], ...]
    left_out: tuple[str, ...] = ()
    is_own: bool = False


def records(name: str, folder: Traversable | None = None) -> tuple[Record, ...]:
    """Every device's record with this name, in the order of the devices; empty if there is none.

    The learner's own record of a device takes the place of the one that comes with the course.

    Args:
        name: The series, such as ``"matmul-ladder"``.
        folder: Where the devices' folders are; by default both the course's and the learner's.

    Raises:
        CatalogError: for a file that does not say what a record must, or what no device of that
            name can do: with file, series, row and field.
    """
    if folder is not None:
        return tuple(_named(name, folder, is_own=False))
    found = {record.device: record for record in _named(name, _shipped(), is_own=False)}
    found |= {record.device: record for record in _named(name, own_folder(), is_own=True)}
    return tuple(found[device] for device in sorted(found))


def own_folder() -> Traversable:
    """Where ``gpuedu record`` writes by default: below the learner's own folder."""
    return data_folder() / FOLDER


def _shipped() -> Traversable:
    return resources.files("gpuedu").joinpath(FOLDER)


def _named(name: str, root: Traversable, *, is_own: bool) -> Iterator[Record]:
    if not root.is_dir():
        return
    names: set[str] | None = None
    for folder in sorted((e for e in root.iterdir() if e.is_dir()), key=lambda e: e.name):
        for series in read_folder(folder):
            if series["name"] != name:
                continue
            # Asked only where there is a record: it takes a call of the driver.
            if names is None:
                names = {gpu.name for gpu in find_gpus().found}
            yield as_record(series, is_own=is_own or series["device"] in names)


def as_record(series: Mapping[str, Any], *, is_own: bool = False) -> Record:
    """A record from a series that has the form of one."""
    texts = (series[field] for field in ("device", "name", "date", "unit", "what"))
    return Record(
        *texts,
        versions=series["versions"],
        rows=tuple(series["rows"]),
        left_out=tuple(series.get("left_out", ())),
        is_own=is_own,
    )


def read_folder(folder: Traversable) -> tuple[dict[str, Any], ...]:
    """All series in a device's folder, as in its files, checked.

    Raises:
        CatalogError: as ``records`` does; also for a series that occurs twice.
    """
    found: dict[str, dict[str, Any]] = {}
    for path in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if not path.name.endswith(".json") or path.name.startswith(".") or not path.is_file():
            continue
        for series in read_file(path, f"{folder.name}/{path.name}"):
            if series["name"] in found:
                raise CatalogError(f"{folder.name}: {series['name']!r} is listed twice")
            found[series["name"]] = series
    return tuple(found.values())


def read_file(path: Traversable, where: str) -> tuple[dict[str, Any], ...]:
    """The series of a file, checked; none if it is not a file of records. ``where`` names it."""
    try:
        data = json.loads(path.read_text("utf-8"))
    except (json.JSONDecodeError, UnicodeDecodeError) as fault:
        raise CatalogError(
            f"{where}: not JSON: {fault}", remedy="remove it, and record again"
        ) from fault
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        return ()
    if data.get("version") != VERSION:
        raise CatalogError(
            f"{where}: version is {data.get('version')!r}, and this release reads {VERSION}",
            remedy="a newer release of gpuedu, or remove the file",
        )
    if not isinstance(data.get("series"), list):
        raise CatalogError(f"{where}: series should be a list")
    for number, series in enumerate(data["series"]):
        require_form(series, where, number)
        require_plausible(series, where)
    return tuple(data["series"])
