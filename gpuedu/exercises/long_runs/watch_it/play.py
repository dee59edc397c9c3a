"""watch-it: beside the learner's code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gpuedu.errors import AnswerError
from gpuedu.exercises.contract import Answer, Inputs, Play
from gpuedu.exercises.documents import document_play
from gpuedu.exercises.plain import text
from gpuedu.exercises.serving.kept import all_kept

_RULES = document_play("rules")
_MOST_CHARACTERS = 200_000
_RESULT = "the result of `scrape`"


def play_watch_it(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """What `scrape` returns of a case's records, "" where the case has none; and the rules."""
    scrape, rules = answers
    observed = _RULES.run([rules], inputs)
    if "records" not in inputs:
        return {**observed, "scraped": ""}
    records = inputs["records"]
    with all_kept("scrape", records=records):
        given = scrape(records)
    return {**observed, "scraped": _as_text(given)}


def _as_text(given: Any) -> str:
    if isinstance(given, bytes):
        try:
            given = bytes.decode(given, "utf-8")
        except UnicodeDecodeError:
            raise AnswerError(f"{_RESULT} is no text in UTF-8") from None
    if not isinstance(given, str):
        return text(given, _RESULT)
    if len(given) > _MOST_CHARACTERS:
        raise AnswerError(
            f"{_RESULT} has {len(given):,} characters: too many series",
            remedy="How many values does each of your labels take?",
        )
    return text(given, _RESULT, _MOST_CHARACTERS)


PLAY = Play((Answer("scrape", signature=("records",)), *_RULES.answers), play_watch_it)
"""The text of the rules is read by the judge."""
