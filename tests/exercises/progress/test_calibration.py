from __future__ import annotations

import pytest

from gpuedu.exercises.progress.calibration import (
    Calibration,
    calibrate,
    format_calibration,
    is_within_factor_two,
    revealed,
)
from gpuedu.exercises.progress.events import ProgressEvent


def said(key: str, value: float | str, second: int) -> ProgressEvent:
    return _event("prediction", key, value, second)


def shown(key: str, value: float | str, second: int) -> ProgressEvent:
    return _event("truth", key, value, second)


def _event(kind: str, key: str, value: float | str, second: int) -> ProgressEvent:
    at = f"2026-03-01T09:30:{second:02d}.000000+00:00"
    return ProgressEvent(f"{kind}-{key}-{second}", kind, key, at, {"value": value})


@pytest.mark.parametrize(
    ("predicted", "truth", "near"),
    [
        (50, 100, True),
        (49.999, 100, False),
        (200, 100, True),
        (200.001, 100, False),
        (0.2, 0.1, True),
        (-150, -100, True),
        (-100, 100, False),
        (0, 0, True),
        (0, 1e-300, False),
        (1e-300, 0, False),
        (1e299, 1.2e299, True),
    ],
)
def test_factor_of_two_is_a_ratio_in_both_directions(predicted, truth, near):
    assert is_within_factor_two(predicted, truth) is near
    assert is_within_factor_two(truth, predicted) is near


def test_the_last_prediction_before_the_first_reveal_counts():
    events = [
        said("cost", 1.0, 1),
        said("cost", 30.0, 2),
        shown("cost", 40.0, 3),
        said("cost", 40.0, 4),
        shown("cost", 1000.0, 5),
    ]
    assert revealed(events) == {"cost": (30.0, 40.0)}
    # The order of arrival does not matter, only that of the clock: imports come late.
    assert revealed(reversed(events)) == {"cost": (30.0, 40.0)}


def test_predictions_without_reveal_and_reveals_without_prediction_do_not_count():
    events = [said("open", 3.0, 1), shown("unasked", 3.0, 2), said("unasked", 3.0, 3)]
    assert revealed(events) == {}
    assert calibrate(events) == Calibration()


def test_numbers_and_choices_are_counted_apart():
    events = [
        said("a", 10.0, 1),
        shown("a", 21.0, 2),
        said("b", 10.0, 3),
        shown("b", 20.0, 4),
        said("c", "faster", 5),
        shown("c", "slower", 6),
        said("d", "slower", 7),
        shown("d", "slower", 8),
        said("e", "many", 9),
        shown("e", 12.0, 10),
    ]
    counts = calibrate(events)
    assert counts == Calibration(numbers=3, within_factor_two=1, choices=2, choices_right=1)
    line = "Predictions: 1 of 3 within a factor of two; 1 of 2 choices and exact numbers right"
    assert format_calibration(counts) == line


def test_the_line_leaves_out_what_there_is_none_of():
    assert format_calibration(Calibration()) == "Predictions: none revealed yet"
    assert format_calibration(Calibration(9, 7)) == "Predictions: 7 of 9 within a factor of two"
    assert (
        format_calibration(Calibration(0, 0, 2, 2))
        == "Predictions: 2 of 2 choices and exact numbers right"
    )
