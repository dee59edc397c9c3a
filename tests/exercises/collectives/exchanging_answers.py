"""Answers to the exercises on collectives of sends and receives, and the exercises themselves."""

from __future__ import annotations

import linecache
from collections.abc import Callable
from typing import Any

import torch
import torch.distributed as dist

from gpuedu.exercises.contract import Exercise
from gpuedu.exercises.examine import Report, examine
from gpuedu.exercises.registry import load_judge, load_play
from tests.exercises.stored import stored_answers

NAMES = ("reduce-scatter", "all-gather", "ring-all-reduce", "broadcast-tree")
_RIGHT = {
    "broadcast-tree": "halves",
    "reduce-scatter": "batched",
    "all-gather": "batched",
    "ring-all-reduce": "nothing_for_empty_chunks",
}


def stored(exercise: str, kind: str, name: str) -> Callable[..., Any]:
    """A stored answer, ``kind`` is "right" or "wrong"."""
    (answer,) = stored_answers(exercise, kind, name).values()
    return answer


def right(exercise: str) -> Callable[..., Any]:
    """A right answer."""
    return stored(exercise, "right", _RIGHT[exercise])


def define(text: str, name: str, file: str = "<cell>") -> Callable[..., Any]:
    """A function of a notebook's cell."""
    space: dict[str, Any] = {"torch": torch, "dist": dist}
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    exec(compile(text, file, "exec"), space)
    return space[name]


def hand_in(exercise: str, answer: Callable[..., Any], seed: int = 0) -> Report:
    """The verdict on an answer."""
    whole = Exercise(exercise, "collectives", load_play(exercise), load_judge(exercise))
    return examine(whole, [answer], seed)


def fault(report: Report, prop: str) -> str:
    """What the card says of a lost property, with its likely cause."""
    (found,) = (one.fault for one in report.results if one.property.name == prop)
    return f"{found.message} {found.cause}"
