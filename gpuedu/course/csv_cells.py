"""Texts of any origin as cells of a spreadsheet: none is a formula, and none is several cells."""

from __future__ import annotations

import unicodedata

_ACTS = ("=", "+", "-", "@")
"""A text that begins so is computed. Source: OWASP, "CSV Injection"."""


def as_cell(text: str) -> str:
    r"""A text in one line that no spreadsheet computes, whatever separates its cells.

    Where a semicolon separates them, no quotes are around a text that has one: it becomes a comma.
    Tabs, ends of lines and all other characters that are not shown become spaces. A text that would
    act, also with a sign of full width, begins with an apostrophe.

    >>> as_cell("=1+cmd"), as_cell("Zoë"), as_cell("x;=1;y"), as_cell("\n\uff1d1")
    ("'=1+cmd", 'Zoë', 'x,=1,y', "' ＝1")
    """
    shown = "".join(one if one.isprintable() else " " for one in text).replace(";", ",")
    begins = unicodedata.normalize("NFKC", shown.lstrip()[:1])
    return f"'{shown}" if begins.startswith(_ACTS) else shown
