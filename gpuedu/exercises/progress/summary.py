"""What a learner's events mean: attempts, the best of them, and where the course stands."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from gpuedu.exercises.progress.calibration import Calibration, calibrate
from gpuedu.exercises.progress.events import Kind, ProgressEvent, in_order

_ROUNDING = 1e-9


@dataclass(frozen=True)
class Attempt:
    """One check of an exercise: which properties held, the learner's time, and when (UTC, ISO)."""

    exercise: str
    points: float
    max_points: float
    properties: Mapping[str, bool]
    seconds: float
    at: str

    @property
    def share(self) -> float:
        """Points as a share of the most; releases may change how many points there are."""
        return self.points / self.max_points if self.max_points > 0 else 0.0

    @property
    def is_solved(self) -> bool:
        """Whether it got all points."""
        return self.share >= 1 - _ROUNDING


@dataclass(frozen=True)
class ExerciseProgress:
    """Where one exercise stands; ``max_points`` is 0 while only hints were taken.

    ``last_checked``: when it was tried last (UTC, ISO); None before the first attempt.
    """

    exercise: str
    best_points: float
    max_points: float
    attempts: int
    first_solved: str | None
    hints: int
    last_checked: str | None = None


@dataclass(frozen=True)
class ProgressSummary:
    """All exercises that were tried, by id, and how predictions compare with the truth."""

    exercises: tuple[ExerciseProgress, ...]
    calibration: Calibration

    @property
    def points(self) -> float:
        """Best points of all exercises together."""
        return sum(entry.best_points for entry in self.exercises)

    @property
    def max_points(self) -> float:
        """What the tried exercises give at most."""
        return sum(entry.max_points for entry in self.exercises)

    @property
    def solved_ids(self) -> frozenset[str]:
        """The exercises that got all points at least once."""
        return frozenset(one.exercise for one in self.exercises if one.first_solved is not None)

    @property
    def solved(self) -> int:
        """How many exercises got all points at least once."""
        return len(self.solved_ids)

    def as_dict(self) -> dict[str, Any]:
        """Plain values only, ready for JSON."""
        return {
            "exercises": [asdict(entry) for entry in self.exercises],
            "points": self.points,
            "max_points": self.max_points,
            "solved": self.solved,
            "calibration": asdict(self.calibration),
        }


def attempts_in(events: Iterable[ProgressEvent], exercise: str) -> tuple[Attempt, ...]:
    """The attempts at one exercise, in order of time."""
    return tuple(
        Attempt(exercise=exercise, at=event.at, **event.body)
        for event in in_order(events)
        if event.kind == Kind.ATTEMPT and event.name == exercise
    )


def best_of(attempts: Iterable[Attempt]) -> Attempt | None:
    """The attempt with the largest share of the points; of equals, the first."""
    return max(attempts, key=lambda attempt: attempt.share, default=None)


def hints_in(events: Iterable[ProgressEvent], exercise: str) -> int:
    """Number of the last hint that was shown, 0 before the first."""
    return max(
        (e.body["number"] for e in events if e.kind == Kind.HINT and e.name == exercise), default=0
    )


def summarize(events: Iterable[ProgressEvent]) -> ProgressSummary:
    """From events to where the course stands."""
    events = in_order(events)
    by_name: dict[str, list[ProgressEvent]] = {}
    for event in events:
        if event.kind in (Kind.ATTEMPT, Kind.HINT):
            by_name.setdefault(event.name, []).append(event)
    entries = tuple(_exercise_progress(name, by_name[name]) for name in sorted(by_name))
    return ProgressSummary(entries, calibrate(events))


def _exercise_progress(exercise: str, events: list[ProgressEvent]) -> ExerciseProgress:
    attempts = attempts_in(events, exercise)
    best = best_of(attempts)
    return ExerciseProgress(
        exercise=exercise,
        best_points=best.points if best else 0.0,
        max_points=best.max_points if best else 0.0,
        attempts=len(attempts),
        first_solved=next((attempt.at for attempt in attempts if attempt.is_solved), None),
        hints=hints_in(events, exercise),
        last_checked=attempts[-1].at if attempts else None,
    )
