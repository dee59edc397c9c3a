"""The catalogue of devices, from ``devices.toml``: each number with the document it is from."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from gpuedu.errors import CatalogueError
from gpuedu.syllabus import unknown
from gpuedu.units import GB, TERA

PRECISIONS = ("fp32", "tf32", "bf16", "fp16", "fp8")
_TEXTS = {"key", "name", "vendor"}
_NUMBERS = {
    *PRECISIONS,
    "sms",
    "lanes_per_sm",
    "clock_ghz",
    "memory_gb",
    "bandwidth",
    "power_w",
    "link",
}
_REQUIRED = {"key", "name", "vendor", "memory_gb", "bandwidth", "sources"}


@dataclass(frozen=True)
class Device:
    """One device. What no source gave is None, or is not in ``flop_per_s``.

    ``flop_per_s`` maps a precision to the dense peak. ``sms`` streaming multiprocessors have
    ``lanes_per_sm`` fp32 lanes each, at ``clock_hz``. ``link_bytes_per_s`` is the way to other
    devices, both directions together. ``sources`` maps a field of the file to its document.
    """

    key: str
    name: str
    vendor: str
    flop_per_s: Mapping[str, float]
    memory_bytes: float
    bandwidth_bytes_per_s: float
    compute_capability: tuple[int, int] | None
    sms: int | None
    lanes_per_sm: int | None
    clock_hz: float | None
    power_w: float | None
    link_bytes_per_s: float | None
    sources: Mapping[str, str]

    @property
    def fp32_lanes(self) -> int | None:
        """How many fp32 multiply-adds it does in one clock.

        >>> device("h100-sxm").fp32_lanes, device("t4").fp32_lanes
        (16896, 2560)
        """
        return self.sms * self.lanes_per_sm if self.sms and self.lanes_per_sm else None

    @property
    def computed_fp32_flop_per_s(self) -> float | None:
        """The fp32 peak by formula: lanes, two operations for a multiply-add, clock."""
        return self.fp32_lanes * 2 * self.clock_hz if self.fp32_lanes and self.clock_hz else None


@cache
def devices() -> tuple[Device, ...]:
    """All devices, in the order of the file."""
    return parse(resources.files("gpuedu.hardware").joinpath("devices.toml").read_text("utf-8"))


def device(key: str) -> Device:
    """The device with this key; UnknownNameError with the nearest keys.

    >>> device("h200-sxm").bandwidth_bytes_per_s
    4800000000000.0
    """
    for entry in devices():
        if entry.key == key:
            return entry
    raise unknown("device", key, (entry.key for entry in devices()))


def parse(text: str) -> tuple[Device, ...]:
    """Read devices from TOML; CatalogueError names the device and the field at fault."""
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as fault:
        raise CatalogueError(f"devices.toml: {fault}") from fault
    documents = data.get("documents", {})
    found = tuple(_read(row, documents) for row in data.get("device", []))
    keys = [entry.key for entry in found]
    for key in keys:
        if keys.count(key) > 1:
            raise CatalogueError(f"devices.toml: {key!r} stands there twice")
    return found


def _read(row: Mapping[str, Any], documents: Mapping[str, str]) -> Device:
    key = row.get("key", "?")
    missing = sorted(_REQUIRED - set(row))
    if missing:
        raise CatalogueError(f"devices.toml: {key!r} lacks {missing[0]!r}")
    for name, value in row.items():
        _require(key, name, value)
    return Device(
        key=key,
        name=row["name"],
        vendor=row["vendor"],
        flop_per_s={name: row[name] * TERA for name in PRECISIONS if name in row},
        memory_bytes=row["memory_gb"] * GB,
        bandwidth_bytes_per_s=row["bandwidth"] * GB,
        compute_capability=_capability(row.get("compute_capability")),
        sms=row.get("sms"),
        lanes_per_sm=row.get("lanes_per_sm"),
        clock_hz=_times(row.get("clock_ghz"), 1e9),
        power_w=row.get("power_w"),
        link_bytes_per_s=_times(row.get("link"), GB),
        sources=_sources(key, row, documents),
    )


def _require(key: str, name: str, value: Any) -> None:
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if name in _NUMBERS and not (is_number and value > 0):
        raise CatalogueError(f"devices.toml: {key!r}: {name} should be a positive number")
    if name in _TEXTS and not isinstance(value, str):
        raise CatalogueError(f"devices.toml: {key!r}: {name} should be a text")
    if name not in _NUMBERS | _TEXTS | {"compute_capability", "sources"}:
        raise CatalogueError(f"devices.toml: {key!r}: unknown field {name!r}")


def _sources(key: str, row: Mapping[str, Any], documents: Mapping[str, str]) -> Mapping[str, str]:
    """Field to document; every number needs one."""
    found: dict[str, str] = {}
    for document, fields in row["sources"].items():
        if document not in documents:
            raise CatalogueError(f"devices.toml: {key!r}: no document is called {document!r}")
        found |= dict.fromkeys(fields, documents[document])
    wanted = (_NUMBERS | {"compute_capability"}) & set(row)
    for name in sorted(wanted ^ set(found)):
        what = "has no source" if name in wanted else "has a source but no value"
        raise CatalogueError(f"devices.toml: {key!r}: {name} {what}")
    return found


def _times(value: float | None, factor: float) -> float | None:
    return None if value is None else value * factor


def _capability(text: str | None) -> tuple[int, int] | None:
    if text is None:
        return None
    major, minor = text.split(".")
    return int(major), int(minor)
