"""What a person sees while series are measured: a bar if rich is installed, otherwise lines."""

from __future__ import annotations

import sys
from typing import Any, Protocol

from gpuedu.units import format_time


class Progress(Protocol):
    """Is told about series and points."""

    def __enter__(self) -> Progress: ...
    def __exit__(self, *fault: object) -> None: ...
    def begin(self, name: str, place: int, of: int, time_s: float) -> None:
        """A series begins: its place, how many there are, and its time."""

    def say(self, text: str) -> None:
        """A line that stays."""

    def point(self, text: str) -> None:
        """A point is done."""


class Lines:
    """Plain lines on standard output."""

    def __enter__(self) -> Lines:
        return self

    def __exit__(self, *fault: object) -> None:
        pass

    def begin(self, name: str, place: int, of: int, time_s: float) -> None:
        """See Progress."""
        self.say(f"[{place}/{of}] {name}, at most {format_time(time_s)}")

    def say(self, text: str) -> None:
        """See Progress."""
        print(text, flush=True)

    def point(self, text: str) -> None:
        """See Progress."""
        self.say(f"    {text}")


class Bar:
    """rich's bar of series, with the last point beside it."""

    def __init__(self, rich_progress: Any) -> None:
        columns = (
            rich_progress.TextColumn("{task.description}"),
            rich_progress.BarColumn(),
            rich_progress.MofNCompleteColumn(),
            rich_progress.TimeElapsedColumn(),
        )
        self._bar = rich_progress.Progress(*columns)
        self._task: Any = None

    def __enter__(self) -> Bar:
        self._bar.start()
        return self

    def __exit__(self, *fault: object) -> None:
        self._bar.stop()

    def begin(self, name: str, place: int, of: int, time_s: float) -> None:
        """See Progress."""
        if self._task is None:
            self._task = self._bar.add_task(name, total=of)
        self._bar.update(self._task, description=name, completed=place - 1)

    def say(self, text: str) -> None:
        """See Progress."""
        self._bar.console.print(text, markup=False, highlight=False)

    def point(self, text: str) -> None:
        """See Progress."""
        self.say(f"    {text}")


def open_progress() -> Progress:
    """The bar on a terminal with rich, otherwise lines."""
    if not sys.stdout.isatty():
        return Lines()
    try:
        from rich import progress
    except ImportError:
        return Lines()
    return Bar(progress)
