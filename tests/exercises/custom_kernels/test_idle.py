"""Kernels that load and store as the right ones do, and store nothing that they computed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from gpuedu.course.proof import Bench
from gpuedu.exercises.examine import examine

ROOT = Path(__file__).parents[3]
EXERCISES = ("fused-softmax", "layer-norm", "triton-matmul", "flash-attention", "flash-backward")


@pytest.mark.parametrize("exercise", EXERCISES)
def test_zeros_in_place_of_every_result_earn_nothing(exercise):
    bench = Bench(ROOT, exercise)
    zeros = [
        re.sub(r"(tl\.store\([^,]+, )(.+)(, mask=)", r"\1(\2) * 0\3", cell)
        for cell in bench.solution_cells()
    ]
    assert zeros != bench.solution_cells()
    report = examine(bench.exercise, bench.answers(zeros, "zeros"), 1)
    assert report.points == 0, {one.property.name: one.holds for one in report.results}
