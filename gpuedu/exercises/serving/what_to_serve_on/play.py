"""what-to-serve-on: beside the learner's code."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from gpuedu.errors import AnswerError
from gpuedu.exercises.contract import Answer, Inputs, Play
from gpuedu.exercises.functions import call_play
from gpuedu.exercises.plain import items, number, numbers, text, whole_number
from gpuedu.exercises.serving.kept import on_copies

SPEEDS = ("tokens/s of all texts", "tokens/s of one text")
SAMPLE_SPEEDS, SAMPLE_PRICE = (8, 0.25), (100.0, 3.6, 1.0)
"""Arguments with which ``speeds`` and ``per_million`` are tried beside ``cheapest``."""
_NUMBERS = call_play(
    "texts_that_fit(model, length, device) -> int",
    "step_s(model, batch, length, device)",
    f"speeds(batch, seconds) -> {', '.join(SPEEDS)}",
    "per_million(tokens_per_s, price_per_hour, used)",
)
_CHEAPEST = Answer("cheapest", signature=("model", "length", "devices", "least_per_s"))
_ANSWERS = (*_NUMBERS.answers, _CHEAPEST)
_RESULT = "the result of `cheapest`"
_MOST = 1_000
"""Texts of a step that is tried."""


def play_what_to_serve_on(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """The number or the two that a case asks for, or the ``name`` and ``batch`` of the choice.

    ``name`` and ``batch`` are None where nothing is chosen. ``own`` is what the other functions
    give of these devices. ``changed`` says which arguments were changed.
    """
    changed: list[str] = []
    pairs = zip(_ANSWERS, answers, strict=True)
    fit, *others = (on_copies(one, function, changed) for one, function in pairs)
    *numbers, cheapest = _in_whole(fit), *others
    if inputs["call"] != "cheapest":
        return {**_NUMBERS.run(numbers, inputs), "changed": changed}
    own = _own(numbers, inputs)
    name, batch = choice_of(cheapest(*(inputs[one] for one in _CHEAPEST.signature))) or (None, None)
    return {"name": name, "batch": batch, "own": own, "changed": changed}


class _FloatError(AnswerError):
    """A whole number that is a float."""


def _in_whole(texts_that_fit: Callable[..., Any]) -> Callable[..., Any]:
    """The learner's, whose result has to be an int where it is a whole number."""

    def fit(*given: Any) -> Any:
        found = texts_that_fit(*given)
        if isinstance(found, float) and float.is_integer(found):
            raise _FloatError(
                f"`texts_that_fit` gave {float(found)}, which is a float",
                remedy="A whole number is an `int`, as `range` needs it.",
            )
        return found

    return fit


def _own(functions: Sequence[Callable[..., Any]], inputs: Inputs) -> list[dict[str, Any]]:
    """What the learner's other functions give, on which their ``cheapest`` may be built.

    Of each device the texts that fit, and the steps of one text and of so many. ``result`` is None
    where it is no number.
    """
    texts_that_fit, step_s, speeds, per_million = functions
    model, length, found = inputs["model"], inputs["length"], []
    for place, device in enumerate(inputs["devices"]):
        fits = _try(whole_number, texts_that_fit, model, length, device)
        found.append({"call": "texts_that_fit", "place": place, "batch": 0, "result": fits})
        for batch in (1, min(max(1, fits or 1), _MOST)):
            time_s = _try(number, step_s, model, batch, length, device)
            found.append({"call": "step_s", "place": place, "batch": batch, "result": time_s})
    both = _try(lambda given: list(map(float, numbers(given, 2))), speeds, *SAMPLE_SPEEDS)
    found.append({"call": "speeds", "place": 0, "batch": 0, "result": both})
    price = _try(number, per_million, *SAMPLE_PRICE)
    return [*found, {"call": "per_million", "place": 0, "batch": 0, "result": price}]


def _try(read: Callable[[Any], Any], function: Callable[..., Any], *given: Any) -> Any:
    """What a function gives; None where that is told in another place."""
    try:
        return read(function(*given))
    except _FloatError:
        raise
    except Exception:
        return None


def choice_of(given: Any) -> tuple[str, int] | None:
    """The device's name and the batch that the learner chose, or None.

    >>> choice_of(("A", 4.0)), choice_of(None)
    (('A', 4), None)
    >>> choice_of("A")
    Traceback (most recent call last):
    gpuedu.errors.AnswerError: the result of `cheapest` should be a name and a batch, got 'A' (str)
    """
    if given is None:
        return None
    pair = items(given, _RESULT, "a name and a batch")
    if len(pair) != 2:
        raise AnswerError(f"{_RESULT} should be a name and a batch, got {len(pair)} items")
    name = text(pair[0], "the name that `cheapest` returns")
    return name, whole_number(pair[1], "the batch that `cheapest` returns")


PLAY = Play(_ANSWERS, play_what_to_serve_on)
