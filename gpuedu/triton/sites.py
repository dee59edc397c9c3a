"""Where in a kernel's source something happens."""

from __future__ import annotations

import linecache
import sys
from dataclasses import dataclass
from functools import lru_cache
from types import CodeType, FrameType
from typing import Any

from gpuedu.trace import Place, Source


@dataclass(frozen=True)
class Site:
    """An expression of the source: its line, its column from 0, and its text."""

    place: Place
    column: int
    text: str


NOWHERE = Site(Place("?", 0), 0, "")


class Sources:
    """The functions of a launch, by the code that runs for them."""

    def __init__(self) -> None:
        self._of: dict[str, list[Source]] = {}

    def add(self, source: Source) -> None:
        """A kernel, or a function that it calls; the kernel comes first."""
        self._of.setdefault(source.file, []).append(source)

    @property
    def all(self) -> tuple[Source, ...]:
        """In the order in which they were added."""
        return tuple(one for of_file in self._of.values() for one in of_file)

    def here(self) -> Site:
        """The expression that is being computed: of the innermost function of the launch."""
        frame: FrameType | None = sys._getframe(1)
        while frame is not None:
            if frame.f_code.co_filename in self._of:
                return _site(frame.f_code, frame.f_lasti)
            frame = frame.f_back
        return NOWHERE

    def of_failure(self, fault: BaseException) -> Site:
        """Where an exception was raised in one of these functions, innermost."""
        found = NOWHERE
        trace: Any = fault.__traceback__
        while trace is not None:
            code = trace.tb_frame.f_code
            if code.co_filename in self._of:
                found = _site(code, trace.tb_lasti)
            trace = trace.tb_next
        return found


@lru_cache(maxsize=4096)
def _site(code: CodeType, at: int) -> Site:
    lines, last, first_column, last_column = list(code.co_positions())[at // 2]
    line, column = lines or code.co_firstlineno, first_column or 0
    text = linecache.getline(code.co_filename, line)
    if last == line and last_column:
        text = text.encode()[column:last_column].decode(errors="replace")
    return Site(Place(code.co_name, line), column, text.strip())
