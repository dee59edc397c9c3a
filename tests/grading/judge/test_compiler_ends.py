"""A kernel that ends Triton's compiler: the grader and a notebook say the same of it."""

from __future__ import annotations

import re

from gpuedu.course.proof import Bench
from tests.grading.test_equal_verdicts import ROOT, checked, graded


def kernel_that_ends_it(bench):
    """The solution, and below it a line that is never run, of which an assertion fails."""
    (text,) = (cell for cell in bench.solution_cells() if "tl.store" in cell)
    ends = "nothing = tl.store\\1\n    if columns < 0:\n        tl.store(out + tl.arange(0, 16), nothing)"
    return [*bench.solution_cells(), re.sub(r"tl\.store(\(.+\))", ends, text)]


def test_where_the_compiler_ends_nothing_is_earned_and_the_next_answer_is_judged(zygote):
    bench = Bench(ROOT, "fused-softmax")
    cells = kernel_that_ends_it(bench)
    own, theirs = checked(bench, cells, "ends it"), graded(bench, cells, zygote)
    assert own.state == theirs.state == "wrong"
    assert own.held() == theirs.held()
    assert "Triton's compiler itself gave up" in own.results[0].fault.message
    assert "ended the process" in theirs.results[0].fault.message
    assert graded(bench, bench.solution_cells(), zygote).state == "solved"
