"""Kernels in Triton are not just interpreted: Triton's compiler takes them for an H100."""

from __future__ import annotations

import linecache
from pathlib import Path

import numpy as np
import pytest

from gpuedu.course.proof import Bench
from gpuedu.syllabus import topic_exercises
from gpuedu.triton import compiled_facts, is_kernel

ROOT = Path(__file__).parents[3]
PROGRAMS = [
    name
    for name in topic_exercises("custom-kernels")
    if any("@triton.jit" in cell for cell in Bench(ROOT, name).solution_cells())
]


def kernels(bench):
    """The kernel of each right answer, by the answer's name."""
    (setup,) = (cell.text for cell in bench.source.cells if cell.role == "setup")
    texts = {"solution": ""} | bench.right_texts()
    for name, text in texts.items():
        whole = "\n\n\n".join([setup, *bench.solution_cells(), text])
        file = f"<{bench.id} {name}>"
        linecache.cache[file] = (len(whole), None, whole.splitlines(keepends=True), file)
        found = {"__name__": "cell"}
        exec(compile(whole, file, "exec"), found)
        kernel = found[bench.exercise.play.answers[0].name]
        assert is_kernel(kernel)
        yield name, kernel


@pytest.mark.parametrize("exercise", PROGRAMS)
def test_right_answers_compile(exercise):
    bench = Bench(ROOT, exercise)
    inputs = bench.exercise.judge.cases(np.random.default_rng(0))[0].inputs
    names = bench.exercise.play.answers[0].signature
    for name, kernel in kernels(bench):
        facts = compiled_facts(kernel, inputs["threads"], *(inputs[one] for one in names))
        assert facts.spill_stores_bytes == 0, name


def test_products_use_tensor_cores():
    attention = dict(kernels(Bench(ROOT, "flash-attention")))["solution"]
    q = np.zeros((128, 64), np.float16)
    facts = compiled_facts(attention, 128, q, q, q, q, 128, 0.125, 64, 64, 64, True)
    assert any("mma" in one for one in facts.instructions)
    assert not any("f64" in one for one in facts.instructions)
