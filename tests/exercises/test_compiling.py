"""Plays that have Numba's compiler read a learner's kernel say so; a grader relies on that."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpuedu import compilers
from gpuedu.course.proof import Bench
from gpuedu.exercises.registry import load_play
from gpuedu.syllabus import exercise_ids
from tests.sampled import sampled

ROOT = Path(__file__).parents[2]
CHOSEN = ["register-tile", "accumulate-in-float32"]
ON_MACHINE = [one for one in exercise_ids() if load_play(one).on_machine]


@pytest.mark.parametrize("exercise", sampled(ON_MACHINE, every=4, chosen=CHOSEN))
def test_who_compiles_a_kernel_says_so(exercise, monkeypatch):
    asked = []

    def facts(kernel, *arguments, **options):
        asked.append(hasattr(kernel, "py_func") or hasattr(kernel, "__code__"))
        return compiled_facts(kernel, *arguments, **options)

    compiled_facts = compilers.compiled_facts
    monkeypatch.setattr(compilers, "compiled_facts", facts)
    bench = Bench(ROOT, exercise)
    assert bench.try_answers(bench.solution_cells(), "solution", 7).state == "solved"
    assert any(asked) == bench.exercise.play.compiles_kernel
