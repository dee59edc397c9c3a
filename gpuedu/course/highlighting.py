"""Colors for the code that nbgrader shows, in a time that its length bounds."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from itertools import groupby
from typing import Any

from nbconvert.filters.highlight import Highlight2HTML

_MOST_CHARACTERS = 10_000
_MOST_BLANK = 20
"""Blank lines in a row: Pygments takes a time that grows with the square of their number."""


def highlighted(source: str, language: str | None = None, metadata: Any = None) -> str:
    """A cell as HTML; without colors if it is very long, or has many blank lines in a row."""
    is_plain = len(source) > _MOST_CHARACTERS or _most_blank(source.splitlines()) > _MOST_BLANK
    return _highlight()(source, language="text" if is_plain else language, metadata=metadata)


def _most_blank(lines: Iterable[str]) -> int:
    runs = (sum(1 for _ in run) for is_text, run in groupby(lines, key=str.strip) if not is_text)
    return max(runs, default=0)


@cache
def _highlight() -> Highlight2HTML:
    return Highlight2HTML(pygments_lexer="ipython3")
