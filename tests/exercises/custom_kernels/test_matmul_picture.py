"""The picture of triton-matmul: what is drawn is what the learner's programs did."""

from __future__ import annotations

import pytest

from gpuedu.exercises.registry import load_picture
from gpuedu.figures.style import alt_text
from tests.exercises.stored import stored_answers
from tests.figures.legibility import assert_fit_to_print


@pytest.mark.parametrize(
    ("kind", "name", "told"),
    [
        ("right", "swizzled", "your kernel: 8 stripes: 4,096 bytes from memory."),
        ("wrong", "row_by_row", "your kernel: 17 stripes: 8,704 bytes from memory."),
        ("wrong", "column_by_column", "your kernel: 10 stripes: 5,120 bytes from memory."),
        ("wrong", "first_tile_for_all", "your kernel: 2 stripes: 1,024 bytes from memory."),
    ],
)
def test_the_stripes_that_the_first_programs_load_are_counted(kind, name, told):
    (matmul,) = stored_answers("triton-matmul", kind, name).values()
    axes = load_picture("triton-matmul")(matmul)
    assert alt_text(axes).startswith("row by row: 17 stripes: 8,704 bytes")
    assert alt_text(axes).endswith(told)
    assert_fit_to_print(axes)
