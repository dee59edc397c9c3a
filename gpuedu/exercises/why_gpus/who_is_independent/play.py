"""who-is-independent: beside the learner's code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gpuedu.errors import AnswerError
from gpuedu.exercises.contract import Answer, Inputs, Play
from gpuedu.exercises.functions import entry
from gpuedu.exercises.plain import describe
from gpuedu.exercises.why_gpus.who_is_independent.loops import MENU, NAMES


def play_who_is_independent(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """The learner's two words for one loop, both from the menu."""
    (chains,) = answers
    name = inputs["loop"]
    pair = entry(chains, name, NAMES)
    if type(pair) not in (tuple, list) or len(pair) != 2:
        got = f"{len(pair)} of them" if type(pair) in (tuple, list) else _told(pair)
        raise AnswerError(
            f"the entry for {name!r} should be a pair (as written, best known), got {got}"
        )
    observed = {}
    for column, word in zip(("as_written", "best_known"), pair, strict=True):
        place = f"the entry for {name!r}, {column.replace('_', ' ')},"
        observed[column], observed[f"{column}_fault"] = _from_menu(word, place)
    return observed


def _from_menu(word: Any, place: str) -> tuple[str, str]:
    """The word and no fault, or no word and what is wrong: one half does not spoil the other."""
    if type(word) is str and word in MENU:
        return word, ""
    menu = ", ".join(f'"{entry}"' for entry in MENU)
    return "", f"{place} should be one of {menu}, got {_told(word)}"


def _told(value: Any) -> str:
    """A value that stands in a dict or is returned on purpose: None is no missing `return`."""
    return "None" if value is None else describe(value)


PLAY = Play((Answer("chains", dict),), play_who_is_independent)
