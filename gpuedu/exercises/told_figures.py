"""What a measurement gave, as a learner reads it: a line for each figure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

_UNITS = {"_gb_per_s": "GB/s", "_ms": "ms", "_us": "µs", "_s": "s", "_mb": "MB", "_w": "W"}


class Figures(dict):
    """Figures by name, which is displayed as lines; nothing is shown of none.

    A name that ends in a unit gives it to its figure.

    >>> Figures(slow_s=0.76931, times_as_fast=10.7, says=["one", "two"])
    slow: 0.7693 s
    times as fast: 10.7
    says:
      one
      two
    """

    def __repr__(self) -> str:
        return "\n".join(_lines(self))

    def _ipython_display_(self) -> None:
        from IPython.display import display

        if self:
            display({"text/plain": repr(self)}, raw=True)


def _lines(figures: Mapping[str, Any], indent: str = "") -> Iterator[str]:
    for key, value in figures.items():
        name, unit = _unit_of(str(key))
        if isinstance(value, Mapping):
            yield f"{indent}{name}:"
            yield from _lines(value, indent + "  ")
        elif isinstance(value, (list, tuple)) and any(isinstance(one, str) for one in value):
            yield f"{indent}{name}:"
            yield from (f"{indent}  {one}" for one in value)
        else:
            yield f"{indent}{name}: {_shown(value)} {unit}".rstrip()


def _unit_of(key: str) -> tuple[str, str]:
    for ending, unit in _UNITS.items():
        if key.endswith(ending) and key != ending:
            return key.removesuffix(ending).replace("_", " "), unit
    return key.replace("_", " "), ""


def _shown(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:,.4g}" if abs(value) < 1e6 else f"{value:,.0f}"
    if isinstance(value, (list, tuple)):
        return ", ".join(map(_shown, value))
    return str(value)
