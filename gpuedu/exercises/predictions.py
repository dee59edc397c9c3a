"""What a learner may predict, and how a prediction is compared with the truth."""

from __future__ import annotations

import math

from gpuedu.errors import AnswerError
from gpuedu.exercises.card import Card
from gpuedu.exercises.contract import Prediction
from gpuedu.exercises.plain import describe, number

_ONE_OF = {
    "all-reduces": "all-reduce",
    "barriers": "barrier",
    "blocks' worth": "block's worth",
    "bytes": "byte",
    "codes": "code",
    "copies": "copy",
    "elements": "element",
    "floats": "float",
    "hours": "hour",
    "instructions": "instruction",
    "kernels": "kernel",
    "lanes": "lane",
    "messages": "message",
    "numbers": "number",
    "passes": "pass",
    "places": "place",
    "rounds": "round",
    "samples": "sample",
    "sectors": "sector",
    "shards": "shard",
    "steps": "step",
    "stripes": "stripe",
    "threads": "thread",
    "times": "time",
    "tokens": "token",
    "turns": "turn",
    "updates": "update",
    "warps": "warp",
    "workers": "worker",
}
"""Units that are plural nouns, as they are written after 1; symbols and ratios stay."""


def prediction_value(prediction: Prediction, value: object) -> float | str:
    """The prediction as it is stored; AnswerError says what would be accepted."""
    if prediction.choices:
        if value in prediction.choices:
            return str(value)
        raise AnswerError(
            f"a prediction should be one of the choices here, got {describe(value)}",
            remedy=", ".join(repr(choice) for choice in prediction.choices),
        )
    try:
        found = number(value, "a prediction")
    except AnswerError as refusal:
        raise AnswerError(refusal.message, remedy="a plain number, such as 12 or 1e6") from None
    if not math.isfinite(found):
        raise AnswerError(f"a prediction should be a finite number, got {found}")
    return float(found)


def as_kept(value: float | str, prediction: Prediction) -> float | str:
    """A value as the progress keeps it: one that is exact as a text, which is right or wrong.

    >>> as_kept(2050.0, Prediction("which?", exact=True)), as_kept(2050.0, Prediction("about?"))
    ('2050.0', 2050.0)
    """
    return repr(float(value)) if prediction.exact else value


def as_said(kept: float | str, prediction: Prediction) -> float | str:
    """What ``as_kept`` was given."""
    return float(kept) if prediction.exact else kept


def with_unit(value: float | str, prediction: Prediction) -> str:
    """A value as written for this prediction.

    >>> with_unit(27e6, Prediction("how many?", unit="elements"))
    '27,000,000 elements'
    >>> with_unit(133.102, Prediction("how much?"))
    '133.1'
    >>> with_unit(2048.5, Prediction("which?", exact=True))
    '2,048.5'
    >>> with_unit(1, Prediction("how many?", unit="passes"))
    '1 pass'
    >>> with_unit(7.5, Prediction("what share?", unit="%"))
    '7.5%'
    """
    if isinstance(value, str):
        return value
    shown = (
        f"{value:,.0f}" if value == int(value) and abs(value) < 1e15 else _short(value, prediction)
    )
    unit = _ONE_OF.get(prediction.unit, prediction.unit) if value == 1 else prediction.unit
    return f"{shown}%" if unit == "%" else f"{shown} {unit}".strip()


def _short(value: float, prediction: Prediction) -> str:
    return f"{value:,.10g}" if prediction.exact else f"{value:.4g}"


def factor_off(said: float, truth: float) -> float:
    """By what factor a prediction missed, at least 1; infinite if the signs differ.

    >>> factor_off(8, 32), factor_off(32, 8), factor_off(-1, 1)
    (4.0, 4.0, inf)
    """
    if said == truth:
        return 1.0
    if said * truth <= 0:
        return math.inf
    return max(said / truth, truth / said)


def _how_far(said: float, truth: float, factor: float, exact: bool) -> str:
    """In words: right, close, within a factor of two, so many times too low or too high.

    A count is right where it is exact; where only that counts, nothing else is called near.
    """
    if said != truth and exact and factor <= 2:
        return "not right"
    if said == truth or (factor <= 1.005 and not float(truth).is_integer()):
        return "right"
    if factor <= 1.05:
        return "close"
    if factor <= 2:
        return "within a factor of two"
    if not math.isfinite(factor):
        return "far off"
    return f"{float(f'{factor:.2g}'):,g} times too {'high' if said > truth else 'low'}"


def require_truth(measured: float) -> float:
    """A measurement that a prediction can be compared with; AnswerError for any other."""
    found = number(measured, "what was measured")
    if not (math.isfinite(found) and found > 0):
        raise AnswerError(
            f"what was measured should be a positive number, got {describe(found)}",
            remedy="run the cells above again",
        )
    return float(found)


def reveal_card(key: str, prediction: Prediction, said: float | str, truth: float | str) -> Card:
    """The prediction beside the truth, and why it is so."""
    words = f"You said {with_unit(said, prediction)}; it is {with_unit(truth, prediction)}"
    if prediction.choices:  # some are sentences: "it stays"
        words = f'You said "{said}"; the answer is "{truth}"'
    if isinstance(said, str) or isinstance(truth, str):
        verdict, good = ("as predicted", True) if said == truth else ("not as predicted", False)
    else:
        off = factor_off(said, truth)
        good = said == truth if prediction.exact else off <= 2
        verdict = _how_far(said, truth, off, prediction.exact)
    return Card(
        f"{key}: {verdict}",
        "solved" if good else "partly",
        paragraphs=(f"{words}.", prediction.because) if prediction.because else (f"{words}.",),
    )
