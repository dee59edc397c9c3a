"""What simulated ranks should not do earns nothing, however little of it shows on the network."""

from __future__ import annotations

import numpy as np
import pytest

from gpuedu.course.proof import Bench
from gpuedu.exercises.collectives.tree_or_ring import judge as tree_or_ring
from tests.grading.test_equal_verdicts import ROOT, graded
from tests.hostile.ranks import BY_EXERCISE

BY_HEART = (
    ("plan", "fastest"),
    ("plan", "none"),
    ("gpipe", "enough"),
    ("interleaved", "gradients"),
    ("attention-heads", "heads"),
    ("fsdp2-in-practice", "messages"),
)
_NOT_ASKED = {"seed", "costs", "flop_per_s", "within", "across", "units"}
"""Of a case's inputs what a right answer does not depend on, or not on its values."""


def _asked(value):
    if isinstance(value, dict):
        return tuple((k, _asked(v)) for k, v in sorted(value.items()) if k not in _NOT_ASKED)
    return tuple(map(_asked, value)) if isinstance(value, list | tuple) else value


@pytest.mark.parametrize(("exercise", "prop"), BY_HEART)
def test_no_property_is_held_by_a_table_of_the_known_cases(exercise, prop):
    judge, found = Bench(ROOT, exercise).exercise.judge, []
    for seed in range(8):
        cases = [
            one
            for one in judge.cases(np.random.default_rng(seed))
            if prop in (one.decides or (prop,))
        ]
        flags = [[flag for _, flag in one.inputs.get("units", ())] for one in cases]
        found.append({(_asked(one.inputs), *kept) for one, kept in zip(cases, flags, strict=True)})
    by_heart = set.union(*found[:-1])
    assert found[-1] - by_heart


@pytest.mark.parametrize("exercise", BY_EXERCISE)
def test_the_network_is_not_larger_than_it_is(exercise, zygote):
    text, earned = BY_EXERCISE[exercise]
    bench = Bench(ROOT, exercise)
    report = graded(bench, [*bench.solution_cells(), text], zygote)
    assert report.state in ("wrong", "partly"), report.refusal
    assert {name for name, holds in report.held().items() if holds} == earned


def test_a_schedule_of_far_too_many_rounds_is_not_simulated(monkeypatch):
    def never(*_):
        raise AssertionError("it was simulated")

    monkeypatch.setattr(tree_or_ring, "simulate", never)
    cases = tree_or_ring.JUDGE.cases(np.random.default_rng(0))
    case = next(one for one in cases if one.decides == ("rounds",))
    ranks, size = case.inputs["ranks"], case.inputs["size_bytes"]
    assert ranks == 2
    rounds = [(1, 0, size), *[(0, 1, size)] * 1000]
    rows = [[number, *message] for number, message in enumerate(rounds)]
    (fault,) = tree_or_ring.JUDGE.verdict(case, {"rows": rows})
    assert "1001 rounds" in fault.message
