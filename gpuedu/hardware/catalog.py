"""The catalog of devices, from ``devices.toml``: each number with its source document."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from gpuedu.errors import CatalogError
from gpuedu.syllabus import unknown
from gpuedu.units import GB, TERA

PRECISIONS = ("fp64", "fp32", "tf32", "bf16", "fp16", "fp8", "fp4")
KINDS = ("consumer", "professional", "data center", "TPU", "local", "CPU")
"""``local`` is a device that shares its memory with the CPU, in a machine on a desk."""
_TEXTS = {"key", "name", "vendor", "kind", "architecture"}
_SOURCED_TEXTS = {"topology", "cooling"}
_NUMBERS = {
    *PRECISIONS,
    "year",
    "sms",
    "lanes_per_sm",
    "clock_ghz",
    "tensor_clock_ghz",
    "tensor_flop_per_clock",
    "matrix_units",
    "matrix_unit_side",
    "memory_gb",
    "bandwidth",
    "power_w",
    "link",
}
_REQUIRED = {"key", "name", "vendor", "kind", "architecture", "memory_gb", "bandwidth", "sources"}


@dataclass(frozen=True)
class Device:
    """One device. What no source gives is None, or missing from ``flop_per_s``.

    ``kind`` is one of ``KINDS``, ``architecture`` the name of its generation, ``year`` that of its
    launch. ``flop_per_s`` maps a precision to the dense peak. ``sms`` streaming multiprocessors
    (AMD's compute units, a CPU's cores) have ``lanes_per_sm`` fp32 lanes each, at ``clock_hz``, and
    an SM's matrix units do ``tensor_flop_per_clock`` in 16 bits, at ``tensor_clock_hz``. A TPU has
    ``matrix_units`` arrays of ``matrix_unit_side`` squared. ``link_bytes_per_s`` is the link to
    other devices, both directions together, and ``topology`` how they are connected. ``sources``
    maps a field of the file to its document.
    """

    key: str
    name: str
    vendor: str
    kind: str
    architecture: str
    year: int | None
    flop_per_s: Mapping[str, float]
    memory_bytes: float
    bandwidth_bytes_per_s: float
    compute_capability: tuple[int, int] | None
    sms: int | None
    lanes_per_sm: int | None
    clock_hz: float | None
    tensor_clock_hz: float | None
    tensor_flop_per_clock: int | None
    matrix_units: int | None
    matrix_unit_side: int | None
    power_w: float | None
    cooling: str
    link_bytes_per_s: float | None
    topology: str
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

    @property
    def computed_16_bit_flop_per_s(self) -> float | None:
        """The 16-bit peak of the matrix units by formula, if the catalog has what it takes."""
        if not self.tensor_clock_hz:
            return None
        if self.matrix_units and self.matrix_unit_side:
            return self.matrix_units * self.matrix_unit_side**2 * 2 * self.tensor_clock_hz
        if self.sms and self.tensor_flop_per_clock:
            return self.sms * self.tensor_flop_per_clock * self.tensor_clock_hz
        return None


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
    """Read devices from TOML; CatalogError names the device and the field at fault."""
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as fault:
        raise CatalogError(f"devices.toml: {fault}") from fault
    documents = data.get("documents", {})
    found = tuple(_read(row, documents) for row in data.get("device", []))
    keys = [entry.key for entry in found]
    for key in keys:
        if keys.count(key) > 1:
            raise CatalogError(f"devices.toml: {key!r} is listed twice")
    return found


def _read(row: Mapping[str, Any], documents: Mapping[str, str]) -> Device:
    key = row.get("key", "?")
    missing = sorted(_REQUIRED - set(row))
    if missing:
        raise CatalogError(f"devices.toml: {key!r} lacks {missing[0]!r}")
    for name, value in row.items():
        _require(key, name, value)
    return Device(
        key=key,
        name=row["name"],
        vendor=row["vendor"],
        kind=row["kind"],
        architecture=row["architecture"],
        year=row.get("year"),
        flop_per_s={name: row[name] * TERA for name in PRECISIONS if name in row},
        memory_bytes=row["memory_gb"] * GB,
        bandwidth_bytes_per_s=row["bandwidth"] * GB,
        compute_capability=_capability(row.get("compute_capability")),
        sms=row.get("sms"),
        lanes_per_sm=row.get("lanes_per_sm"),
        clock_hz=_times(row.get("clock_ghz"), 1e9),
        tensor_clock_hz=_times(row.get("tensor_clock_ghz", row.get("clock_ghz")), 1e9),
        tensor_flop_per_clock=row.get("tensor_flop_per_clock"),
        matrix_units=row.get("matrix_units"),
        matrix_unit_side=row.get("matrix_unit_side"),
        power_w=row.get("power_w"),
        cooling=row.get("cooling", ""),
        link_bytes_per_s=_times(row.get("link"), GB),
        topology=row.get("topology", ""),
        sources=_sources(key, row, documents),
    )


def _require(key: str, name: str, value: Any) -> None:
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if name in _NUMBERS and not (is_number and value > 0):
        raise CatalogError(f"devices.toml: {key!r}: {name} should be a positive number")
    if name in _TEXTS | _SOURCED_TEXTS and not isinstance(value, str):
        raise CatalogError(f"devices.toml: {key!r}: {name} should be a text")
    if name == "kind" and value not in KINDS:
        raise CatalogError(f"devices.toml: {key!r}: kind should be one of {', '.join(KINDS)}")
    if name not in _NUMBERS | _TEXTS | _SOURCED_TEXTS | {"compute_capability", "sources"}:
        raise CatalogError(f"devices.toml: {key!r}: unknown field {name!r}")


def _sources(key: str, row: Mapping[str, Any], documents: Mapping[str, str]) -> Mapping[str, str]:
    """Field to document; every number needs one."""
    found: dict[str, str] = {}
    for document, fields in row["sources"].items():
        if document not in documents:
            raise CatalogError(f"devices.toml: {key!r}: no document is called {document!r}")
        found |= dict.fromkeys(fields, documents[document])
    wanted = (_NUMBERS | _SOURCED_TEXTS | {"compute_capability"}) & set(row)
    for name in sorted(wanted ^ set(found)):
        what = "has no source" if name in wanted else "has a source but no value"
        raise CatalogError(f"devices.toml: {key!r}: {name} {what}")
    return found


def _times(value: float | None, factor: float) -> float | None:
    return None if value is None else value * factor


def _capability(text: str | None) -> tuple[int, int] | None:
    if text is None:
        return None
    major, minor = text.split(".")
    return int(major), int(minor)
