from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

from gpuedu.exercises.progress.events import Kind, ProgressEvent, new_event
from gpuedu.exercises.progress.summary import (
    attempts_in,
    best_of,
    hints_in,
    summarize,
)

START = datetime(2026, 3, 1, 23, 0, tzinfo=UTC)


def attempt(exercise: str, points: float, max_points: float, hour: int) -> ProgressEvent:
    body = {"points": points, "max_points": max_points, "properties": {}, "seconds": 1.0}
    return new_event(Kind.ATTEMPT, exercise, START + timedelta(hours=hour), body)


def hint(exercise: str, number: int) -> ProgressEvent:
    return new_event(Kind.HINT, exercise, START, {"number": number})


EVENTS = [
    attempt("amdahl", 4, 4, 5),
    attempt("amdahl", 1, 4, 0),
    attempt("amdahl", 4, 4, 3),
    attempt("amdahl", 5, 6, 9),
    hint("amdahl", 2),
    hint("amdahl", 1),
    hint("break-even", 1),
    attempt("retired-exercise", 0, 3, 1),
]


def test_attempts_come_in_order_of_time():
    assert [a.points for a in attempts_in(EVENTS, "amdahl")] == [1, 4, 4, 5]
    assert attempts_in(EVENTS, "break-even") == ()


def test_the_best_attempt_has_the_largest_share_and_of_equals_is_the_first():
    best = best_of(attempts_in(EVENTS, "amdahl"))
    assert (best.points, best.max_points) == (4, 4)
    assert best.at == "2026-03-02T02:00:00.000000+00:00"
    assert best_of([]) is None


def test_an_exercise_without_points_is_never_solved():
    (only,) = attempts_in([attempt("amdahl", 0, 0, 0)], "amdahl")
    assert only.share == 0
    assert not only.is_solved


def test_hints_used_is_the_highest_shown():
    assert hints_in(EVENTS, "amdahl") == 2
    assert hints_in(EVENTS, "saxpy") == 0


def test_a_summary_has_all_that_was_tried():
    summary = summarize(EVENTS)
    by_name = {entry.exercise: entry for entry in summary.exercises}
    assert list(by_name) == ["amdahl", "break-even", "retired-exercise"]
    amdahl = by_name["amdahl"]
    assert (amdahl.best_points, amdahl.max_points, amdahl.attempts, amdahl.hints) == (4, 4, 4, 2)
    assert amdahl.first_solved == "2026-03-02T02:00:00.000000+00:00"
    assert amdahl.last_checked == "2026-03-02T08:00:00.000000+00:00"
    assert by_name["break-even"].attempts == 0
    assert by_name["break-even"].last_checked is None
    assert by_name["retired-exercise"].first_solved is None
    assert (summary.points, summary.max_points, summary.solved) == (4, 7, 1)


def test_as_dict_is_strict_json():
    found = json.loads(json.dumps(summarize(EVENTS).as_dict(), allow_nan=False))
    assert found["solved"] == 1
    assert found["exercises"][0]["exercise"] == "amdahl"
    assert found["calibration"]["numbers"] == 0
