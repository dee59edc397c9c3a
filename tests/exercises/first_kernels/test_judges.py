"""Verdicts of the lesson: reference answers, what a card says about a slip, and only that slip."""

from __future__ import annotations

import re

import numpy as np
import pytest

from gpuedu.backend import cuda
from gpuedu.exercises.card import report_card
from gpuedu.exercises.contract import Level
from gpuedu.exercises.first_kernels.judge import any_order, mandelbrot, out_of_bounds
from gpuedu.exercises.registry import load
from gpuedu.simt import simulate
from gpuedu.syllabus import lesson
from tests.exercises.first_kernels import answers
from tests.exercises.first_kernels.answers import FOUND, REFERENCE, fault, hand_in, lost


def test_every_exercise_of_the_lesson_has_a_reference():
    assert set(REFERENCE) == set(lesson("first-kernels").exercises)


@pytest.mark.parametrize("exercise", REFERENCE)
def test_the_reference_earns_all_points_on_five_seeds(exercise):
    for seed in range(5):
        report = hand_in(exercise, seed=seed)
        assert report.state == "solved", (seed, str(report_card(report)))
        assert not report.findings


def test_points_are_as_the_lesson_says():
    points = {name: load(name).judge.points for name in lesson("first-kernels").exercises}
    assert points == {
        "thread-index": 3,
        "blocks": 4,
        "launch-shape": 5,
        "grid-stride": 4,
        "two-d-map": 4,
        "any-order": 4,
        "mandelbrot": 4,
        "out-of-bounds": 4,
    }


def test_predictions_are_what_the_references_give():
    def truth(exercise, key):
        return load(exercise).judge.predictions[key].truth

    assert truth("thread-index", "thread-index") == answers.empty_lanes(100)
    assert truth("blocks", "blocks") == 128 * answers.blocks_for(1000, 128) - 1000
    empty = answers.empty_lanes(33)
    assert truth("launch-shape", "launch-shape") == pytest.approx(100 * empty / (33 + empty))


def test_the_prediction_of_any_order_is_what_the_given_kernel_leaves(root):
    source = root / "solutions/02_first_kernels/02_first_kernels.py"
    (given,) = re.findall(
        r"\ndef starts_chained\(.*?\n\n\nlengths = (.*?)\n", source.read_text("utf-8"), re.DOTALL
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
    text = (root / "solutions/02_first_kernels/02_first_kernels.py").read_text("utf-8")
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


def test_a_missing_guard_is_told_with_line_thread_and_index():
    @cuda.jit
    def saxpy(a, x, y, out):
        i = cuda.grid(1)
        out[i] = a * x[i] + y[i]

    report = hand_in("blocks", saxpy)
    assert lost(report) == ["inside"]
    said = fault(report, "inside").message
    assert "`out[i] = a * x[i] + y[i]`" in said
    assert "thread 1 of block 0 reads `x[1]`" in said


def test_blocks_that_do_not_know_of_each_other_are_named_as_such():
    @cuda.jit
    def saxpy(a, x, y, out):
        i = cuda.threadIdx.x
        if i < out.size:
            out[i] = a * x[i] + y[i]

    report = hand_in("blocks", saxpy)
    assert lost(report) == ["every-block", "once"]
    assert "begins at 0 in every block" in fault(report, "every-block").cause
    assert "by thread 0 of block 0 and by thread 0 of block 1" in fault(report, "once").message


def test_a_right_index_is_not_blamed_for_another_slip():
    @cuda.jit
    def saxpy(a, x, y, out):
        i = cuda.grid(1)
        if i < out.size:
            out[i] += a * x[i] + y[i]

    assert "adds to what stood" in fault(hand_in("blocks", saxpy), "one-block").cause


@pytest.mark.parametrize("exercise", ["thread-index", "grid-stride", "any-order"])
def test_a_kernel_that_writes_nothing_earns_nothing(exercise):
    @cuda.jit
    def idle(a, out):
        i = cuda.grid(1)
        if i < a.size:
            value = a[i]  # noqa: F841

    assert hand_in(exercise, idle).points == 0


def test_a_plain_function_is_told_what_it_lacks():
    report = hand_in("thread-index", answers.add_ten.py_func)
    assert report.points == 0
    assert "@cuda.jit" in fault(report, "right").cause


def test_a_kernel_that_cannot_be_compiled_shows_its_line():
    @cuda.jit
    def add_ten(a, out):
        out[cuda.threadIdx.x] = ten + a[cuda.threadIdx.x]  # noqa: F821

    said = fault(hand_in("thread-index", add_ten), "right").message
    assert "`out[cuda.threadIdx.x] = ten + a[cuda.threadIdx.x]" in said
    assert "the name `ten` is not defined" in said


def test_an_endless_loop_is_told_by_its_line_and_ends_soon():
    @cuda.jit
    def square(x, out):
        i = cuda.grid(1)
        while i < x.size:
            out[i] = x[i] * x[i]

    report = hand_in("grid-stride", square)
    assert "ends" in lost(report)
    assert "`while i < x.size:`" in fault(report, "ends").message


def test_runs_of_elements_are_right_and_their_cost_is_told():
    @cuda.jit
    def square(x, out):
        each = (x.size + cuda.gridsize(1) - 1) // cuda.gridsize(1)
        first = cuda.grid(1) * each
        for i in range(first, min(first + each, x.size)):
            out[i] = x[i] * x[i]

    report = hand_in("grid-stride", square)
    assert report.state == "solved"
    assert [found.level for found in report.findings] == [Level.COST]


def test_x_along_the_column_is_right_and_its_cost_is_told():
    @cuda.jit
    def add_bias(x, bias, out):
        row, column = cuda.grid(2)
        if row < x.shape[0] and column < x.shape[1]:
            out[row, column] = x[row, column] + bias[column]

    report = hand_in("two-d-map", add_bias)
    assert report.state == "solved"
    (found,) = report.findings
    assert "asks for 16 sectors of 32 bytes, and 4 would do" in found.message


@pytest.mark.parametrize("prop", ["rows", "columns"])
def test_each_guard_is_asked_for_by_itself(prop):
    @cuda.jit
    def without_columns(x, bias, out):
        column, row = cuda.grid(2)
        if row < x.shape[0]:
            out[row, column] = x[row, column] + bias[column]

    @cuda.jit
    def without_rows(x, bias, out):
        column, row = cuda.grid(2)
        if column < x.shape[1]:
            out[row, column] = x[row, column] + bias[column]

    kernel = without_rows if prop == "rows" else without_columns
    assert lost(hand_in("two-d-map", kernel)) == [prop]


def test_the_chain_is_right_in_order_and_a_race_in_any():
    @cuda.jit
    def starts(lengths, start):
        b = cuda.grid(1)
        if b < lengths.size:
            start[b] = start[b - 1] + lengths[b - 1] if b > 0 else 0

    report = hand_in("any-order", starts)
    assert lost(report) == ["any-order", "no-race"]
    assert report.results[0].passed == 2
    assert "nothing orders the two" in fault(report, "no-race").message


def test_one_thread_that_does_it_all_is_right_and_noted():
    @cuda.jit
    def starts(lengths, start):
        if cuda.grid(1) == 0:
            total = 0
            for k in range(lengths.size):
                start[k] = total
                total += lengths[k]

    report = hand_in("any-order", starts)
    assert report.state == "solved"
    assert [found.level for found in report.findings] == [Level.NOTE]


@pytest.mark.parametrize(
    ("n", "threads", "off", "prop"), [(1000, 128, -1, "enough"), (1024, 128, 1, "no-spare")]
)
def test_too_few_and_too_many_blocks_are_told_apart(n, threads, off, prop):
    def blocks_for(asked, size):
        return answers.blocks_for(asked, size) + (off if (asked, size) == (n, threads) else 0)

    report = hand_in("launch-shape", blocks_for, answers.can_launch, answers.empty_lanes)
    assert lost(report) == [prop]


def test_a_float_is_refused_as_a_launch_would():
    def blocks_for(n, threads):
        return np.ceil(n / threads)

    report = hand_in("launch-shape", blocks_for, answers.can_launch, answers.empty_lanes)
    assert lost(report) == ["enough", "no-spare"]
    assert "8.0 (float)" in fault(report, "enough").message


def test_escape_times_of_known_points():
    # c = 0 stays at 0; c = 2 goes 2, 6; c = -2 stays at 2; c = i goes round in a circle.
    assert mandelbrot.escape_times(0, 0, 2, 50, (1, 2)).tolist() == [[50, 2]]
    assert mandelbrot.escape_times(-2, 0, 1, 50, (1, 1)).tolist() == [[50]]
    assert mandelbrot.escape_times(0, 1, 1, 50, (2, 1)).tolist() == [[50], [50]]
    assert mandelbrot.escape_times(3, 0, 1, 50, (1, 1)).tolist() == [[1]]


def test_nearly_all_points_are_judged():
    for case in mandelbrot.cases(np.random.default_rng(3)):
        assert mandelbrot.steady(case.inputs, case.inputs["out"].shape).mean() > 0.98


def test_work_after_the_escape_loses_that_property_alone():
    @cuda.jit
    def wasteful(left, top, step, limit, out):
        column, row = cuda.grid(2)
        if column < out.shape[1] and row < out.shape[0]:
            cr, ci = left + column * step, top - row * step
            zr, zi, n = 0.0, 0.0, 0
            for _ in range(limit):
                if zr * zr + zi * zi <= 4.0:
                    zr, zi = zr * zr - zi * zi + cr, 2.0 * zr * zi + ci
                    n += 1
            out[row, column] = n

    assert lost(hand_in("mandelbrot", wasteful)) == ["stops"]


@pytest.mark.parametrize(
    ("key", "value", "says"),
    [("thread", 999, "in the whole grid"), ("block", 4, "from 0"), ("index", 999, "last element")],
)
def test_a_near_miss_of_what_was_found_is_answered(key, value, says):
    report = hand_in("out-of-bounds", {**FOUND, key: value}, answers.rises)
    assert lost(report) == ["found"]
    assert says in fault(report, "found").cause


def test_a_missing_entry_is_named():
    found = {key: value for key, value in FOUND.items() if key != "block"}
    assert "'block'" in fault(hand_in("out-of-bounds", found, answers.rises), "found").message


def test_a_point_on_the_circle_goes_on():
    @cuda.jit
    def below_two(left, top, step, limit, out):
        column, row = cuda.grid(2)
        if column < out.shape[1] and row < out.shape[0]:
            cr, ci = left + column * step, top - row * step
            zr, zi, n = 0.0, 0.0, 0
            while n < limit and zr * zr + zi * zi < 4.0:
                zr, zi = zr * zr - zi * zi + cr, 2.0 * zr * zi + ci
                n += 1
            out[row, column] = n

    report = hand_in("mandelbrot", below_two)
    assert lost(report) == ["any-shape"]
    assert "*at most* 2" in fault(report, "any-shape").cause


def test_points_that_nobody_writes_are_told_from_those_without_a_thread():
    @cuda.jit
    def on_escape(left, top, step, limit, out):
        column, row = cuda.grid(2)
        if column < out.shape[1] and row < out.shape[0]:
            c = complex(left + column * step, top - row * step)
            z = 0j
            for n in range(limit):
                if abs(z) > 2:
                    out[row, column] = n
                    break
                z = z * z + c

    report = hand_in("mandelbrot", on_escape)
    assert lost(report) == ["square", "any-shape"]
    assert "who writes `limit`" in fault(report, "square").cause


def test_an_index_below_zero_is_no_right_result():
    @cuda.jit
    def from_one(a, x, y, out):
        i = (cuda.blockIdx.x - 1) * cuda.blockDim.x + cuda.threadIdx.x
        if i < out.size:
            out[i] = a * x[i] + y[i]

    report = hand_in("blocks", from_one)
    assert lost(report)[:3] == ["one-block", "every-block", "inside"]
    assert "Blocks count from 0" in fault(report, "one-block").cause


def test_a_guard_that_lets_one_through_is_told_from_a_missing_one():
    @cuda.jit
    def one_more(a, x, y, out):
        i = cuda.grid(1)
        if i <= out.size:
            out[i] = a * x[i] + y[i]

    @cuda.jit
    def none(a, x, y, out):
        i = cuda.grid(1)
        out[i] = a * x[i] + y[i]

    assert "let 1 through" in fault(hand_in("blocks", one_more), "inside").cause
    assert "let" not in fault(hand_in("blocks", none), "inside").cause


def test_one_row_too_many_is_told_from_a_missing_guard():
    @cuda.jit
    def one_more(m, bias, out):
        column, row = cuda.grid(2)
        if row <= m.shape[0] and column < m.shape[1]:
            out[row, column] = m[row, column] + bias[column]

    @cuda.jit
    def none(m, bias, out):
        column, row = cuda.grid(2)
        if column < m.shape[1]:
            out[row, column] = m[row, column] + bias[column]

    assert "let 20 through" in fault(hand_in("two-d-map", one_more), "rows").cause
    assert "What keeps" in fault(hand_in("two-d-map", none), "rows").cause


def test_a_wrong_step_between_blocks_is_named_with_its_axis():
    @cuda.jit
    def add_bias(m, bias, out):
        column = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
        row = cuda.blockIdx.y * cuda.blockDim.x + cuda.threadIdx.y
        if row < m.shape[0] and column < m.shape[1]:
            out[row, column] = m[row, column] + bias[column]

    said = fault(hand_in("two-d-map", add_bias), "every").cause
    assert "along y: a block has 8 threads there, and yours are 32 apart" in said
    assert "along x" not in said


def test_a_guard_without_a_walk_shows_nothing_of_it():
    @cuda.jit
    def square(x, out):
        i = cuda.grid(1)
        if i < out.size:
            out[i] = x[i] * x[i]

    report = hand_in("grid-stride", square)
    assert report.points == 0
    assert "no thread went on to a second element" in fault(report, "ends").message


def test_turns_that_are_rounded_down_are_named():
    @cuda.jit
    def square(x, out):
        n = cuda.gridsize(1)
        for turn in range(x.size // n):
            out[turn * n + cuda.grid(1)] = x[turn * n + cuda.grid(1)] ** 2

    report = hand_in("grid-stride", square)
    assert lost(report) == ["every"]
    assert "`1000 // 256` is rounded down" in fault(report, "every").cause


def adds_extents(grid, block):
    return answers.can_launch(grid, (*block[:2], 1)) and sum(block) <= 1024 and 0 < block[2] <= 64


def strictly_below(grid, block):
    return answers.can_launch(grid, block) and grid[0] < 2**31 - 1 and max(grid[1:]) < 65535


def takes_zero(grid, block):
    return answers.can_launch(grid, tuple(max(1, extent) for extent in block))


@pytest.mark.parametrize(
    ("can_launch", "prop", "says"),
    [
        (adds_extents, "block-limits", "multiplied, not added"),
        (strictly_below, "grid-limits", "A limit may be reached: 2,147,483,647"),
        (takes_zero, "block-limits", "An extent is 0 there"),
    ],
)
def test_a_known_way_to_get_the_limits_wrong_is_named(can_launch, prop, says):
    report = hand_in("launch-shape", answers.blocks_for, can_launch, answers.empty_lanes)
    assert lost(report) == [prop]
    assert says in fault(report, prop).cause


def test_the_nearest_is_not_called_rounded_down():
    def nearest(n, threads):
        return round(n / threads)

    report = hand_in("launch-shape", nearest, answers.can_launch, answers.empty_lanes)
    assert "rounded to the nearest" in fault(report, "enough").cause
