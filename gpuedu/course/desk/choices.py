"""What a class votes on: the truth of a prediction among answers that are plausible (pure).

Wrong numbers come from ``typical.toml``, which says how one gets to each of them. Where it has too
few, multiples of the truth fill up.
"""

from __future__ import annotations

import random
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources

from gpuedu.exercises.contract import Prediction
from gpuedu.exercises.predictions import with_unit

CHOICES = 4
LETTERS = "ABCDEF"
_FACTORS = (2, 0.5, 4, 0.25, 10, 0.1, 3, 5)
_MEASURED_FACTORS = (10, 0.1, 100)
"""Of a measurement, which differs from one machine to the next: powers of ten tell them apart."""
_BESIDE_ZERO = (1, 10, 50, 100)
_WHOLE_SHARE = 100
_ROUNDED = ".2g"


@dataclass(frozen=True)
class Choice:
    """One answer to vote on; ``how`` says how one gets to a wrong one, where that is known."""

    letter: str
    text: str
    is_true: bool
    how: str = ""


def choices_for(
    key: str, prediction: Prediction, measured: float | None = None
) -> tuple[Choice, ...]:
    """The choices of a prediction, always in the same order; none where the truth is not known.

    Choices that the exercise has keep their order. Numbers are shuffled, by the prediction's key.

    Args:
        key: the prediction's.
        prediction: what is asked.
        measured: the truth of a prediction that a measurement answers.

    >>> from gpuedu.exercises.registry import load_prediction
    >>> [one.text for one in choices_for("thread-index", load_prediction("thread-index"))]
    ['4 lanes', '0 lanes', '28 lanes', '32 lanes']
    """
    if prediction.choices:
        said = [(text, text == prediction.truth, "") for text in prediction.choices]
    else:
        truth = prediction.truth if measured is None else float(format(measured, _ROUNDED))
        if truth is None:
            return ()
        said = _numbers(key, prediction, float(truth), is_measured=prediction.truth is None)
    return tuple(Choice(letter, *one) for letter, one in zip(LETTERS, said, strict=False))


def _numbers(
    key: str, prediction: Prediction, truth: float, *, is_measured: bool
) -> list[tuple[str, bool, str]]:
    found = {with_unit(truth, prediction): (True, "")}
    for value, how in (*typical(key).items(), *_filling(truth, prediction, is_measured)):
        if len(found) < CHOICES:
            found.setdefault(with_unit(value, prediction), (False, how))
    said = [(text, is_true, how) for text, (is_true, how) in found.items()]
    random.Random(key).shuffle(said)
    return said


def _filling(
    truth: float, prediction: Prediction, is_measured: bool
) -> Iterator[tuple[float, str]]:
    """Numbers of the same kind as the truth: whole where it is, and a share where it is one."""
    if truth == 0:
        yield from ((float(value), "") for value in _BESIDE_ZERO)
        return
    most = _WHOLE_SHARE if prediction.unit == "%" else float("inf")
    for factor in _MEASURED_FACTORS if is_measured else _FACTORS:
        value = truth * factor
        is_alike = is_measured or value.is_integer() or not truth.is_integer()
        if abs(value) <= most and is_alike:
            yield value, ""


def typical(key: str) -> Mapping[float, str]:
    """Wrong numbers that people give for a prediction, and how they get there."""
    return {float(value): how for value, how in all_typical().get(key, {}).items()}


@cache
def all_typical() -> Mapping[str, Mapping[str, str]]:
    """The whole table, by the predictions' keys."""
    text = resources.files("gpuedu.course.desk").joinpath("typical.toml").read_text("utf-8")
    return tomllib.loads(text)
