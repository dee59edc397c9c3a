"""A sample is never empty, and what it leaves out is skipped by name."""

import pytest

from tests.sampled import only_whole, sampled


def left_out(cases):
    return [case.values[0] for case in cases if only_whole in getattr(case, "marks", ())]


def test_each_nth_case_and_those_chosen_are_kept():
    assert left_out(sampled("abcdef", every=3)) == ["b", "c", "e", "f"]
    assert left_out(sampled("abc", chosen=["b"])) == ["a", "c"]
    assert left_out(sampled([("a", 1), ("b", 2)], every=2)) == ["b"]


def test_a_case_keeps_its_name_and_marks():
    pictured = pytest.param("b", marks=pytest.mark.browser, id="second")
    _, case = sampled(["a", pictured], every=2)
    assert (case.id, list(case.marks)) == ("second", [pytest.mark.browser, only_whole])


@pytest.mark.parametrize(("cases", "chosen"), [([], []), (["a"], []), (["a"], ["b"])])
def test_a_sample_of_nothing_is_refused(cases, chosen):
    with pytest.raises(ValueError, match="nothing to run, or no case of this name"):
        sampled(cases, chosen=chosen)
