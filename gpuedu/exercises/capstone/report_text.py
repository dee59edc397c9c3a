"""A report on a program that was made fast: a table of figures, as a text.

A row is ``| cost | before | after | times | changed in |``; lines that are no rows are the
writer's own. A line ``Leaderboard: NAME`` puts the report on a class's leaderboard.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_UNITS = {
    "": 1.0,
    "B": 1.0,
    "byte": 1.0,
    "bytes": 1.0,
    "kB": 1e3,
    "KB": 1e3,
    "KiB": 2.0**10,
    "MB": 1e6,
    "MiB": 2.0**20,
    "FLOP": 1.0,
    "kFLOP": 1e3,
    "MFLOP": 1e6,
    "GFLOP": 1e9,
}
UNITS_TOLD = "B, KiB, MiB, FLOP or MFLOP, or a plain count"
_FIGURE = re.compile(r"(\d[\d,]*(?:\.\d+)?|\.\d+) ?([A-Za-z]*)")
_LEADERBOARD = re.compile(r"^Leaderboard:(.*)$", re.MULTILINE)
_FIELDS = 5
_MOST_NAME = 40


@dataclass(frozen=True)
class Row:
    """One row, letter for letter, and its line in the text, counted from 1."""

    line: int
    cost: str
    before: str
    after: str
    times: str
    where: str


def rows_of(text: str) -> Iterator[Row]:
    r"""The rows of the table, its head and the line below that left out.

    >>> [one.cost for one in rows_of("| cost | a | b | c | d |\n|--|--|--|--|--|\n|x|2|1|2|f|")]
    ['x']
    """
    for number, line in enumerate(text.splitlines(), 1):
        fields = [one.strip() for one in line.strip().strip("|").split("|")]
        is_row = line.strip().startswith("|") and len(fields) == _FIELDS
        is_head = fields[0].lower() == "cost" or set(line) <= set("|-: ")
        if is_row and not is_head:
            yield Row(number, *fields)


def figure_of(text: str) -> float | None:
    """A figure with its unit, in units of one; None where it is none.

    >>> figure_of("28.3 KiB"), figure_of("5,800"), figure_of("866 MFLOP"), figure_of("many")
    (28979.2, 5800.0, 866000000.0, None)
    """
    found = _FIGURE.fullmatch(text.strip())
    if not found or found[2] not in _UNITS:
        return None
    return float(found[1].replace(",", "")) * _UNITS[found[2]]


def leaderboard_name(text: str) -> str:
    """The name that a report wants to have on the leaderboard; "" for none.

    >>> leaderboard_name("Leaderboard: Ada"), leaderboard_name("Leaderboard: no")
    ('Ada', '')
    """
    found = _LEADERBOARD.search(text)
    name = found[1].strip()[:_MOST_NAME] if found else ""
    return "" if name.lower() in ("", "no", "none", "...") else name
