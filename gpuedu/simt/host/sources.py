"""A function's source text on its way to another process.

The machine runs source text. A notebook cell's text is only in this process, so a kernel that is
pickled takes it along.
"""

from __future__ import annotations

import linecache
from collections.abc import Callable
from pathlib import Path
from typing import Any


def text_of(function: Callable[..., Any]) -> tuple[str, str] | None:
    """File name and text of the cell that a function is from; None if it is from a file."""
    name = function.__code__.co_filename
    lines = linecache.getlines(name)
    return None if Path(name).exists() or not lines else (name, "".join(lines))


def keep(source: tuple[str, str] | None) -> None:
    """Make a cell's text known here, under its file name."""
    if source is not None:
        name, text = source
        # Without a time of change, linecache does not look for the file.
        linecache.cache.setdefault(name, (len(text), None, text.splitlines(True), name))
