"""No record above what its device can do: the peaks are the catalog's.

Only a device that the catalog knows is checked. What a row says about itself decides: with
``flop``, or ``m``, ``n`` and ``k``, it did arithmetic in its ``dtype``; with ``"from": "device
memory"`` its bytes came from there or went there, ``moved_bytes`` of them if the unit is a time. A
row about watts may have a ``rate`` beside them, in its ``rate_unit``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from gpuedu.errors import CatalogError
from gpuedu.hardware.catalog import Device
from gpuedu.hardware.names import find_device
from gpuedu.hardware.record_form import describe, is_number
from gpuedu.units import format_quantity

FROM_MEMORY = "device memory"
_PRECISIONS = {"float32": "fp32", "bfloat16": "bf16", "float16": "fp16"}
# Boards of this series are clocked above the boost clock of their data sheet, from which the
# catalog's peak is computed, as power and temperature allow. How far is not published.
_CLOCKED_HIGHER, _CLOCK_MARGIN = "GeForce", 1.2


def require_plausible(series: Mapping[str, Any], where: str) -> None:
    """Check a series that has the form of one against its device's peaks.

    Raises:
        CatalogError: with file, series, row, and both rates.
    """
    device = find_device(series["device"])
    if device is None:
        return
    for place, row in enumerate(series["rows"]):
        for what, rate, peak, unit in _rates(row, series["unit"], device):
            if rate > peak:
                raise CatalogError(
                    f"{where}: {series['name']}: row {place} ({describe(row)}): median: "
                    f"{format_quantity(rate, unit)}, and {what} of {device.name} is "
                    f"{format_quantity(peak, unit)}"
                )


def _rates(
    row: Mapping[str, Any], unit: str, device: Device
) -> Iterator[tuple[str, float, float, str]]:
    """What is limited, the row's rate, the limit, and their unit."""
    flop_per_s, bytes_per_s = _flop_per_s(row, unit), _bytes_per_s(row, unit)
    precision = _PRECISIONS.get(str(row.get("dtype", "float32")), "")
    if flop_per_s is not None and precision in device.flop_per_s:
        margin = _CLOCK_MARGIN if device.name.startswith(_CLOCKED_HIGHER) else 1.0
        peak = device.flop_per_s[precision] * margin
        yield f"the {precision} peak", flop_per_s, peak, "FLOP/s"
    if bytes_per_s is not None and row.get("from") == FROM_MEMORY:
        yield "the bandwidth", bytes_per_s, device.bandwidth_bytes_per_s, "B/s"


def _flop_per_s(row: Mapping[str, Any], unit: str) -> float | None:
    if _rate_unit(row, unit) == "FLOP/s":
        return row["rate"] if unit == "W" else row["median"]
    flop = row.get("flop")
    if flop is None and all(is_number(row.get(letter)) for letter in "mnk"):
        flop = 2 * row["m"] * row["n"] * row["k"]
    return flop / row["median"] if unit == "s" and is_number(flop) else None


def _bytes_per_s(row: Mapping[str, Any], unit: str) -> float | None:
    if _rate_unit(row, unit) == "B/s":
        return row["rate"] if unit == "W" else row["median"]
    moved = row.get("moved_bytes")
    return moved / row["median"] if unit == "s" and is_number(moved) else None


def _rate_unit(row: Mapping[str, Any], unit: str) -> str:
    return str(row.get("rate_unit")) if unit == "W" and is_number(row.get("rate")) else unit
