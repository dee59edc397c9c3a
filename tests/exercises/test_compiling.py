"""Plays that have a real compiler read a learner's kernel say so; a grader relies on that."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpuedu import compilers, triton
from gpuedu.course.proof import Bench
from gpuedu.exercises.registry import load_play
from gpuedu.simt import launch
from gpuedu.syllabus import exercise_ids
from tests.sampled import sampled

ROOT = Path(__file__).parents[2]
CHOSEN = ["register-tile", "accumulate-in-float32", "elementwise", "raw-kernel", "fused-softmax"]
ON_MACHINE = [one for one in exercise_ids() if load_play(one).on_machine]


@pytest.mark.parametrize("exercise", sampled(ON_MACHINE, every=4, chosen=CHOSEN))
def test_who_compiles_a_kernel_says_so(exercise, monkeypatch):
    asked = []

    def noted(home, name):
        ask = getattr(home, name)

        def noting(*arguments, **options):
            asked.append(name)
            return ask(*arguments, **options)

        monkeypatch.setattr(home, name, noting)

    noted(compilers, "compiled_facts")
    noted(compilers, "check_kernel")
    noted(triton, "simulate")
    launch._cuda_c_program.cache_clear()  # another test may have compiled the same kernel
    bench = Bench(ROOT, exercise)
    assert bench.try_answers(bench.solution_cells(), "solution", 7).state == "solved"
    assert bool(asked) == bench.exercise.play.compiles_kernel, asked
