"""paged-cache: beside the learner's code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from gpuedu.errors import AnswerError
from gpuedu.exercises.contract import Answer, Inputs, Play
from gpuedu.exercises.functions import call_play
from gpuedu.exercises.guard import ToldProblemError, explain
from gpuedu.exercises.serving.paged_cache.blocks import (
    Operation,
    history,
    new_state,
    operate,
    read_state,
    told,
)

_WASTE = call_play("wasted_share(lengths, size, longest) -> contiguous, in_blocks")


def play_paged_cache(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """After each operation: the place that it gave, and the state; or the shares of waste."""
    *functions, wasted_share = answers
    if inputs["call"] == "wasted_share":
        return dict(_WASTE.run([wasted_share], inputs))
    named = dict(zip(("append", "fork", "release"), functions, strict=True))
    operations, size = inputs["operations"], inputs["size"]
    state, before = (new_state(inputs["blocks"], size) for _ in range(2))
    steps = []
    for at, operation in enumerate(operations, 1):
        if not _is_possible(operation, before):
            steps.append({**before, "place": None})
            continue
        try:
            place = operate(named, state, operation)
        except AnswerError:
            raise
        except Exception as fault:
            raise _told_with(history(operations[:at], size, before), fault) from fault
        before = read_state(state, told(operation))
        steps.append({"place": place, **before})
    return {"steps": steps}


def _is_possible(operation: Operation, before: Mapping[str, Any]) -> bool:
    """Whether there is what it forks or releases: not, where no token of it found a place."""
    name, text, *_ = operation
    return name == "append" or text in before["tables"] or text in before["lengths"]


def _told_with(happened: str, fault: Exception) -> Exception:
    """The problem that an operation raised, with those before it."""
    problem = explain(fault, 0)
    if problem.ends_check or problem.is_missing:
        return fault
    return ToldProblemError(replace(problem, message=f"{happened}: {problem.message}"))


PLAY = Play(
    (
        Answer("append", signature=("state", "text")),
        Answer("fork", signature=("state", "old", "new")),
        Answer("release", signature=("state", "text")),
        *_WASTE.answers,
    ),
    play_paged_cache,
)
