"""What a spreadsheet would compute in a table, whichever sign it takes for the separator."""

from __future__ import annotations

import csv
import io
import re

HOSTILE = (
    "=1+1",
    "x;=cmd|' /C calc'!A0;y",
    'x";=1+1;"y',
    "x\t=1+1\ty",
    "\n=1+1",
    "x\n=1+1",
    "x\r=1+1",
    "\x0b=1+1",
    " =1+1",
    "\u200b=1+1",
    "\u2028@SUM(1)",
    "\uff1d1+1",
    "\uff0b1+1",
    "\uff0d1",
    "\uff20SUM(1)",
)
_FORMULA = re.compile(r"[\s\u200b]*[=+\-@\uff1d\uff0b\uff0d\uff20]")


def formulas_in(table: str) -> list[str]:
    """Cells that would be computed if cells are separated by commas, semicolons or tabs."""
    return [
        cell
        for separator in ",;\t"
        for row in csv.reader(io.StringIO(table, newline=""), delimiter=separator)
        for cell in row
        if _FORMULA.match(cell)
    ]
