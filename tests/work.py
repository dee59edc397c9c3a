"""What a proof does, counted: plays, and processes that are started for them.

A count is the same on every machine and under every load, which a time is not.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from unittest import mock

from gpuedu.exercises import examine, isolation
from gpuedu.exercises.ranks import launching


@dataclass
class Work:
    """How many cases were played, and how many processes were started."""

    plays: int = 0
    processes: int = 0


@contextmanager
def counted() -> Iterator[Work]:
    """Count the plays of checks, the workers of isolated ones, and the ranks that are launched."""
    work = Work()
    play_cases, launch, start = examine.play_cases, launching.launch, isolation.Worker.__init__

    def counted_play(exercise, answers, cases):
        outcomes = play_cases(exercise, answers, cases)
        work.plays += len(outcomes)
        return outcomes

    def counted_launch(function, ranks, *arguments, **options):
        work.processes += ranks
        return launch(function, ranks, *arguments, **options)

    def counted_start(self, *arguments, **options):
        work.processes += 1
        start(self, *arguments, **options)

    with (
        mock.patch.object(examine, "play_cases", counted_play),
        mock.patch.object(launching, "launch", counted_launch),
        mock.patch.object(isolation.Worker, "__init__", counted_start),
    ):
        yield work
