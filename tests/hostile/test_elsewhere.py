"""Answers that keep, pad or hide what a property asks about, so that it does not show."""

from __future__ import annotations

import pytest

from gpuedu.course.proof import Bench
from tests.grading.test_equal_verdicts import ROOT, graded

KEPT = """
import copy, random
kept = []

def save(run):
    kept.append((copy.deepcopy(vars(run)), torch.get_rng_state(), random.getstate()))
    return {"number": len(kept) - 1}

def resume(run, state):
    parts, of_torch, of_python = kept[state["number"]]
    vars(run).update(copy.deepcopy(parts))
    torch.set_rng_state(of_torch)
    random.setstate(of_python)
"""
"""All of a run stays in the process, and its file has a number."""

ANSWERS = {
    "save-and-resume": (KEPT, set()),
}
"""By exercise: the answer, and what it has earned all the same."""


@pytest.mark.parametrize("exercise", ANSWERS)
def test_what_is_not_done_is_not_hidden(exercise, zygote):
    text, earned = ANSWERS[exercise]
    bench = Bench(ROOT, exercise)
    report = graded(bench, [*bench.stub_cells(), text], zygote)
    assert report.state in ("wrong", "partly"), report.refusal
    assert {name for name, holds in report.held().items() if holds} == earned
