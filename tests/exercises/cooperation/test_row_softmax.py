"""The judge of row-softmax: which mistake it names, and what it does not hold against a kernel."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from gpuedu import cp
from gpuedu.exercises.card import report_card
from gpuedu.exercises.cooperation.judge.row_softmax import JUDGE, tolerance_of
from gpuedu.exercises.cooperation.judge.softmax_asks import softmax
from gpuedu.exercises.cooperation.softmax_pictures import _meetings, draw_row_softmax
from gpuedu.exercises.examine import Report, examine
from gpuedu.exercises.kernels.launching import run_kernel
from gpuedu.exercises.registry import load
from gpuedu.figures.style import alt_text
from gpuedu.lens.rounds import Exchange, Round, Store

CODE = """
extern "C" __global__ void row_softmax(const float* x, float* y, int columns) {
    __shared__ float part[256];
    int t = threadIdx.x;
    x += blockIdx.x * columns;
    y += blockIdx.x * columns;
    float largest = x[0], total = 0.0f;
    for (int j = t; j < columns; j += blockDim.x)
        largest = fmaxf(largest, x[j]);
    part[t] = largest;
    __syncthreads();
    for (int gap = blockDim.x / 2; gap > 0; gap >>= 1) {
        if (t < gap) part[t] = fmaxf(part[t], part[t + gap]);
        __syncthreads();
    }
    largest = part[0];
    __syncthreads();  // again
    for (int j = t; j < columns; j += blockDim.x)
        total += expf(x[j] - largest);
    part[t] = total;
    __syncthreads();
    for (int gap = blockDim.x / 2; gap > 0; gap >>= 1) {
        if (t < gap) part[t] += part[t + gap];
        __syncthreads();
    }
    for (int j = t; j < columns; j += blockDim.x)
        y[j] = expf(x[j] - largest) / part[0];
}
"""


def kernel(*changes: tuple[str, str]) -> cp.RawKernel:
    code = CODE
    for old, new in changes:
        assert old in code, old
        code = code.replace(old, new)
    return cp.RawKernel(code, "row_softmax")


def hand_in(*changes: tuple[str, str]) -> Report:
    return examine(load("row-softmax"), (kernel(*changes),))


def lost(report: Report) -> list[str]:
    return [name for name, holds in report.held().items() if not holds]


def fault(report: Report, prop: str):
    (found,) = [result.fault for result in report.results if result.property.name == prop]
    assert found is not None, report_card(report)
    return found


@pytest.mark.parametrize("seed", range(3))
def test_the_reference_is_solved(seed):
    assert examine(load("row-softmax"), (kernel(),), seed).state == "solved"


@pytest.mark.parametrize(
    ("changes", "prop", "asks"),
    [
        ([("expf(x[j] - largest)", "expf(x[j])")], "stable", "so that none is above 0"),
        ([("largest = x[0], total", "largest = 0.0f, total")], "stable", "0 / 0 is no number"),
        ([(" / part[0]", "")], "values", "not yet divided"),
        ([(" / part[0]", " / total")], "values", "its own columns"),
        ([("    largest = part[0];\n", "")], "values", "the largest of its own columns"),
        ([("blockIdx.x * columns", "0 * columns")], "values", "Row 1 of `y` was not written"),
        (
            [("x += blockIdx.x * columns;", "")],
            "values",
            "That is what row 0 has in this place",
        ),
        ([("j += blockDim.x", "j += columns")], "values", "were not written"),
        (
            [("total = 0.0f;", "total = t < columns ? 0.0f : 1.0f;")],
            "values",
            "has added 1 to the sum",
        ),
        ([("part[t] = total;", "part[t] += total;")], "values", "what does a thread's sum begin"),
        ([("y[j] =", "y[j] = 0.5f *")], "values", "adds up to 0.5"),
    ],
)
def test_a_wrong_result_is_told_with_its_way(changes, prop, asks):
    assert asks in fault(hand_in(*changes), prop).cause


def test_a_place_that_is_used_again_too_early_is_told_with_both_lines():
    report = hand_in(("    __syncthreads();  // again\n", ""))
    assert lost(report) == ["together"]
    found = fault(report, "together")
    assert "`part[t] = total;`" in found.message
    assert "read on line 16" in found.message
    assert "may be at line 19 while a slow one is still at line 16" in found.cause


def test_lanes_of_one_warp_are_not_taken_to_be_in_step():
    fold = "        if (t < gap) part[t] += part[t + gap];\n        __syncthreads();\n"
    report = hand_in((fold, fold.replace("__syncthreads();", "if (gap > 16) __syncthreads();")))
    assert lost(report) == ["together"]
    assert "since Volta its lanes need not be in step" in fault(report, "together").cause


def test_a_column_too_many_is_told_as_such():
    report = hand_in(("j < columns", "j <= columns"))
    assert {"values", "inside", "together"} <= set(lost(report))
    assert "let 100 through?" in fault(report, "inside").cause
    assert "is column 0 of the next" in fault(report, "together").cause


def test_an_index_outside_of_shared_memory_is_asked_about_there():
    report = hand_in(("part[256]", "part[128]"))
    assert "How many elements has `part`" in fault(report, "inside").cause


def test_unwritten_places_of_idle_threads_are_told():
    report = hand_in(("    part[t] = largest;", "    if (t < columns) part[t] = largest;"))
    assert lost(report) == ["inside"]
    assert "if it has no column" in fault(report, "inside").cause


@pytest.mark.parametrize(
    "change",
    [
        (" / part[0]", " * (1.0 / part[0])"),
        ("float largest = x[0], total = 0.0f;", "float largest = x[0]; double total = 0;"),
        ("expf(x[j] - largest) /", "(float)exp((double)(x[j] - largest)) /"),
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
    again = "        if (x[j] > largest) largest = x[j];\n"
    assert hand_in(("        largest = fmaxf(largest, x[j]);\n", again)).state == "solved"
    fourth = (
        "    float largest = x[0]",
        "    for (int j = t; j < columns; j += blockDim.x)\n"
        "        y[j] = x[j];\n    float largest = x[0]",
    )
    report = hand_in(fourth)
    assert lost(report) == ["reads"]
    assert "each element 4.1 times on average" in fault(report, "reads").message


def test_exponentials_may_wait_in_y():
    kept = (
        "        total += expf(x[j] - largest);",
        "        total += y[j] = expf(x[j] - largest);",
    )
    scaled = ("y[j] = expf(x[j] - largest) / part[0];", "y[j] /= part[0];")
    report = hand_in(kept, scaled)
    assert report.state == "solved"
    assert [found.message for found in report.findings] == []


def test_a_fold_that_loses_the_largest_is_not_stable():
    fold = "        if (t < gap) part[t] = fmaxf(part[t], part[t + gap]);\n"
    assert lost(hand_in((fold, ""))) == ["stable"]
    report = hand_in(
        (fold, "        if (t < gap && gap > 1) part[t] = fmaxf(part[t], part[t + gap]);\n")
    )
    assert lost(report) == ["stable"]


def test_a_race_does_not_hide_why_a_row_is_no_number():
    report = hand_in(
        ("    __syncthreads();  // again\n", ""), ("largest = x[0], total", "largest = 0.0f, total")
    )
    assert lost(report) == ["stable", "together"]
    assert "0 / 0 is no number" in fault(report, "stable").cause


def test_arguments_taken_in_another_order_are_told():
    report = hand_in(("const float* x, float* y", "float* y, const float* x"))
    assert "passes `x` first" in fault(report, "values").cause


def test_an_array_without_shared_is_a_threads_own():
    report = hand_in(("__shared__ ", ""))
    assert "What makes an array the block's?" in fault(report, "inside").cause


def test_atomics_of_all_threads_on_one_place_do_not_share_the_work():
    fold = CODE[
        CODE.index("    part[t] = total;") : CODE.index(
            "    for (int j = t; j < columns; j += blockDim.x)\n        y[j]"
        )
    ]
    atomic = (
        "    if (t == 0) part[0] = 0.0f;\n    __syncthreads();\n"
        "    atomicAdd(part, total);\n    __syncthreads();\n"
    )
    report = hand_in((fold, atomic))
    assert lost(report) == ["rounds"]
    assert "meet at one address" in fault(report, "rounds").message


def test_a_mistake_of_the_language_is_told_in_one_sentence():
    report = hand_in(("part[t] = total;", "part[t] = total"))
    assert report.state == "wrong"
    found = fault(report, "values")
    assert found.message == (
        'line 21 of the source, `__syncthreads();`, cannot be compiled: expected a ";"'
    )
    assert "line 20" in found.cause
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
    assert hand_in(("    part[t] = total;", "    // YOUR CODE HERE\n    ...")).state == "unsolved"
    kept = ("    part[t] = total;", "    // YOUR CODE HERE\n    part[t] = total;")
    assert hand_in(kept).state == "solved"


def test_the_prediction_is_what_the_definition_gives():
    x, y = np.float32([[0, 100]]), np.zeros((1, 2), np.float32)
    plain = kernel(("expf(x[j] - largest)", "expf(x[j])"))
    run_kernel(plain, 1, 32, x, y, np.int32(2))
    assert str(y[0, 1]) == JUDGE.predictions["row-softmax"].truth


def test_cases_have_rows_in_which_everything_matters():
    cases = JUDGE.cases(np.random.default_rng(3))
    shapes = {(case.inputs["x"].shape[1] > case.inputs["threads"]) for case in cases}
    assert shapes == {True, False}
    assert min(case.inputs["x"].max() for case in cases) < 0
    for case in cases:
        expected = softmax(case.inputs["x"])
        assert np.allclose(expected.sum(axis=1), 1)
        # A kernel that writes nothing, 0, or equal shares is further off than float32 allows.
        for wrong in (case.inputs["y"], 0 * expected):
            assert (np.abs(wrong - expected) > tolerance_of(case.inputs["x"], expected)).any()


def test_the_picture_has_both_folds_and_what_lies_between():
    ax = draw_row_softmax(kernel())
    said = alt_text(ax)
    assert "all of these have read part[0]" in {text.get_text() for text in ax.texts}
    assert "32 written, 31 read of other threads" in said
    assert said.count(", 1 written, 1 read of other threads") == 2


def test_rounds_on_own_places_are_left_out_of_the_picture():
    own, other = Store(1, 1, (1,)), Store(0, 0, (0, 1))
    rounds = (Round(0, (own,)), Round(0, (own,)), Round(0, (other,)), Round(1, (own,)))
    kept = _meetings(Exchange("part", 2, 0, rounds)).rounds
    assert kept == (rounds[0], rounds[2], rounds[3])


def test_without_shared_memory_the_picture_shows_lanes():
    code = """
extern "C" __global__ void alone(const float* x, float* y, int columns) {
    if (threadIdx.x < columns) y[threadIdx.x] = x[threadIdx.x];
}"""
    assert draw_row_softmax(cp.RawKernel(code, "alone")) is not None
