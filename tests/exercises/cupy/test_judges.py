"""Verdicts of the lesson: what its own rules add to the proofs of its stored answers."""

from __future__ import annotations

import numpy as np
import pytest

from gpuedu.backend import cp
from gpuedu.exercises.contract import Undecided
from gpuedu.exercises.cupy.no_loops import judge as no_loops
from gpuedu.exercises.cupy.no_loops.picture import squared_distances_large
from gpuedu.exercises.cupy.reduction import judge as reduction
from gpuedu.exercises.cupy.stay_on_device import judge as stay_on_device
from gpuedu.exercises.examine import Report, examine
from gpuedu.exercises.registry import load
from tests.exercises.reports import fault, hand_in, lost
from tests.exercises.stored import solution_answers, stored_answers


def stored(exercise: str, name: str, seed: int = 0) -> Report:
    """The verdict on a known wrong answer."""
    return examine(load(exercise), [*stored_answers(exercise, "wrong", name).values()], seed)


def test_votes_follow_the_rule_for_ties():
    given = {
        "distances": np.array([[1, 1, 1, 0], [2, 2, 2, 2]], np.float32),
        "labels": np.array([2, 1, 1, 2], np.int32),
        "classes": 3,
    }
    assert no_loops.votes(given | {"k": 2}).tolist() == [2, 1]
    assert no_loops.votes(given | {"k": 4}).tolist() == [1, 1]


def test_the_oracles_know_the_edges():
    x = np.array([[-np.inf, -np.inf], [1000, 1000], [-np.inf, 3]])
    assert reduction.true_logsumexp(x) == pytest.approx([-np.inf, 1000 + np.log(2), 3])
    assert reduction.true_logsumexp(np.empty((2, 0))).tolist() == [-np.inf, -np.inf]
    constant = {"x": np.full((3, 2), 2.0), "d_w": np.ones((2, 4))}
    assert stay_on_device.probabilities(constant) == pytest.approx(np.full((3, 4), 0.25))


def test_the_hard_cases_are_as_hard_as_they_say():
    far, small, alike = stay_on_device.cases(np.random.default_rng(5))[-3:]
    largest = stay_on_device.logits(far.inputs).max(axis=1)
    assert largest.max() - largest.min() == pytest.approx(400, rel=1e-4)
    assert largest.max() > 100
    assert 0 < small.inputs["x"][:, 0].std() < 1e-5
    # Of all of a row's, float32 has no exp.
    assert stay_on_device.logits(alike.inputs).max(axis=1).min() < -104


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    ("exercise", "name", "loses"),
    [
        ("no-loops", "large_temporary", ["memory"]),
        ("no-loops", "loop_over_queries", ["loops"]),
        ("no-loops", "mean_of_squares", ["distances"]),
        ("stay-on-device", "writes_by_a_mask", ["hidden"]),
        ("stay-on-device", "no_largest", ["same"]),
        ("stay-on-device", "one_largest_on_device", ["same"]),
        ("stay-on-device", "small_number_added", ["same"]),
        ("stay-on-device", "divides_by_zero", ["same"]),
        ("elementwise", "one_double", ["single"]),
        ("elementwise", "float64_out", ["once"]),
        ("reduction", "begins_at_zero", ["large", "infinite"]),
        ("reduction", "low_rows_are_empty", ["large"]),
        ("raw-kernel", "white_is_256", ["every"]),
        ("raw-kernel", "one_too_far", ["inside"]),
    ],
)
def test_a_slip_loses_what_it_breaks_and_nothing_else(exercise, name, loses, seed):
    assert lost(stored(exercise, name, seed)) == set(loses)


def test_what_cost_it_is_told_in_numbers():
    report = hand_in("no-loops", squared_distances=squared_distances_large)
    assert "129 times the result" in fault(report, "memory").message
    assert (
        "4 times as many queries" in fault(stored("no-loops", "loop_over_queries"), "loops").message
    )
    assert "0.044715f * x" in fault(stored("elementwise", "one_double"), "single").message


def test_a_function_that_does_something_else_with_cupy_is_told():
    right = solution_answers("no-loops")["squared_distances"]

    def depends(xp, queries, points):
        return right(xp, queries, points) + (xp is not np)

    report = hand_in("no-loops", squared_distances=depends)
    assert lost(report) == {"both"}
    assert "NumPy" in fault(report, "both").cause


def test_a_pipeline_that_computes_nothing_there_has_none_of_its_copies_judged():
    def idle(cp, x, d_w):
        return cp.asarray(x)[:, : d_w.shape[1]].get()

    report = hand_in("stay-on-device", predict_on_device=idle)
    assert report.points == 0
    assert all(isinstance(fault(report, name), Undecided) for name in ("in", "out", "hidden"))


def test_another_kind_of_object_is_refused_with_what_to_pass():
    report = hand_in("elementwise", gelu=lambda x: x)
    assert "ElementwiseKernel" in fault(report, "values").message and report.points == 0
    report = hand_in("reduction", logsumexp=lambda x: x)
    assert "ReductionKernel" in fault(report, "values").message
    assert "RawKernel" in hand_in("raw-kernel", normalize=lambda g, b, a: None).remedy


def test_a_compile_error_names_the_line_of_the_operation():
    gelu = cp.ElementwiseKernel("float32 x", "float32 y", "\ny = 0.5f * x ** 2;", "gelu")
    message = fault(hand_in("elementwise", gelu=gelu), "values").message
    assert "line 2" in message and "cannot be compiled" in message


def test_a_missing_semicolon_of_a_preamble_is_asked_for_on_its_own_line():
    functions = "\n__device__ float whole(float p) {\nfloat q = p\nreturn q;\n}"
    kernel = cp.ReductionKernel(
        "float32 x", "float32 y", "x", "a + b", "y = whole(a)", "0.0f", "s", preamble=functions
    )
    told = fault(hand_in("reduction", logsumexp=kernel), "values")
    assert "line 4" in told.message and "at the end of line 3" in told.cause


def test_a_launch_that_is_refused_is_told_with_what_has_to_change():
    told = fault(stored("raw-kernel", "mean_as_double"), "every")
    assert "double mean" in told.message and "parameter" in told.cause
    assert 'extern "C"' in fault(stored("raw-kernel", "without_extern_c"), "every").cause


def test_an_unsigned_end_below_zero_is_found_where_there_are_no_pixels():
    report = stored("raw-kernel", "unsigned_underflow")
    assert "has 0 elements" in fault(report, "inside").message


def test_a_kernel_that_writes_nothing_keeps_no_property_of_a_kernel():
    assert stored("raw-kernel", "writes_nothing").points == 0
