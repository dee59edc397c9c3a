"""What a recorded series must say, field by field.

A file is ``{"format": "gpuedu-records", "version": 1, "series": [...]}``. A series has the fields
below; a row has the parameters of a point (texts, whole numbers, truth values) beside ``median``
and ``spread``.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from gpuedu.errors import CatalogError

FORMAT, VERSION = "gpuedu-records", 1
UNITS = ("s", "B/s", "FLOP/s", "nat", "W")
"""Seconds; bytes a second; operations a second; a loss, by the natural logarithm; watts."""

_TEXTS = ("device", "name", "date", "unit", "what")
_SLUG = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_NAMED_VERSIONS = ("driver", "python")


def require_form(series: Any, where: str, number: int = 0) -> None:
    """Check a series, the one with this number of its file; ``where`` names the file.

    Raises:
        CatalogError: with file, series, row and field.
    """
    if not isinstance(series, dict):
        raise CatalogError(f"{where}: series {number} should be an object")
    for field in _TEXTS:
        if not isinstance(series.get(field), str) or not series[field].strip():
            raise CatalogError(f"{where}: series {number}: {field} should be a text")
    where = f"{where}: {series['name']}"
    if not _SLUG.fullmatch(series["name"]):
        raise CatalogError(f"{where}: name should be lower-case words with hyphens")
    if series["unit"] not in UNITS:
        raise CatalogError(f"{where}: unit is {series['unit']!r}, and should be one of {UNITS}")
    _require_date(series["date"], where)
    _require_versions(series.get("versions"), where)
    _require_left_out(series.get("left_out", []), where)
    rows = series.get("rows")
    if not isinstance(rows, list) or not rows:
        raise CatalogError(f"{where}: rows should be a list of points")
    for place, row in enumerate(rows):
        _require_row(row, f"{where}: row {place}")


def _require_date(text: str, where: str) -> None:
    try:
        datetime.fromisoformat(text)
    except ValueError as fault:
        raise CatalogError(f"{where}: date {text!r} is not a date in ISO 8601") from fault


def _require_versions(versions: Any, where: str) -> None:
    if not isinstance(versions, dict) or not versions:
        raise CatalogError(f"{where}: versions should name driver and libraries")
    for name, version in versions.items():
        if not isinstance(version, str) or not version:
            raise CatalogError(f"{where}: versions: {name} should be a text")
    for name in _NAMED_VERSIONS:
        if name not in versions:
            raise CatalogError(f"{where}: versions lacks {name!r}")


def _require_left_out(left_out: Any, where: str) -> None:
    if not isinstance(left_out, list) or not all(isinstance(text, str) for text in left_out):
        raise CatalogError(f"{where}: left_out should be a list of texts")


def _require_row(row: Any, where: str) -> None:
    if not isinstance(row, dict):
        raise CatalogError(f"{where}: median should be a number: the row is not an object")
    for field in ("median", "spread"):
        if not is_number(row.get(field)):
            raise CatalogError(f"{where}: {field} should be a number")
    if row["median"] <= 0:
        raise CatalogError(f"{where}: median should be above 0, and is {row['median']}")
    if row["spread"] < 0:
        raise CatalogError(f"{where}: spread should not be below 0, and is {row['spread']}")
    for field, value in row.items():
        if not isinstance(value, str | bool) and not is_number(value):
            raise CatalogError(f"{where}: {field} should be a text or a number")


def is_number(value: Any) -> bool:
    """Whether this is a finite number.

    >>> is_number(2), is_number(True), is_number(float("nan"))
    (True, False, False)
    """
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def describe(row: Mapping[str, Any]) -> str:
    """A row's parameters in a line.

    >>> describe({"rung": "naive", "n": 512, "median": 1e-3, "spread": 0.0})
    'rung naive, n 512'
    """
    return ", ".join(f"{k} {v}" for k, v in row.items() if k not in ("median", "spread"))
