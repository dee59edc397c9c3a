"""From answers to a report: points, states, refusals, what a failing case takes."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from gpuedu.errors import AnswerError
from gpuedu.exercises.contract import (
    Answer,
    Case,
    Exercise,
    Fault,
    Finding,
    Judge,
    Level,
    Play,
    Undecided,
)
from gpuedu.exercises.contract import Property as Prop
from gpuedu.exercises.examine import examine, find_loss, is_solved
from gpuedu.exercises.plain import number


def make(verdict=None, cases=None, time_limit_s=5.0, answers=None):
    """Doubling a number: `small` is decided by n < 10, `large` by the rest."""

    def play(given, inputs):
        return {"value": number(given[0](inputs["n"]))}

    def judge(case, observed):
        if observed["value"] != 2 * case.inputs["n"]:
            yield Fault(case.decides[0], f"gave {observed['value']}")

    def draw(rng):
        return [
            Case("small one", {"n": 3}, ("small",)),
            Case("large one", {"n": int(rng.integers(100, 10**6))}, ("large",)),
        ]

    return Exercise(
        "double",
        "none",
        Play(answers or (Answer("double", signature=("n",)),), play, time_limit_s),
        Judge(
            "Double it",
            (Prop("small", "small ones", 1), Prop("large", "large ones", 2)),
            ("a", "b", "c"),
            cases or draw,
            verdict or judge,
        ),
    )


def test_right_is_solved_with_all_points():
    report = examine(make(), [lambda n: 2 * n])
    assert (report.state, report.points, report.max_points) == ("solved", 3, 3)
    assert type(report.points) is float


def test_each_property_loses_only_its_own_points():
    report = examine(make(), [lambda n: 2 * n if n < 10 else n])
    assert report.state == "partly"
    assert report.points == 1
    assert report.held() == {"small": True, "large": False}
    assert report.results[1].case == "large one"


def test_what_an_answer_leaves_undone_counts_once_it_does_something():
    """Who changes nothing has not left the right things alone."""

    def draw(rng):
        return [Case(f"{n}", {"n": n}, ("value",)) for n in (3, 4)] + [
            Case("never below 0", {"n": -5}, ("never",))
        ]

    def judge(case, observed):
        if case.decides == ("value",) and observed["value"] != 2 * case.inputs["n"]:
            yield Fault("value", f"gave {observed['value']}")
        if case.decides == ("never",) and observed["value"]:
            yield Fault("never", f"gave {observed['value']}")

    exercise = make(judge, draw)
    after = (Prop("value", "the double", 2), Prop("never", "0 for a debt", 1, after=("value",)))
    exercise = replace(exercise, judge=replace(exercise.judge, properties=after))
    assert examine(exercise, [lambda n: 2 * n if n > 0 else 0]).points == 3
    assert examine(exercise, [lambda n: 6 if n > 0 else 0]).points == 1  # right on one case
    report = examine(exercise, [lambda n: 0])
    assert report.points == 0 and not is_solved(exercise, [lambda n: 0])
    fault = report.results[1].fault
    assert isinstance(fault, Undecided)
    assert fault.message == "that is judged once this is right on some case: the double"


def test_what_is_right_where_there_is_nothing_to_do_has_not_begun():
    """An answer that gives 0 has the double of 0: one case of three."""

    def draw(rng):
        return [Case(f"{n}", {"n": n}) for n in (0, 3, 4)]

    def judge(case, observed):
        if observed["value"] != 2 * case.inputs["n"]:
            yield Fault("value", f"gave {observed['value']}")

    properties = (Prop("value", "the double", 2), Prop("whole", "a whole number", 1))
    exercise = make(judge, draw)
    exercise = replace(
        exercise, judge=replace(exercise.judge, properties=properties, results=("value",))
    )
    assert examine(exercise, [lambda n: 2 * n]).points == 3
    assert examine(exercise, [lambda n: 2 * n if n < 4 else 0]).points == 1
    report = examine(exercise, [lambda n: 0])
    assert report.points == 0
    told = "that is judged once this is right on more cases: the double"
    assert report.results[1].fault == Undecided("whole", told)
    judge = replace(exercise.judge, properties=properties, apart=("whole",))
    assert examine(replace(exercise, judge=judge), [lambda n: 0]).points == 1


def test_a_fault_that_another_property_explains_waits_for_it():
    def draw(rng):
        return [
            Case(f"{n}", {"n": n}, (name,)) for n, name in ((3, "near"), (4, "near"), (9, "far"))
        ]

    def judge(case, observed):
        if observed["value"] != 2 * case.inputs["n"]:
            yield Fault(case.decides[0], f"gave {observed['value']}")

    exercise = make(judge, draw)
    both = (Prop("near", "the double", 2), Prop("far", "of 9, too", 1, waits_for=("near",)))
    exercise = replace(exercise, judge=replace(exercise.judge, properties=both))
    assert examine(exercise, [lambda n: 2 * n]).points == 3
    told = examine(exercise, [lambda n: 2 * n if n < 9 else 0]).results[1].fault
    assert (type(told), told.message) == (Fault, "gave 0")
    report = examine(exercise, [lambda n: 6])
    assert report.points == 0
    assert isinstance(report.results[1].fault, Undecided)
    assert report.results[1].fault.message == "that is judged once this is right: the double"
    assert examine(exercise, [lambda n: 2 * n if n > 8 else 0]).points == 1


def test_a_case_that_raises_loses_what_it_decides():
    def double(n):
        if n == 3:
            raise ValueError("three!")
        return 2 * n

    report = examine(make(), [double])
    assert report.points == 2
    assert "ValueError: three!" in report.results[0].fault.message


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (lambda n: "6", "should be a number, got '6' (str)"),
        (lambda n: None, "a call without `return`"),
        (lambda n: True, "got True (bool)"),
        (lambda n: np.zeros(3), "got an ndarray"),
    ],
)
def test_a_result_of_the_wrong_type_is_named(given, said):
    report = examine(make(), [given])
    assert report.points == 0
    assert said in report.results[0].fault.message


def test_an_object_that_claims_to_equal_everything_earns_nothing():
    class Yes(float):
        def __eq__(self, other):
            return True

        __hash__ = None

    assert examine(make(), [lambda n: Yes(1)]).points == 0


@pytest.mark.parametrize(
    ("answers", "said"),
    [
        ([3], "got 3 (int) where it expects the function `double`"),
        ([lambda: 1], "the exercise calls `double(n)`"),
        ([lambda a, b: 1], "with 1 argument; yours is `double(a, b)`"),
        ([], "takes 1 answer, got 0"),
        ([abs, abs], "takes 1 answer, got 2"),
        ([int], "got the class int"),
    ],
)
def test_the_wrong_kind_is_refused_with_a_reason(answers, said):
    report = examine(make(), answers)
    assert report.state == "refused"
    assert said in report.refusal
    assert report.points == 0


def test_the_placeholder_is_unsolved():
    assert examine(make(), [...]).state == "unsolved"


def test_a_stub_function_is_unsolved_and_never_earns():
    def double(n):
        # YOUR CODE HERE (about 1 line)
        ...

    report = examine(make(verdict=lambda case, observed: []), [double])
    assert (report.state, report.points) == ("unsolved", 0)


def test_a_solved_function_with_the_marker_left_in_is_judged():
    def double(n):
        # YOUR CODE HERE (about 1 line)
        return n

    assert examine(make(), [double]).state == "wrong"


def test_what_never_returns_ends_the_check_and_fails_the_rest():
    def double(n):
        while n == 3:
            pass
        return 2 * n

    report = examine(make(time_limit_s=0.3), [double])
    assert report.points == 0
    assert all("did not finish" in result.fault.message for result in report.results)


def test_inputs_are_the_learners_own_copies():
    seen = []

    def draw(rng):
        return [Case("a", {"n": 1, "x": shared}, ("small", "large"))]

    def play(given, inputs):
        inputs["x"][:] = 7
        return {"value": 2}

    shared = np.zeros(2)
    exercise = make(cases=draw)
    exercise = Exercise("double", "none", Play(exercise.play.answers, play), exercise.judge)
    examine(exercise, [lambda n: seen])
    assert not shared.any()


def test_findings_take_no_points_and_are_told_once():
    def verdict(case, observed):
        yield Finding(Level.NOTE, "worth knowing")

    report = examine(make(verdict=verdict), [lambda n: 2 * n])
    assert report.points == 3
    assert [found.message for found in report.findings] == ["worth knowing"]


def test_a_judge_that_blames_a_property_the_case_does_not_decide_is_our_fault():
    def verdict(case, observed):
        yield Fault("large", "no")

    with pytest.raises(ValueError, match="does not decide"):
        examine(make(verdict=verdict), [lambda n: 2 * n])


def test_the_seed_draws_the_cases():
    labels = []

    def double(n):
        labels.append(n)
        return 2 * n

    for seed in (1, 1, 2):
        examine(make(), [double], seed)
    large = labels[1::2]
    assert large[0] == large[1] != large[2]


def test_values_of_the_wrong_kind_are_refused():
    with pytest.raises(AnswerError, match="`p` should be a dict, got 3"):
        Answer("p", kind=dict).require(3)


def test_nan_is_not_a_way_to_points():
    report = examine(make(), [lambda n: math.nan])
    assert report.points == 0


def test_of_several_answers_the_card_names_those_with_the_placeholder():
    from gpuedu.exercises.card import report_card, to_text
    from gpuedu.exercises.registry import load

    report = examine(load("transfer-size"), [abs, ..., abs, ...])
    assert report.state == "unsolved"
    assert "still in `half_size`, `send`" in to_text(report_card(report))


def test_a_loss_is_found_without_playing_more_than_it_takes():
    """Only cases that decide the property, that at the hint first, up to the first loss."""
    played = []

    def verdict(case, observed):
        played.append(case.label)
        if observed["value"] != case.inputs["x"] + 1:
            yield Fault(case.decides[0] if case.decides else "one", "wrong")

    def cases(rng):
        return [
            Case("a", {"x": 1}, ("one",)),
            Case("b", {"x": 2}, ("two",)),
            Case("c", {"x": 3}, ("two",)),
            Case("d", {"x": 4}, ("one",)),
        ]

    exercise = Exercise(
        "plus-one",
        "arithmetic",
        Play((Answer("f", "function", ("x",)),), lambda a, i: {"value": number(a[0](i["x"]))}),
        Judge("Plus one", (Prop("one", "", 1), Prop("two", "", 1)), ("", "", ""), cases, verdict),
    )
    wrong_from_three = [lambda x: x + 1 if x < 3 else 0]
    assert find_loss(exercise, wrong_from_three, "one", seed=0) == 3
    assert played == ["a", "d"]
    played.clear()
    assert find_loss(exercise, wrong_from_three, "two", seed=0, hint=2) == 2
    assert played == ["c"]
    assert find_loss(exercise, [lambda x: x + 1], "two", seed=0) is None
    assert find_loss(exercise, [lambda x: 1 / 0], "one", seed=0) == 0


@pytest.mark.parametrize(
    "answer", [lambda n: 2 * n, lambda n: n, lambda n: 2 * n if n < 10 else n, ..., lambda n: 1 / 0]
)
def test_solved_is_what_an_examination_calls_so(answer):
    assert is_solved(make(), [answer]) == (examine(make(), [answer]).state == "solved")


def test_whether_it_is_solved_is_known_at_the_first_fault():
    asked = []

    def wrong(n):
        asked.append(n)
        return n

    assert not is_solved(make(), [wrong])
    assert asked == [3]
