"""Verdicts of the lesson: what its own rules add to the proofs of its stored answers."""

from __future__ import annotations

import re

import numpy as np
import pytest

from gpuedu.backend import cuda
from gpuedu.exercises.contract import Level, Undecided
from gpuedu.exercises.examine import Report, examine
from gpuedu.exercises.first_kernels.any_order import judge as any_order
from gpuedu.exercises.first_kernels.mandelbrot import judge as mandelbrot
from gpuedu.exercises.first_kernels.out_of_bounds import judge as out_of_bounds
from gpuedu.exercises.registry import load
from gpuedu.simt import simulate
from tests.exercises.reports import fault, lost
from tests.exercises.stored import stored_answers

SOURCE = "solutions/02_first_kernels/02_first_kernels.py"


def hand_in(exercise: str, kind: str, name: str, **other: object) -> Report:
    """The verdict on a stored answer; ``other`` takes the place of some of its objects."""
    answers = stored_answers(exercise, kind, name) | other
    return examine(load(exercise), [*answers.values()])


def test_predictions_are_what_right_answers_give():
    def truth(exercise, key):
        return load(exercise).judge.predictions[key].truth

    right = stored_answers("launch-shape", "right", "numpy")
    blocks_for, empty_lanes = right["blocks_for"], right["empty_lanes"]
    assert truth("thread-index", "thread-index") == empty_lanes(100)
    assert truth("blocks", "blocks") == 128 * blocks_for(1000, 128) - 1000
    empty = empty_lanes(33)
    assert truth("launch-shape", "launch-shape") == pytest.approx(100 * empty / (33 + empty))


def test_the_prediction_of_any_order_is_what_the_given_kernel_leaves(root):
    (given,) = re.findall(
        r"\ndef starts_chained\(.*?\n\n\nlengths = (.*?)\n",
        (root / SOURCE).read_text("utf-8"),
        re.DOTALL,
    )
    lengths = np.array(eval(given.removeprefix("np.array(").removesuffix(", np.int32)")), np.int32)

    def starts_chained(lengths, start):
        b = cuda.blockIdx.x
        if b == 0:
            start[b] = 0
        else:
            start[b] = start[b - 1] + lengths[b - 1]

    start = np.zeros(6, np.int32)
    simulate(starts_chained, 6, 1, lengths, start, order="reversed")
    assert any_order.JUDGE.predictions["any-order"].truth == start[5]


def test_what_is_asked_of_the_unsafe_kernel_is_what_the_machine_finds(root):
    text = (root / SOURCE).read_text("utf-8")
    (cell,) = (part for part in text.split("# %%") if "def rises_unsafe" in part)
    lines = cell.split("\n", 1)[1].splitlines()
    size, threads = out_of_bounds.SIZE, out_of_bounds.THREADS
    truths = out_of_bounds.truths(size, threads)
    assert "x[i + 1]" in lines[truths["line"] - 1]

    def rises_unsafe(x, out):
        i = cuda.grid(1)
        if i < out.size:
            out[i] = x[i + 1] - x[i]

    x = np.zeros(size, np.float32)
    trace = simulate(rises_unsafe, 4, threads, x, x.copy())
    (found,) = trace.hazards
    assert found.who.block[0] == truths["block"]
    assert found.who.thread[0] == truths["thread"]
    assert found.index == (truths["index"],)


@pytest.mark.parametrize(
    "exercise", ["thread-index", "blocks", "grid-stride", "two-d-map", "any-order", "mandelbrot"]
)
def test_a_kernel_that_writes_nothing_earns_nothing(exercise):
    assert hand_in(exercise, "wrong", "writes_nothing").points == 0


@pytest.mark.parametrize(
    ("exercise", "name", "loses"),
    [
        ("thread-index", "thread_0_does_all", ["one-each"]),
        ("grid-stride", "turns_without_guard", ["inside"]),
        ("grid-stride", "ends_when_equal", ["ends"]),
        ("grid-stride", "own_run", ["neighbors"]),
        ("grid-stride", "run_of_a_block", ["neighbors"]),
        ("grid-stride", "thread_0_does_all", ["neighbors"]),
        ("two-d-map", "no_row_guard", ["rows"]),
        ("two-d-map", "no_column_guard", ["columns"]),
        ("two-d-map", "reads_before_the_guard", ["columns"]),
        ("any-order", "one_thread", ["one-each"]),
        ("any-order", "also_the_next_one", ["one-each"]),
        ("mandelbrot", "all_steps", ["stops"]),
        ("mandelbrot", "below_two", ["any-shape"]),
        ("mandelbrot", "writes_on_escape", ["square", "any-shape"]),
    ],
)
def test_a_slip_loses_what_it_breaks_and_nothing_else(exercise, name, loses):
    assert lost(hand_in(exercise, "wrong", name)) == set(loses)


def test_a_plain_function_is_told_what_it_lacks():
    report = hand_in("thread-index", "wrong", "no_decorator")
    assert report.points == 0
    assert "@cuda.jit" in fault(report, "right").cause


def test_one_thread_that_does_all_is_named_with_those_that_do_nothing():
    said = fault(hand_in("thread-index", "wrong", "thread_0_does_all"), "one-each").message
    assert "thread 0 of block 0 wrote 8 elements" in said
    assert "7 of 8 threads wrote none" in said


def test_elements_of_neighbors_that_are_apart_are_named_with_their_threads():
    said = fault(hand_in("grid-stride", "wrong", "across_the_blocks"), "neighbors").message
    assert said == (
        "`out[0]` was written by thread 0 of block 0, and `out[1]` by thread 0 of block 1"
    )


def test_a_guard_without_a_walk_shows_nothing_of_it():
    report = hand_in("grid-stride", "wrong", "guard_alone")
    assert report.points == 0
    assert isinstance(fault(report, "ends"), Undecided)
    assert "no thread went on to a second element" in fault(report, "ends").message


@pytest.mark.parametrize(
    ("exercise", "name", "level", "says"),
    [
        ("two-d-map", "x_is_the_row", Level.COST, "16 sectors of 32 bytes, and 4 would do"),
    ],
)
def test_what_takes_no_points_is_told(exercise, name, level, says):
    report = hand_in(exercise, "right", name)
    assert report.state == "solved"
    (found,) = report.findings
    assert found.level == level
    assert says in found.message


def test_values_are_judged_in_a_given_order_in_spite_of_a_race():
    report = hand_in("any-order", "wrong", "the_chain")
    assert lost(report) == {"any-order", "no-race"}
    assert not isinstance(fault(report, "any-order"), Undecided)
    assert "nothing orders the two" in fault(report, "no-race").message


@pytest.mark.parametrize(
    ("n", "threads", "off", "prop"), [(1000, 128, -1, "enough"), (1000, 100, 1, "no-spare")]
)
def test_too_few_and_too_many_blocks_are_told_apart(n, threads, off, prop):
    def blocks_for(asked, size):
        return -(-asked // size) + (off if (asked, size) == (n, threads) else 0)

    assert lost(hand_in("launch-shape", "right", "numpy", blocks_for=blocks_for)) == {prop}


def test_a_float_is_refused_as_a_launch_would():
    report = hand_in("launch-shape", "wrong", "a_float")
    assert lost(report) == {"enough", "no-spare"}
    assert "8.0 (float)" in fault(report, "enough").message


def test_a_missing_entry_is_named():
    found = {"line": 5, "thread": 231, "index": 1000}
    report = hand_in("out-of-bounds", "right", "choice", found=found)
    assert "'block'" in fault(report, "found").message


def test_escape_times_of_known_points():
    # c = 0 stays at 0; c = 2 goes 2, 6; c = -2 stays at 2; c = i goes round in a circle.
    assert mandelbrot.escape_times(0, 0, 2, 50, (1, 2)).tolist() == [[50, 2]]
    assert mandelbrot.escape_times(-2, 0, 1, 50, (1, 1)).tolist() == [[50]]
    assert mandelbrot.escape_times(0, 1, 1, 50, (2, 1)).tolist() == [[50], [50]]
    assert mandelbrot.escape_times(3, 0, 1, 50, (1, 1)).tolist() == [[1]]


def test_nearly_all_points_are_judged():
    for case in mandelbrot.cases(np.random.default_rng(3)):
        assert mandelbrot.certain(case.inputs).mean() > 0.98
