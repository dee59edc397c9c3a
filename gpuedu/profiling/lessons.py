"""Which lesson teaches the remedy of a finding, by the exercise that practices it."""

from __future__ import annotations

from gpuedu.syllabus import lesson_of

EXERCISES = {
    "kept-graph": "memory-ledger",
    "memory-grows": "memory-ledger",
    "loader-wait": "stall-fraction",
    "synchronization": "hidden-syncs",
    "copy": "prefetch",
    "copies-in-a-loop": "transfer-size",
    "constant": "hidden-syncs",
    "loop": "no-loops",
    "optimizer-loop": "launch-bound",
    "small-operators": "launch-bound",
    "graph-break": "compile-it",
    "float64": "float-anatomy",
    "evaluation": "memory-ledger",
    "zero-grad": "memory-ledger",
    "odd-size": "tensor-cores",
    "autocast": "autocast",
    "compile": "compile-it",
}
"""Kinds of findings, and the exercise for each; a test checks them against the syllabus."""


def lesson_for(kind: str) -> str:
    """The lesson's title and the exercise.

    >>> lesson_for("synchronization")
    'The training step (hidden-syncs)'
    """
    exercise = EXERCISES[kind]
    return f"{lesson_of(exercise).title} ({exercise})"
