"""How near a learner's predictions came to the truth."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from gpuedu.exercises.progress.events import Kind, ProgressEvent, in_order


@dataclass(frozen=True)
class Calibration:
    """Counts of revealed predictions: numbers, those near the truth, choices, right choices.

    A number that must be met exactly is kept as a text, and so counts among the choices.
    """

    numbers: int = 0
    within_factor_two: int = 0
    choices: int = 0
    choices_right: int = 0


def is_within_factor_two(predicted: float, truth: float) -> bool:
    """Whether the larger is at most twice the smaller, with one sign; 0 wants exactly 0.

    >>> is_within_factor_two(5, 10), is_within_factor_two(21, 10), is_within_factor_two(-9, 10)
    (True, False, False)
    >>> is_within_factor_two(0, 0), is_within_factor_two(1e-9, 0)
    (True, False)
    """
    if truth == 0 or predicted == 0:
        return predicted == truth
    if (predicted < 0) != (truth < 0):
        return False
    # Doubling is exact in binary floating point, a quotient is not.
    return abs(predicted) <= 2 * abs(truth) and abs(truth) <= 2 * abs(predicted)


def revealed(events: Iterable[ProgressEvent]) -> dict[str, tuple[float | str, float | str]]:
    """For each key, the last prediction before its first reveal, and the truth of that reveal."""
    predicted: dict[str, float | str] = {}
    truths: dict[str, float | str] = {}
    for event in in_order(events):
        if event.name in truths:
            continue
        if event.kind == Kind.PREDICTION:
            predicted[event.name] = event.body["value"]
        elif event.kind == Kind.TRUTH:
            truths[event.name] = event.body["value"]
    return {key: (predicted[key], truth) for key, truth in truths.items() if key in predicted}


def calibrate(events: Iterable[ProgressEvent]) -> Calibration:
    """Count what `revealed` finds; a text against a number is a miss of the truth's kind."""
    pairs = revealed(events).values()
    numbers = [(said, truth) for said, truth in pairs if not isinstance(truth, str)]
    choices = [(said, truth) for said, truth in pairs if isinstance(truth, str)]
    near = [
        not isinstance(said, str) and is_within_factor_two(said, truth) for said, truth in numbers
    ]
    return Calibration(
        numbers=len(numbers),
        within_factor_two=sum(near),
        choices=len(choices),
        choices_right=sum(said == truth for said, truth in choices),
    )


def format_calibration(calibration: Calibration) -> str:
    """One line for a person.

    >>> format_calibration(Calibration(9, 7, 3, 2))
    'Predictions: 7 of 9 within a factor of two; 2 of 3 choices and exact numbers right'
    """
    parts = []
    if calibration.numbers:
        near = calibration.within_factor_two
        parts.append(f"{near} of {calibration.numbers} within a factor of two")
    if calibration.choices:
        parts.append(
            f"{calibration.choices_right} of {calibration.choices} choices and exact numbers right"
        )
    said = "; ".join(parts) or "none revealed yet"
    return f"Predictions: {said}"
