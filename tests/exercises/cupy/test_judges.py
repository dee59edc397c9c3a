"""Verdicts of the lesson: reference answers, what a card says about a slip, and only that slip."""

from __future__ import annotations

import numpy as np
import pytest

from gpuedu.arrays import cupy as stand_in
from gpuedu.exercises.card import report_card
from gpuedu.exercises.cupy.no_loops.judge import neighbours
from gpuedu.exercises.cupy.reduction import judge as reduction
from gpuedu.exercises.cupy.stay_on_device import judge as stay_on_device
from gpuedu.exercises.registry import load
from gpuedu.syllabus import lesson
from tests.exercises.cupy import answers
from tests.exercises.cupy.answers import REFERENCE, WALK, fault, hand_in, lost, raw


def test_every_exercise_of_the_lesson_has_a_reference():
    assert set(REFERENCE) == set(lesson("cupy").exercises)


@pytest.mark.parametrize("exercise", REFERENCE)
def test_the_reference_earns_all_points_on_five_seeds(exercise):
    for seed in range(5):
        report = hand_in(exercise, seed=seed)
        assert report.state == "solved", (seed, str(report_card(report)))
        assert not report.findings


def test_points_are_as_the_lesson_says():
    points = {name: load(name).judge.points for name in lesson("cupy").exercises}
    assert points == {
        "no-loops": 5,
        "stay-on-device": 4,
        "elementwise": 4,
        "reduction": 4,
        "raw-kernel": 5,
    }


def test_votes_follow_the_rule_for_ties():
    distances = np.array([[1, 1, 1, 0], [2, 2, 2, 2]], np.float32)
    labels = np.array([2, 1, 1, 2], np.int32)
    assert neighbours.true_votes(distances, labels, 2, 3).tolist() == [2, 1]
    assert neighbours.true_votes(distances, labels, 4, 3).tolist() == [1, 1]


def test_the_oracles_know_the_edges():
    x = np.array([[-np.inf, -np.inf], [1000, 1000], [-np.inf, 3]])
    expected = [-np.inf, 1000 + np.log(2), 3]
    assert reduction.true_logsumexp(x) == pytest.approx(expected)
    assert reduction.true_logsumexp(np.empty((2, 0))).tolist() == [-np.inf, -np.inf]
    constant = np.full((3, 2), 2.0)
    probabilities = stay_on_device.true_probabilities(constant, np.ones((2, 4)))
    assert probabilities == pytest.approx(np.full((3, 4), 0.25))


def test_a_large_temporary_costs_its_property_alone_and_is_told_in_bytes():
    def large(xp, queries, points):
        return ((queries[:, None] - points) ** 2).sum(axis=2)

    report = hand_in("no-loops", large, answers.vote)
    assert lost(report) == ["memory"]
    assert "128 times the result" in fault(report, "memory").message


def test_a_wrong_formula_is_no_fault_of_the_library():
    def doubled(xp, queries, points):
        return 2 * answers.squared_distances(xp, queries, points)

    assert lost(hand_in("no-loops", doubled, answers.vote)) == ["distances"]


def test_a_function_that_does_something_else_with_cupy_is_told():
    def depends(xp, queries, points):
        right = answers.squared_distances(xp, queries, points)
        return right if xp is np else right + 1

    report = hand_in("no-loops", depends, answers.vote)
    assert lost(report) == ["both"]
    assert "NumPy" in fault(report, "both").cause


def test_a_loop_is_told_with_what_it_runs_over():
    def by_query(xp, queries, points):
        return xp.stack([((points - q) ** 2).sum(axis=1) for q in queries])

    report = hand_in("no-loops", by_query, answers.vote)
    assert lost(report) == ["loops"]
    assert "queries" in fault(report, "loops").cause


def test_only_rows_with_a_tie_at_the_border_are_blamed_on_the_sort():
    def last_ones(xp, distances, labels, k, classes):
        flipped = xp.argsort(distances[:, ::-1], axis=1, kind="stable")[:, :k]
        votes = labels[::-1][flipped][:, :, None] == xp.arange(classes)
        return votes.sum(axis=1).argmax(axis=1)

    told = fault(hand_in("no-loops", answers.squared_distances, last_ones), "vote")
    assert "stable" in told.cause

    def nearest_alone(xp, distances, labels, k, classes):
        return labels[distances.argmin(axis=1)]

    told = fault(hand_in("no-loops", answers.squared_distances, nearest_alone), "vote")
    assert "k - 1" in told.cause


def test_a_mask_that_is_written_to_is_a_hidden_copy():
    def masked(cp, x, d_w):
        d_x = cp.asarray(x)
        std = d_x.std(axis=0)
        std[std == 0] = 1
        logits = (d_x - d_x.mean(axis=0)) / std @ d_w
        e = cp.exp(logits - logits.max(axis=1, keepdims=True))
        return (e / e.sum(axis=1, keepdims=True)).get()

    report = hand_in("stay-on-device", masked)
    assert lost(report) == ["hidden"]
    assert "cp.where" in fault(report, "hidden").cause


def test_a_function_that_returns_at_once_keeps_no_property():
    def idle(cp, x, d_w):
        return cp.asarray(x)[:, : d_w.shape[1]].get()

    assert set(lost(hand_in("stay-on-device", idle))) == {"same", "in", "out", "hidden"}


def softmaxed(std, shift):
    def predict_on_device(cp, x, d_w):
        d_x = cp.asarray(x)
        logits = (d_x - d_x.mean(axis=0)) / std(cp, d_x.std(axis=0)) @ d_w
        e = cp.exp(logits - shift(logits))
        return (e / e.sum(axis=1, keepdims=True)).get()

    return predict_on_device


def nonzero(cp, std):
    return cp.where(std == 0, 1, std)


def of_each_row(logits):
    return logits.max(axis=1, keepdims=True)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    ("std", "shift", "said"),
    [
        (nonzero, lambda logits: 0, "each row"),
        (nonzero, lambda logits: logits.max(), "each row"),
        (lambda cp, std: std + 1e-7, of_each_row, "1e-07 added"),
        (lambda cp, std: std, of_each_row, "never changes"),
    ],
)
def test_a_softmax_that_is_right_for_easy_numbers_only_is_told_why(std, shift, said, seed):
    report = hand_in("stay-on-device", softmaxed(std, shift), seed=seed)
    assert lost(report) == ["same"]
    assert said in fault(report, "same").cause


def test_the_hard_cases_are_as_hard_as_they_say():
    far, small = stay_on_device.cases(np.random.default_rng(5))[-2:]
    largest = stay_on_device._true_logits(**far.inputs).max(axis=1)
    assert largest.max() - largest.min() == pytest.approx(400, rel=1e-4)
    assert largest.max() > 100
    assert 0 < small.inputs["x"][:, 0].std() < 1e-5


def test_another_kind_of_object_is_refused_with_what_to_pass():
    report = hand_in("elementwise", lambda x: x)
    told = fault(report, "values")
    assert "ElementwiseKernel" in told.message and report.points == 0
    assert "ReductionKernel" in fault(hand_in("reduction", lambda x: x), "values").message
    assert "RawKernel" in fault(hand_in("raw-kernel", lambda g, b, a: None), "every").message


def test_a_compile_error_names_the_line_of_the_operation():
    report = hand_in("elementwise", answers.elementwise("\ny = 0.5f * x ** 2;"))
    message = fault(report, "values").message
    assert "line 2" in message and "cannot be compiled" in message


def test_a_missing_semicolon_of_a_preamble_is_asked_for_on_its_own_line():
    join = "\nfloat m = fmaxf(a.x, b.x)\nif (m == LEAST) return nothing();\nreturn a;"
    told = fault(hand_in("reduction", answers.reduction(join)), "values")
    assert "line 6" in told.message and "at the end of line 5" in told.cause


def test_one_double_is_found_with_its_line():
    operation = (
        "\nfloat u = 0.79788456f * (x + 0.044715 * x * x * x);\ny = 0.5f * x * (1 + tanhf(u));"
    )
    report = hand_in("elementwise", answers.elementwise(operation))
    assert lost(report) == ["single"]
    assert "0.044715 * x" in fault(report, "single").message


def test_a_float64_result_is_more_than_need_be_moved():
    operation = "y = 0.5f * x * (1 + tanhf(0.79788456f * (x + 0.044715f * x * x * x)))"
    report = hand_in("elementwise", answers.elementwise(operation, outputs="float64 y"))
    assert lost(report) == ["once"]
    assert "float64" in fault(report, "once").message


@pytest.mark.parametrize(
    ("whole", "said"),
    [
        ("p.x", "largest alone"),
        ("logf(p.y)", "largest is missing"),
        ("p.y", "That is the sum"),
        ("p.x + p.y", "logarithm is missing"),
    ],
)
def test_what_lacks_at_the_end_is_named(whole, said):
    join = (
        "float m = fmaxf(a.x, b.x); if (m == LEAST) return nothing();"
        "return make_float2(m, a.y * expf(a.x - m) + b.y * expf(b.x - m));"
    )
    report = hand_in("reduction", answers.reduction(join, whole=whole))
    assert said in fault(report, "values").cause


def test_a_largest_that_begins_at_zero_loses_rows_far_below():
    join = (
        "float m = fmaxf(a.x, b.x);"
        "return make_float2(m, a.y * expf(a.x - m) + b.y * expf(b.x - m));"
    )
    report = hand_in("reduction", answers.reduction(join, nothing="make_float2(0.0f, 0.0f)"))
    assert lost(report) == ["large"]
    assert "-1000" in fault(report, "large").message


def test_a_parameter_of_another_type_has_to_change():
    double = answers.PARAMETERS.replace("float mean, float std", "double mean, double std")
    told = fault(hand_in("raw-kernel", raw(WALK, parameters=double)), "every")
    assert "double mean" in told.message and "parameter" in told.cause


def test_a_name_that_cpp_changed_is_told_with_its_remedy():
    told = fault(hand_in("raw-kernel", raw(WALK, before="")), "every")
    assert 'extern "C"' in told.cause


def test_an_unsigned_end_below_zero_is_found_where_there_are_no_pixels():
    body = WALK.replace("int i", "unsigned int i").replace("i < n", "i <= n - 1")
    report = hand_in("raw-kernel", raw(body))
    assert "inside" in lost(report)
    assert "has 0 elements" in fault(report, "inside").message


@pytest.mark.parametrize(
    ("formula", "said"),
    [
        ("(p[i] / 255 - mean) / std", "whole number"),
        ("(p[i] / 256.0f - mean) / std", "255"),
        ("p[i] / 255.0f - mean / std", "brackets"),
        ("(p[i] / 255.0f - std) / mean", "swapped"),
    ],
)
def test_a_wrong_formula_is_recognised(formula, said):
    body = WALK.replace("(p[i] * (1.0f / 255.0f) - mean) / std", formula)
    report = hand_in("raw-kernel", raw(body))
    assert lost(report) == ["every"]
    assert said in fault(report, "every").cause


def test_a_kernel_that_writes_nothing_keeps_no_property_of_a_kernel():
    report = hand_in("raw-kernel", raw("if (n < 0) out[0] = p[0] * mean * std;"))
    assert report.points == 0


def test_numpys_arrays_and_the_stand_in_are_told_apart():
    from gpuedu.exercises.cupy.watching import library_of

    assert library_of(np.ones(2)) == "numpy"
    assert library_of(stand_in.ones(2)) == "cupy"
    assert library_of([1]) == "a list"
