"""Known wrong answers: how they are written, and what a slip in one is told."""

from __future__ import annotations

import pytest

from gpuedu.course.stored import read_stored
from gpuedu.errors import CatalogError

CELLS = [
    "size = 4",
    "def total(a):\n    ### BEGIN SOLUTION\n    return sum(a)\n    ### END SOLUTION\n\n"
    "def mean(a):\n    return total(a) / len(a)\n\nresult = total([size])",
]
EDIT = """\
== first_left_out
loses: values
asks: Which element is missing?
# a note
-    return sum(a)
+    return sum(a[1:])
"""
WHOLE = """\
# loses: values
# asks: Which element is missing,
#   and where would it be added?
def total(a):
    return 0
"""


@pytest.fixture
def write(tmp_path):
    def written(edits="", **whole):
        (tmp_path / "wrong.diff").write_text(edits)
        (tmp_path / "wrong").mkdir()
        for name, text in whole.items():
            (tmp_path / "wrong" / f"{name}.py").write_text(text)
        return read_stored(tmp_path)

    return written


def test_an_edit_gives_the_changed_statements_and_what_is_computed_from_them(write):
    (answer,) = write(EDIT).values()
    assert (answer.name, answer.loses) == ("first_left_out", "values")
    assert answer.asks == "Which element is missing?"
    assert (
        answer.text(CELLS) == "def total(a):\n    return sum(a[1:])\n\n\nresult = total([size])\n"
    )


def test_several_edits_and_whole_answers_stand_side_by_side(write):
    found = write(
        EDIT
        + "\n== other\nloses: mean\nlike: zero\n-    return total(a) / len(a)\n+    return 0\n@@\n"
        "-size = 4\n+size = 5\n",
        zero=WHOLE,
    )
    assert [*found] == ["first_left_out", "other", "zero"]
    assert found["zero"].asks == "Which element is missing, and where would it be added?"
    assert found["zero"].text(CELLS) == "def total(a):\n    return 0\n"
    assert found["other"].text(CELLS).startswith("size = 5\n")
    assert "def mean(a):\n    return 0" in found["other"].text(CELLS)


def test_lines_around_a_change_say_where_it_is(write):
    (answer,) = write(
        "== other\nloses: mean\n def mean(a):\n-    return total(a) / len(a)\n+    return 0\n"
    ).values()
    assert answer.text(CELLS) == "def mean(a):\n    return 0\n"


@pytest.mark.parametrize(("line", "told"), [("return max(a)", "no place"), ("", "2 places")])
def test_a_change_that_does_not_fit_one_place_is_told(write, line, told):
    (answer,) = write(f"== other\nloses: mean\n-{line}\n+x\n").values()
    with pytest.raises(CatalogError, match=f"matches {told} in the solution"):
        answer.text(CELLS)


@pytest.mark.parametrize(
    ("edits", "whole", "told"),
    [
        ("== other\n-a\n+b\n", {}, "line 1, other: a line `loses: `"),
        ("== other\nloses: mean\n", {}, "lines that begin with"),
        ("== other\nloses: mean\n+b\n", {}, "at least one that is in the solution"),
        ("other\nloses: mean\n-a\n+b\n", {}, "begins with `== ` and its name"),
        (EDIT + EDIT, {}, "a second wrong answer 'first_left_out'"),
        (EDIT, {"first_left_out": WHOLE}, "a second wrong answer"),
        (EDIT, {"zero": "def total(a):\n    return 0\n"}, "zero.py: a line `loses: `"),
        (EDIT.replace("asks: Which element is missing?", "like: none"), {}, "there is no 'none'"),
    ],
)
def test_what_is_not_of_the_form_is_told(write, edits, whole, told):
    with pytest.raises(CatalogError, match=told):
        write(edits, **whole)
