"""who-is-independent: beside the learner's code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gpuedu.errors import AnswerError
from gpuedu.exercises.contract import Answer, Inputs, Play
from gpuedu.exercises.functions import entry
from gpuedu.exercises.plain import describe, items, text
from gpuedu.exercises.why_gpus.who_is_independent.loops import MENU, NAMES


def play_who_is_independent(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """The learner's two words for one loop, both from the menu."""
    (chains,) = answers
    name = inputs["loop"]
    pair = entry(chains, name, NAMES)
    words = items(pair) if isinstance(pair, (tuple, list)) else None
    if words is None or len(words) != 2:
        got = _told(pair) if words is None else f"{len(words)} of them"
        raise AnswerError(
            f"the entry for {name!r} should be a pair (as written, best known), got {got}"
        )
    observed = {}
    for column, word in zip(("as_written", "best_known"), words, strict=True):
        place = f"the entry for {name!r}, {column.replace('_', ' ')},"
        observed[column], observed[f"{column}_fault"] = _from_menu(word, place)
    return observed


def _from_menu(word: Any, place: str) -> tuple[str, str]:
    """The word and no fault, or no word and what is wrong: one half does not spoil the other."""
    if isinstance(word, str) and text(word) in MENU:
        return text(word), ""
    menu = ", ".join(f'"{entry}"' for entry in MENU)
    return "", f"{place} should be one of {menu}, got {_told(word)}"


def _told(value: Any) -> str:
    """A value that stands in a dict or is returned on purpose: None is no missing `return`."""
    return "None" if value is None else describe(value)


PLAY = Play((Answer("chains", dict),), play_who_is_independent)
