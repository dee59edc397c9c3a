"""What a function is asked differs from class to class: no table of answers earns its points."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from gpuedu.exercises.registry import load
from gpuedu.syllabus import exercise_ids
from tests.sampled import sampled

SEEDS = range(1, 6)
VALUES = {
    **{"check-the-claim": "*", "read-an-extension": "*", "export-and-run": "*"},
    **{"out-of-bounds": "found", "uninitialised": "found", "roofline": "placed"},
    "find-the-race": "found-jumps found-widen found-shares",
    **{"read-the-ladder": "order", "read-the-profile": "worst"},
    "who-waits": "reads cycle",
}
"""Answers that are values, not functions, and of properties those that are about them."""
TEXTS = {
    **{"image": "*", "fix-the-manifest": "*", "watch-it": "*"},
    "make-it-fast": "rows before after times where",
    **{"tensor-cores": "formats", "dtensor-in-practice": "block sums tokens few"},
}
"""Texts, plans and reports on a thing that is given, and is the same for everybody."""
RUNS = {
    **{"who-is-independent": "*", "checkpointing": "else memory flop", "no-sync": "block nested"},
    **{"accumulate-in-float32": "compiled", "accumulate-gradients": "memory"},
    "memory-ledger": "measured",
}
"""What is looked at in one run, or on given networks: no answer to it can be told in advance."""
SETTLED = {
    "autocast": "products listed unlisted",
    "dtensor-in-practice": "linear collective",
}
"""Questions of which there are only so many: which operation, layer or wheel."""


def _fixed(exercise):
    """The properties that every seed asks about in the same way."""
    judge = load(exercise).judge
    drawn = [judge.cases(np.random.default_rng(seed)) for seed in SEEDS]

    def asked(prop, cases):
        deciding = (one for one in cases if not one.decides or prop in one.decides)
        return [pickle.dumps(_plain(one.inputs)) for one in deciding]

    return {
        prop.name
        for prop in judge.properties
        if all(asked(prop.name, cases) == asked(prop.name, drawn[0]) for cases in drawn[1:])
    }


def _plain(value):
    """A value without what tells one object from an equal one."""
    if isinstance(value, np.ndarray):
        return value.shape, str(value.dtype), value.tobytes()
    if isinstance(value, dict):
        return [(key, _plain(one)) for key, one in value.items()]
    if isinstance(value, (list, tuple)):
        return [_plain(one) for one in value]
    return repr(value)


@pytest.mark.parametrize("exercise", sampled(exercise_ids(), every=4, chosen=["occupancy"]))
def test_cases_are_drawn(exercise):
    told = [one[exercise] for one in (VALUES, TEXTS, RUNS, SETTLED) if exercise in one]
    excused = {name for names in told for name in names.split()}
    fixed = _fixed(exercise)
    if "*" not in excused:
        assert fixed <= excused, "a table of answers earns these"
