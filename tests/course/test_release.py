"""What stands in a release where a solution was."""

from __future__ import annotations

import pytest
from nbformat.v4 import new_code_cell

from gpuedu.course.release import ClearAnswers, blank_of, blanks
from gpuedu.exercises.placeholder import C_MARKER

TEXT = '''code = r"""
void f() {{
    {comment} ### BEGIN SOLUTION
    // one
    int i = 1;

    i += 1;
    {comment} ### END SOLUTION
}}"""'''


def test_a_blank_in_a_text_of_cuda_c_is_a_comment_of_c():
    cell = new_code_cell(TEXT.format(comment="//"))
    assert ClearAnswers()._replace_solution_region(cell, "python")
    assert cell.source.splitlines()[2:4] == [
        "    // YOUR CODE HERE (about 2 lines)",
        "    ...",
    ]
    assert blanks(cell.source) == 1


@pytest.mark.parametrize("comment", ["#", ""])
def test_any_other_blank_is_a_comment_of_python(comment):
    cell = new_code_cell(TEXT.format(comment=comment))
    ClearAnswers()._replace_solution_region(cell, "python")
    assert "    # YOUR CODE HERE (about 3 lines)" in cell.source
    assert blanks(cell.source) == 1


def test_lines_are_counted_without_comments_of_the_language():
    region = ["#pragma unroll", "// why", "for (;;) {}"]
    assert blank_of(region, C_MARKER)[0] == "// YOUR CODE HERE (about 2 lines)"
    assert blank_of(region)[0] == "# YOUR CODE HERE (about 2 lines)"
