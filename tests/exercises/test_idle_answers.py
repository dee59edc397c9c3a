"""Nobody earns a point for an answer that does nothing, whatever it gives."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from gpuedu.course.proof import Bench
from gpuedu.exercises.capture import captured
from gpuedu.exercises.examine import examine
from gpuedu.exercises.guard import play_guarded
from gpuedu.syllabus import exercise_ids
from tests.exercises.idle_answers import BODIES, idle_cells
from tests.sampled import sampled

ROOT = Path(__file__).parents[2]
SEED = 7
CHOSEN = ["launch-shape", "prefetch", "no-sync", "watch-it", "checkpoint-interval", "no-loops"]
"""Each of them once gave points to one."""
DESERVED: dict[tuple[str, str], set[str]] = {}
"""Where nothing is the right answer: properties that it earns, by exercise and kind."""


def _earned(bench, kind):
    with captured():
        try:
            answers = bench.answers(idle_cells(bench, kind), kind)
        except Exception:  # cells that cannot be run earn nothing
            return set()
        report = examine(bench.exercise, answers, SEED)
    return {name for name, holds in report.held().items() if holds}


@pytest.mark.parametrize("exercise", sampled(exercise_ids(), every=8, chosen=CHOSEN))
def test_an_answer_that_does_nothing_earns_nothing(exercise):
    bench, undeserved = Bench(ROOT, exercise), {}
    for kind in BODIES:
        outcome = play_guarded(partial(_earned, bench, kind), 60)
        assert outcome.problem is None or outcome.ends_check, (kind, outcome.problem)
        earned = outcome.observed or set()
        if more := earned - DESERVED.get((exercise, kind), set()):
            undeserved[kind] = sorted(more)
    assert not undeserved


TEXTS = {
    "image": ["dockerfile = 'FROM scratch'\ndockerignore = ''"],
    "fix-the-manifest": [
        "job = 'apiVersion: batch/v1\\nkind: Job\\nmetadata: {name: a}\\nspec: {template: '\n"
        f"pod = {pod!r}\ncontainer = ''"
        for pod in ("{spec: {restartPolicy: Never}}}", "{spec: {containers: []}}}")
    ],
}
"""Texts that say nothing, by exercise."""


@pytest.mark.parametrize(
    ("exercise", "cell"),
    [
        pytest.param(one, cell, id=f"{one}-{number}")
        for one, cells in TEXTS.items()
        for number, cell in enumerate(cells)
    ],
)
def test_a_text_that_says_nothing_earns_nothing(exercise, cell):
    report = Bench(ROOT, exercise).try_answers([cell], "nothing", SEED)
    assert not [name for name, holds in report.held().items() if holds]
