"""A play looks at all that a case gives it: what it has no use for would be a truth, or the like."""

from __future__ import annotations

import copy
from pathlib import Path

import numpy as np
import pytest

from gpuedu.course.proof import Bench
from gpuedu.exercises.guard import play_guarded
from gpuedu.exercises.registry import load
from gpuedu.syllabus import exercise_ids
from tests.sampled import sampled

ROOT = Path(__file__).parents[2]
SEED = 1
NO_ANSWERS = {
    "float-anatomy": {"format"},
    "throughput-knee": {"exact"},
    "accumulate-gradients": {"of_the_list"},
    "gpipe": {"costs", "seed"},
    "one-f-one-b": {"costs", "seed"},
    "interleaved": {"costs", "seed"},
}
"""What some judges alone look at, and no learner's code could make use of."""
LAUNCHING = frozenset({"torch-ddp", "survive"})
"""Each case starts several processes."""
BESIDE = [one for one in exercise_ids() if not load(one).play.on_machine and one not in LAUNCHING]
CHOSEN = ["alpha-beta", "transfer-size", "noise-scale", "checkpoint-shards"]


class Watched(dict):
    """Inputs of a case; ``seen`` are the names of those that were looked at."""

    def __init__(self, inputs):
        super().__init__(inputs)
        self.seen = set()

    def __getitem__(self, name):
        self.seen.add(name)
        return super().__getitem__(name)

    def get(self, name, default=None):
        self.seen.add(name)
        return super().get(name, default)

    def items(self):
        self.seen |= set(self)
        return super().items()


@pytest.mark.filterwarnings("default")  # in a notebook a warning is no error
@pytest.mark.parametrize("exercise", sampled(BESIDE, every=4, chosen=CHOSEN))
def test_a_play_looks_at_all_that_it_is_given(exercise):
    bench, kinds = Bench(ROOT, exercise), {}
    for case in bench.exercise.judge.cases(np.random.default_rng(SEED)):
        kinds.setdefault((case.decides, tuple(case.inputs)), case)
    answers = bench.answers(bench.solution_cells(), "solution")
    for case in kinds.values():
        inputs = Watched(copy.deepcopy(dict(case.inputs)))
        outcome = play_guarded(lambda inputs=inputs: bench.exercise.play.run(answers, inputs), 60)
        assert outcome.problem is None, outcome.problem
        unseen = set(inputs) - inputs.seen - NO_ANSWERS.get(exercise, set())
        assert not unseen, f"{case.label}: leave it out, or make it the case's `truth`: {unseen}"
