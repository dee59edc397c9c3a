"""watch-it: beside the learner's code."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from gpuedu.errors import AnswerError
from gpuedu.exercises.contract import Answer, Inputs, Play
from gpuedu.exercises.documents import document_play
from gpuedu.exercises.plain import text
from gpuedu.exercises.serving.kept import all_kept

RULES = ("run_rules", "gpu_rules")
"""Answers that are rule files."""
_RULES = document_play(*RULES)
_MOST_CHARACTERS = 200_000
_RESULT = "the result of `scrape`"
_ASIDE = re.compile(r"# HELP |(# TYPE )?\w+_created[ {]")


def play_watch_it(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """What `scrape` returns of a case's records, or the rules where a case has none."""
    scrape, *rules = answers
    observed = _RULES.run(rules, inputs)
    if "records" not in inputs:
        return {**observed, "scraped": ""}
    records = inputs["records"]
    with all_kept("scrape", records=records):
        given = scrape(records)
    return {**dict.fromkeys(RULES, ""), "scraped": _without_asides(_as_text(given))}


def _without_asides(scraped: str) -> str:
    """Without what is free: texts for people, and when the client made a series."""
    lines = scraped.splitlines(keepends=True)
    return "".join(one for one in lines if not _ASIDE.match(one))


def _as_text(given: Any) -> str:
    if isinstance(given, bytes):
        try:
            given = bytes.decode(given, "utf-8")
        except UnicodeDecodeError:
            raise AnswerError(f"{_RESULT} isn't text in UTF-8") from None
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
