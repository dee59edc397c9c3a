"""A cell that nobody has filled in, in Python and in a text of CUDA C."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from gpuedu.exercises.placeholder import has_placeholder, source_has_placeholder

BLANK = "void f() {\n    // YOUR CODE HERE (about 3 lines)\n    ...\n}"


@pytest.mark.parametrize(
    ("source", "is_blank"),
    [
        (BLANK, True),
        (BLANK.replace("//", "#"), True),
        (BLANK.replace("    ...\n", ""), False),
        (BLANK.replace("...", "return;"), False),
        ("// TODO\n...", False),
    ],
)
def test_a_blank_is_its_marker_and_the_dots_below(source, is_blank):
    assert source_has_placeholder(source) is is_blank
    assert has_placeholder(SimpleNamespace(code=source)) is is_blank


def test_an_object_that_raises_for_every_name_is_no_blank():
    class Hostile:
        def __getattr__(self, name: str):
            raise RuntimeError(name)

    assert not has_placeholder(Hostile())


def test_code_that_is_no_text_is_not_read():
    assert not has_placeholder(SimpleNamespace(code=BLANK.encode()))
