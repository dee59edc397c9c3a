"""The judge of row-softmax: what it holds against a kernel, what not, and what it refuses."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from gpuedu import cp
from gpuedu.course.proof import Bench
from gpuedu.exercises.card import report_card
from gpuedu.exercises.cooperation.row_softmax.judge import JUDGE, softmax_of, tolerance_of
from gpuedu.exercises.cooperation.row_softmax.picture import _without_own_rounds, draw_row_softmax
from gpuedu.exercises.examine import Report, examine
from gpuedu.exercises.kernels.launching import run_kernel
from gpuedu.exercises.registry import load
from gpuedu.figures.style import alt_text
from gpuedu.lens.rounds import Exchange, Round, Store
from tests.exercises.cooperation.reports import fault, lost, report_of, undecided
from tests.exercises.stored import ROOT, stored_answers

_BENCH = Bench(ROOT, "row-softmax")
CODE = _BENCH.answers(_BENCH.solution_cells(), "solution")[0].code


def kernel(*changes: tuple[str, str]) -> cp.RawKernel:
    code = CODE
    for old, new in changes:
        assert old in code, old
        code = code.replace(old, new)
    return cp.RawKernel(code, "row_softmax")


def hand_in(*changes: tuple[str, str]) -> Report:
    return examine(load("row-softmax"), (kernel(*changes),))


def test_values_that_a_race_decides_are_not_judged():
    report = report_of("row-softmax", "wrong", "no_barrier_before_reuse")
    assert lost(report) == ["values", "stable", "together"]
    assert undecided(report) == ["values", "stable"]
    assert "`part[t] = sum;`" in fault(report, "together").message


def test_values_that_come_from_unwritten_places_are_not_judged():
    report = report_of("row-softmax", "wrong", "idle_threads_write_nothing")
    assert (lost(report), undecided(report)) == (
        ["values", "stable", "inside"],
        ["values", "stable"],
    )


def test_a_kernel_that_writes_next_to_nothing_earns_nothing():
    report = report_of("row-softmax", "wrong", "arguments_swapped")
    assert report.points == 0
    assert undecided(report) == [prop.name for prop in JUDGE.properties[2:]]


@pytest.mark.parametrize(
    "change",
    [
        (" / part[0]", " * (1.0 / part[0])"),
        ("float top = part[0], sum = 0.0f;", "float top = part[0]; double sum = 0;"),
        ("expf(x[first + j] - top) /", "(float)exp((double)(x[first + j] - top)) /"),
    ],
)
def test_arithmetic_in_double_is_told_with_its_line(change):
    report = hand_in(change)
    assert lost(report) == ["float32"]
    assert "computes in `double`" in fault(report, "float32").message


@pytest.mark.parametrize("change", [("expf(", "exp("), ("fmaxf(", "max("), ("0.0f", "0.0")])
def test_what_stays_in_float32_is_not_taken_for_double(change):
    assert hand_in(change).state == "solved"


def test_a_fourth_read_is_told_and_two_equal_ones_on_a_line_are_one():
    largest = "part[t] = fmaxf(part[t], x[first + j]);"
    again = "if (x[first + j] > part[t]) part[t] = x[first + j];"
    assert hand_in((largest, again)).state == "solved"
    fourth = (
        f"y[first + j] = x[first + j];\n    for (int j = t; j < columns; j += blockDim.x) {largest}"
    )
    report = hand_in((largest, fourth))
    assert lost(report) == ["reads"]
    assert "each element 4.1 times on average" in fault(report, "reads").message


def test_atomics_of_all_threads_on_one_place_do_not_share_the_work():
    report = report_of("row-softmax", "wrong", "atomics_on_one_place")
    assert lost(report) == ["rounds"]
    assert "meet at one address" in fault(report, "rounds").message


def test_a_mistake_of_the_language_is_told_in_one_sentence():
    report = hand_in(("part[t] = sum;", "part[t] = sum"))
    assert report.state == "wrong"
    found = fault(report, "values")
    assert "`for (int gap" in found.message
    assert 'cannot be compiled: expected a ";"' in found.message
    assert repr(report_card(report)).count("cannot be compiled") == 1


@pytest.mark.parametrize(
    "change",
    [("int columns)", "long long columns)"), ("int columns)", "int columns, float scale)")],
)
def test_other_parameters_are_told_with_those_of_the_launch(change):
    report = hand_in(change)
    assert "do not fit the launch" in fault(report, "values").message
    assert "`const float* x, float* y, int columns`" in fault(report, "values").cause
    assert repr(report_card(report)).count("do not fit") == 1


@pytest.mark.parametrize("given", [CODE, None, len, cp.RawKernel, SimpleNamespace(code=3)])
def test_what_is_no_raw_kernel_is_refused(given):
    report = examine(load("row-softmax"), (given,))
    assert report.state == "refused"
    assert "should be a kernel of CUDA C" in report.refusal


def test_a_blank_that_is_left_is_unsolved_and_its_marker_alone_is_not():
    assert hand_in(("    part[t] = sum;", "    // YOUR CODE HERE\n    ...")).state == "unsolved"
    kept = ("    part[t] = sum;", "    // YOUR CODE HERE\n    part[t] = sum;")
    assert hand_in(kept).state == "solved"


def test_the_prediction_is_what_the_definition_gives():
    x, y = np.float32([[0, 100]]), np.zeros((1, 2), np.float32)
    plain = stored_answers("row-softmax", "wrong", "no_max")["row_softmax"]
    run_kernel(plain, 1, 32, x, y, np.int32(2))
    assert str(y[0, 1]) == JUDGE.predictions["row-softmax"].truth


def test_cases_have_rows_in_which_everything_matters():
    cases = JUDGE.cases(np.random.default_rng(3))
    shapes = {(case.inputs["x"].shape[1] > case.inputs["block"]) for case in cases}
    assert shapes == {True, False}
    assert min(case.inputs["x"].max() for case in cases) < 0
    for case in cases:
        expected = softmax_of(case.inputs)
        assert np.allclose(expected.sum(axis=1), 1)
        # A kernel that writes nothing, 0, or equal shares is further off than float32 allows.
        for wrong in (case.inputs["y"], 0 * expected):
            assert (np.abs(wrong - expected) > tolerance_of(case.inputs)).any()


def test_the_picture_has_both_folds_and_what_lies_between():
    ax = draw_row_softmax(kernel())
    said = alt_text(ax)
    assert "all of these have read part[0]" in {text.get_text() for text in ax.texts}
    assert "32 written, 31 read of other threads" in said
    assert said.count(", 1 written, 1 read of other threads") == 2


def test_rounds_on_own_places_are_left_out_of_the_picture():
    own, other = Store(1, 1, (1,)), Store(0, 0, (0, 1))
    rounds = (Round(0, (own,)), Round(0, (own,)), Round(0, (other,)), Round(1, (own,)))
    kept = _without_own_rounds(Exchange("part", 2, 0, rounds)).rounds
    assert kept == (rounds[0], rounds[2], rounds[3])


def test_without_shared_memory_the_picture_shows_lanes():
    code = """
extern "C" __global__ void alone(const float* x, float* y, int columns) {
    if (threadIdx.x < columns) y[threadIdx.x] = x[threadIdx.x];
}"""
    assert draw_row_softmax(cp.RawKernel(code, "alone")) is not None
