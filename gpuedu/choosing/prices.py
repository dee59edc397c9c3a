"""Prices, which are the user's: a TOML file of rents per hour."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from gpuedu.errors import GpueduError
from gpuedu.hardware.catalog import device

EXAMPLE = "prices_example.toml"
_FIELDS = {"date", "rent_per_hour"}


@dataclass(frozen=True)
class Prices:
    """Rents per hour by the catalog's key, and their date."""

    date: str
    rent_per_hour: Mapping[str, float]


class PriceError(GpueduError):
    """A file of prices that cannot be used: which file, which entry, and what would be right."""


@cache
def example_prices() -> Prices:
    """The example that comes with the course; its file gives the date.

    >>> example_prices().rent_per_hour["t4"] > 0
    True
    """
    text = resources.files("gpuedu.choosing").joinpath(EXAMPLE).read_text("utf-8")
    return parse(text, EXAMPLE)


def read_prices(path: Path) -> Prices:
    """The user's file.

    Raises:
        PriceError: the file cannot be read, or an entry is not a price.
        UnknownNameError: a device that the catalog does not have.
    """
    try:
        return parse(path.read_text("utf-8"), str(path))
    except (OSError, UnicodeDecodeError) as fault:
        raise PriceError(f"cannot read {path}: {fault}") from fault


def parse(text: str, where: str) -> Prices:
    """Prices from TOML; errors as for ``read_prices``."""
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as fault:
        raise PriceError(f"{where}: {fault}", remedy="TOML, as in the example") from fault
    strange = sorted(set(data) - _FIELDS)
    if strange:
        raise PriceError(
            f"{where}: unknown entry {strange[0]!r}", remedy=", ".join(sorted(_FIELDS))
        )
    rents = data.get("rent_per_hour", {})
    if not isinstance(rents, dict):
        raise PriceError(
            f"{where}: rent_per_hour should be a table", remedy="[rent_per_hour] and `t4 = 0.4`"
        )
    for key, price in rents.items():
        device(key)
        _require(f"rent_per_hour.{key}", price, where)
    return Prices(str(data.get("date", "")), rents)


def _require(name: str, price: Any, where: str) -> None:
    if isinstance(price, bool) or not isinstance(price, int | float) or not 0 <= price < math.inf:
        raise PriceError(
            f"{where}: {name} is {price!r}", remedy="a number of 0 or more, without a currency"
        )
