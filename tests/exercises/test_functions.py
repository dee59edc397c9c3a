"""Exercises that ask for plain functions: what their play observes, and what properties say of it."""

from __future__ import annotations

import math

import numpy as np
import pytest

from gpuedu.errors import AnswerError
from gpuedu.exercises.contract import Case
from gpuedu.exercises.functions import (
    call_case,
    call_play,
    call_text,
    exact,
    left_alone,
    result_faults,
    right_result,
)

HALF = right_result("half", "half of it", 1, {"half": lambda x: x / 2}, asks="?", unit="s")
STEPS = right_result("steps", "whole", 1, {"steps": lambda n: 2 * n}, asks="?")


def faults(prop, call, observed, **inputs):
    return [one.message for one in prop.test(Case("", {"call": call, **inputs}), observed)]


def test_a_play_calls_the_function_that_the_case_asks_for():
    play = call_play("half(x)", "steps(n) -> int")
    answers = (lambda x: x / 2, lambda n: 2.0 * n)
    assert [answer.signature for answer in play.answers] == [("x",), ("n",)]
    assert play.run(answers, {"call": "half", "x": 3}) == {"result": 1.5}
    found = play.run(answers, {"call": "steps", "n": 3})
    assert found == {"result": 6}
    assert type(found["result"]) is int


def _sorts(sizes, model):
    sizes.sort()
    return model["width"]


def _keeps_a_note(sizes, model):
    model["seen"] = True
    return model["width"]


def _adds_below(sizes, model):
    model["layers"].append(3)
    return model["width"]


@pytest.mark.parametrize(
    ("function", "changed"), [(_sorts, "sizes"), (_keeps_a_note, "model"), (_adds_below, "model")]
)
def test_a_list_or_dictionary_that_is_changed_is_told_and_nothing_is_observed(function, changed):
    inputs = {"call": "fits", "sizes": [3, 1, math.nan], "model": {"width": 8, "layers": [1]}}
    with pytest.raises(AnswerError, match=f"`fits` changed `{changed}`, which it was given"):
        call_play("fits(sizes, model)").run((function,), inputs)


def test_what_is_left_as_it_was_may_hold_what_equals_nothing():
    inputs = {"call": "fits", "sizes": [3, math.nan], "model": {"width": 8}}
    play = call_play("fits(sizes, model)")
    assert play.run((lambda sizes, model: len(sizes),), inputs) == {"result": 2}


@pytest.mark.parametrize("value", [2.5, math.inf, math.nan])
def test_what_should_be_whole_and_is_not_is_observed_as_it_is(value):
    (found,) = (
        call_play("steps(n) -> int").run((lambda n: value,), {"call": "steps", "n": 3}).values()
    )
    assert found == value or (math.isnan(value) and math.isnan(found))
    assert faults(STEPS, "steps", {"result": value}, n=3)


def test_whole_numbers_are_the_same_observation_in_either_type():
    play = call_play("half(x)")
    seen = [play.run((lambda x, one=one: one,), {"call": "half", "x": 4}) for one in (2, 2.0)]
    assert {type(one["result"]) for one in seen} == {float}


def test_parts_of_a_result_are_observed_by_their_names():
    play = call_play("work(n) -> FLOP, bytes")
    assert play.run((lambda n: (n, 2 * n),), {"call": "work", "n": 3}) == {"FLOP": 3, "bytes": 6}
    with pytest.raises(AnswerError, match="2 numbers"):
        play.run((lambda n: n,), {"call": "work", "n": 3})


@pytest.mark.parametrize("value", [None, "inf", "nan"])
def test_who_has_no_number_is_told_what_stands_for_it(value):
    play = call_play("limit(p) -> float or math.inf")
    with pytest.raises(AnswerError) as refused:
        play.run((lambda p: value,), {"call": "limit", "p": 1})
    assert "`math.inf`" in refused.value.remedy


def test_a_call_that_cannot_be_read_is_refused_where_it_stands():
    with pytest.raises(ValueError, match="not a call"):
        call_play("half x")


@pytest.mark.parametrize(
    ("gives", "right", "wrong"),
    [
        ("text", "memory", "link"),
        ("flag", True, False),
        ("names", ["sm_80", "sm_86"], ["sm_86", "sm_80"]),
    ],
)
def test_what_is_no_number_is_observed_and_compared_as_it_is(gives, right, wrong):
    play, case = call_play(f"told(n) -> {gives}"), call_case("said", "told", n=1)
    prop = right_result("said", "says", 1, {"told": lambda n: right}, asks="What?")
    seen = [play.run([lambda n, given=given: given], case.inputs) for given in (right, wrong)]
    assert seen == [{"result": right}, {"result": wrong}]
    (fault,) = [fault for one in seen for fault in prop.test(case, one)]
    assert fault.message == f"`told(1)` gave {wrong!r}, expected {right!r}"


@pytest.mark.parametrize(
    ("gives", "given"),
    [
        ("text", 3),
        ("text", None),
        ("flag", 1),
        ("flag", "True"),
        ("names", "sm_80"),
        ("names", [1]),
    ],
)
def test_another_kind_of_result_is_refused(gives, given):
    play = call_play(f"told(n) -> {gives}")
    with pytest.raises(AnswerError):
        play.run([lambda n: given], {"call": "told", "n": 1})


def test_a_number_is_compared_with_room_for_rounding_and_a_whole_one_without():
    assert not faults(HALF, "half", {"result": 1.5 * (1 + 1e-9)}, x=3)
    assert faults(HALF, "half", {"result": 1.6}, x=3) == ["`half(3)` gave 1.6 s, expected 1.5 s"]
    assert not faults(STEPS, "steps", {"result": 6}, n=3)
    assert faults(STEPS, "steps", {"result": 6.0000001}, n=3)


def test_no_number_agrees_with_no_number_only():
    def told(got, wanted):
        return list(result_faults("x", Case("", {"call": "f", "x": 1}), {"result": got}, wanted))

    assert not told(math.nan, math.nan)
    assert told(math.nan, 1.0) and told(1.0, math.nan)
    assert not told(math.inf, math.inf)


def test_of_several_parts_those_that_the_truth_names_are_compared():
    case, observed = Case("", {"call": "work", "n": 2}), {"FLOP": 4.0, "bytes": 9.0}
    assert not list(result_faults("x", case, observed, {"FLOP": 4}))
    (found,) = result_faults("x", case, observed, {"FLOP": 4, "bytes": 8})
    assert found.message == "`work(2)` gave 9 bytes, expected 8 bytes"


def test_a_long_call_is_written_with_names():
    case = Case("", {"call": "f", "a": 0.5, "b": 2, "c": "copy", "d": np.zeros(3)})
    assert call_text(case) == "f(a=0.5, b=2, c='copy', d=d)"


@pytest.mark.parametrize("value", [0.1, 1 / 3, 2.0**-21, 5.39e12, 12, 0.0])
def test_a_number_as_it_is_written_gives_it_back(value):
    assert float(exact(value)) == value


def test_an_argument_that_is_changed_is_told_with_digits_enough():
    def doubles(x):
        x[1, 0] *= 1 + 1e-9

    prop = left_alone(1, ("x",))
    given = np.ones((2, 2))
    play = call_play("f(x)")
    observed = play.run((lambda x: doubles(x) or 0.0,), {"call": "f", "x": given.copy()})
    (message,) = faults(prop, "f", observed, x=given)
    assert message == "`x[1, 0]` was 1 before the call and is 1.000000001 after it"
    assert not faults(prop, "f", {"x": given.copy()}, x=given)
