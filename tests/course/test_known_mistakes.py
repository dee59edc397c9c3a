"""What a build refuses to compute of wrong answers, and what it says of it."""

from __future__ import annotations

import re

import pytest

from gpuedu.course.known_mistakes import mistakes_of
from gpuedu.course.proof import Bench
from gpuedu.course.stored import Change, StoredAnswer
from gpuedu.errors import CatalogError

ONCE = "def copied_bytes(n, itemsize):\n    return n * itemsize\n"


@pytest.fixture
def first_check(root, monkeypatch):
    def storing(*stored: StoredAnswer) -> Bench:
        monkeypatch.setattr(Bench, "stored_wrong", lambda self: {one.name: one for one in stored})
        return Bench(root, "first-check")

    return storing


def test_two_answers_that_give_the_same_ask_the_same(first_check):
    one = StoredAnswer("one", "float32", "How often is it read?", statements=ONCE)
    other = StoredAnswer("other", "float32", "How often is it written?", statements=ONCE)
    told = "'one' and 'other' give the same result where 'float32' is lost first, but ask different"
    with pytest.raises(CatalogError, match=told) as fault:
        mistakes_of(first_check(one, other))
    assert "`like: one`" in fault.value.remedy
    assert set(mistakes_of(first_check(one))) == {"one"}


def test_a_property_that_does_not_exist_is_told_before_anything_is_computed(first_check):
    bench = first_check(StoredAnswer("one", "float16", "Why?", statements="raise OSError"))
    with pytest.raises(
        CatalogError, match="loses 'float16', which is not one of float32, any-item"
    ):
        mistakes_of(bench)


def test_an_edit_that_fits_nowhere_is_told_though_it_asks_nothing(first_check):
    change = Change(("    return 3 * n",), ("    return n",))
    with pytest.raises(CatalogError, match="matches no place"):
        mistakes_of(first_check(StoredAnswer("one", "float32", changes=(change,))))


def test_a_wrong_solution_is_told_with_its_counterexample(first_check, monkeypatch):
    cells = [text.replace("2 *", "3 *") for text in first_check().solution_cells()]
    monkeypatch.setattr(Bench, "solution_cells", lambda self: cells)
    told = r"first-check: the solution is wrong: float32: on n = .* gave \d+ bytes, expected"
    with pytest.raises(CatalogError) as fault:
        mistakes_of(first_check())
    assert re.search(told, fault.value.message)
