"""Texts of any origin, made safe for files and terminals."""

from __future__ import annotations

MOST_TEXT = 4_000
"""Characters of one text in a verdict."""


def writable(text: str) -> str:
    r"""A text that any file can hold: not endless, and without half characters.

    >>> writable("half \ud800")
    'half ?'
    """
    return text[:MOST_TEXT].encode("utf-8", "replace").decode("utf-8")


def printable(text: str) -> str:
    r"""A text of one line in which nothing moves a terminal's cursor, or begins a line.

    >>> printable("Zoë\n[2/2] bob: 99 points \x1b[2K")
    'Zoë\\n[2/2] bob: 99 points \\x1b[2K'
    """
    return "".join(one if one.isprintable() else ascii(one)[1:-1] for one in text)
