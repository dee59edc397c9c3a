"""read-the-ladder: beside the learner's code."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from gpuedu.errors import AnswerError
from gpuedu.exercises.contract import Answer, Inputs, Play
from gpuedu.exercises.plain import describe, text


def play_read_the_ladder(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """The order of the five kernels, or the limit that the learner's function names."""
    order, limit_of = answers
    if inputs["ask"] == "order":
        return {"order": [_place(order, key) for key in inputs["keys"]]}
    account = dict(inputs["account"])
    got = limit_of(account)
    if not isinstance(got, str):
        raise AnswerError(
            f"`limit_of` should return one of the five strings, got {describe(got)}",
            remedy='For example `return "data path"`.',
        )
    kept, others = account == inputs["account"], inputs["others"]
    is_same = all(_says(limit_of, one) == got for one in others)
    return {"got": text(got, "what `limit_of` returned"), "kept": kept, "is_same": is_same}


def _says(limit_of: Callable[..., Any], account: Mapping[str, float]) -> Any:
    """What it says of another account; None where it fails, which is judged elsewhere."""
    try:
        return limit_of(dict(account))
    except Exception:
        return None


def _place(order: Mapping[str, Any], key: str) -> str:
    if key not in order:
        raise AnswerError(f"`order` has no entry for {key!r}")
    return text(order[key], f"the entry for {key!r}").strip().upper()


PLAY = Play(
    (Answer("order", dict), Answer("limit_of", signature=("account",))),
    play_read_the_ladder,
    on_machine=True,
)
