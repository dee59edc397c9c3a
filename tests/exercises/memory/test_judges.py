"""Verdicts of the lesson: reference answers, what a card says about a slip, and only that slip."""

from __future__ import annotations

import numpy as np
import pytest
from numba import float32

from gpuedu.backend import cuda
from gpuedu.exercises.card import report_card
from gpuedu.exercises.memory.judge import stencil, uninitialised
from gpuedu.exercises.registry import load
from gpuedu.simt import simulate
from gpuedu.syllabus import lesson
from tests.exercises.memory import answers
from tests.exercises.memory.answers import FOUND, REFERENCE, fault, hand_in, lost


def test_every_exercise_of_the_lesson_has_a_reference():
    assert set(REFERENCE) == set(lesson("memory").exercises)


@pytest.mark.parametrize("exercise", REFERENCE)
def test_the_reference_earns_all_points_on_five_seeds(exercise):
    for seed in range(5):
        report = hand_in(exercise, seed=seed)
        assert report.state == "solved", (seed, str(report_card(report)))
        assert not report.findings


def test_points_are_as_the_lesson_says():
    points = {name: load(name).judge.points for name in lesson("memory").exercises}
    assert points == {
        "coalesced-copy": 5,
        "aos-to-soa": 5,
        "transpose": 6,
        "stencil": 6,
        "uninitialised": 5,
    }


@pytest.mark.parametrize("exercise", ["coalesced-copy", "uninitialised"])
def test_a_kernel_that_writes_nothing_keeps_no_property_of_a_kernel(exercise):
    @cuda.jit
    def idle(a, out):
        i = cuda.grid(1)
        if i < a.size:
            value = a[i]  # noqa: F841

    given = (FOUND, idle) if exercise == "uninitialised" else (idle,)
    report = hand_in(exercise, *given)
    assert report.points == (1 if exercise == "uninitialised" else 0)


def test_a_blocked_copy_is_right_and_told_how_far_neighbours_are_apart():
    @cuda.jit
    def copy(src, dst):
        each = (src.size + cuda.gridsize(1) - 1) // cuda.gridsize(1)
        first = cuda.grid(1) * each
        for i in range(first, min(first + each, src.size)):
            dst[i] = src[i]

    report = hand_in("coalesced-copy", copy)
    assert lost(report) == ["sectors"]
    assert "asks for 16 sectors (512 bytes) to get 128 bytes" in fault(report, "sectors").message
    assert "take elements 0, 4, 8: 4 apart" in fault(report, "sectors").cause


def test_a_copy_that_is_right_but_reads_twice_loses_just_that():
    @cuda.jit
    def copy(src, dst):
        for i in range(cuda.grid(1), src.size, cuda.gridsize(1)):
            dst[i] = (src[i] + src[i]) / 2

    report = hand_in("coalesced-copy", copy)
    assert lost(report) == ["once"]
    assert fault(report, "once").message == "`src[0]` was read 2 times"


def test_neighbours_that_begin_within_a_sector_are_told_so():
    @cuda.jit
    def copy(src, dst):
        for i in range(cuda.grid(1), src.size, cuda.gridDim.x):
            dst[i] = src[i]

    report = hand_in("coalesced-copy", copy)
    assert lost(report) == ["once", "sectors"]
    assert "its first element is 4, and sectors begin at multiples of 8" in (
        fault(report, "sectors").cause
    )


def test_a_comparison_in_place_of_an_assignment_is_thought_of():
    @cuda.jit
    def copy(src, dst):
        for i in range(cuda.grid(1), src.size, cuda.gridsize(1)):
            dst[i] == src[i]  # noqa: B015

    assert "an assignment, with one `=`" in fault(hand_in("coalesced-copy", copy), "every").cause


def test_blocks_that_all_begin_at_0_are_named_as_such():
    @cuda.jit
    def copy(src, dst):
        for i in range(cuda.threadIdx.x, src.size, cuda.blockDim.x):
            dst[i] = src[i]

    report = hand_in("coalesced-copy", copy)
    assert lost(report) == ["once"]
    assert "by thread 0 of block 0 and by thread 0 of block 1" in fault(report, "once").message
    assert "begin at the same place" in fault(report, "once").cause


def test_an_endless_loop_is_told_by_its_line():
    @cuda.jit
    def copy(src, dst):
        i = cuda.grid(1)
        while i < src.size:
            dst[i] = src[i]

    report = hand_in("coalesced-copy", copy)
    assert "`while i < src.size:`" in fault(report, "every").message


def test_a_view_is_told_by_its_stride():
    report = hand_in("aos-to-soa", answers.transposed_view, answers.speed_squared)
    assert lost(report) == ["layout", "sectors"]
    assert "lies 24 bytes behind" in fault(report, "layout").message
    assert "lies 24 bytes apart" in fault(report, "sectors").cause


def test_a_table_that_stays_one_is_refused_with_both_shapes():
    report = hand_in("aos-to-soa", lambda table: table.copy(), answers.speed_squared)
    assert report.points == 0
    said = fault(report, "layout").message
    assert "(6, 256), got float32 of shape (256, 6)" in said


@pytest.mark.parametrize(
    ("to_soa", "says"),
    [
        (lambda table: table.T.astype(np.float64), "float64 takes 8 bytes a number"),
        (lambda table: table.T.astype(np.int32), "the type is not. Which call"),
        (lambda table: table.astype(np.float64), "One row for each field"),
    ],
)
def test_a_wrong_type_is_told_apart_from_a_wrong_shape(to_soa, says):
    report = hand_in("aos-to-soa", to_soa, answers.speed_squared)
    assert says in fault(report, "layout").cause


def test_a_list_of_fields_is_no_array():
    report = hand_in("aos-to-soa", lambda table: list(table.T), answers.speed_squared)
    assert "should return an array" in fault(report, "layout").message


def test_neighbours_that_are_apart_in_a_right_layout_are_not_blamed_on_it():
    @cuda.jit
    def speed_squared(fields, out):
        first = 2 * cuda.grid(1)
        for i in range(first, min(first + 2, out.size)):
            out[i] = fields[3, i] ** 2 + fields[4, i] ** 2 + fields[5, i] ** 2

    report = hand_in("aos-to-soa", answers.to_soa, speed_squared)
    assert lost(report) == ["sectors"]
    assert "take two that are 2 apart" in fault(report, "sectors").cause


def test_a_tile_without_padding_loses_the_banks_only():
    @cuda.jit
    def transpose(m, out):
        tile = cuda.shared.array((32, 32), float32)
        x, y = cuda.threadIdx.x, cuda.threadIdx.y
        column, row = cuda.grid(2)
        if row < m.shape[0] and column < m.shape[1]:
            tile[y, x] = m[row, column]
        cuda.syncthreads()
        row, column = 32 * cuda.blockIdx.x + y, 32 * cuda.blockIdx.y + x
        if row < out.shape[0] and column < out.shape[1]:
            out[row, column] = tile[x, y]

    report = hand_in("transpose", transpose)
    assert lost(report) == ["banks"]
    assert "the load `tile[x, y]`" in fault(report, "banks").message
    assert "32 passes through the banks, where 1 would do" in fault(report, "banks").message


def test_the_naive_transpose_earns_nothing_for_banks_it_does_not_use():
    @cuda.jit
    def transpose(m, out):
        column, row = cuda.grid(2)
        if row < m.shape[0] and column < m.shape[1]:
            out[column, row] = m[row, column]

    report = hand_in("transpose", transpose)
    assert lost(report) == ["waits", "writes", "banks"]
    assert "no thread used shared memory" in fault(report, "banks").message
    assert "`cuda.shared.array` first" in fault(report, "waits").cause
    waits, *_, banks = (line.why for line in report_card(report).lines if line.why)
    assert "no thread used shared memory" in waits and waits == banks


def test_a_shape_in_two_arguments_is_told_as_such():
    @cuda.jit
    def transpose(m, out):
        tile = cuda.shared.array(32, 33, float32)
        tile[0, 0] = m[0, 0]

    said = fault(hand_in("transpose", transpose), "every")
    assert "the shape is one argument" in said.message and "`(32, 33)`" in said.cause


def test_a_predicted_number_of_passes_is_what_the_machine_counts():
    @cuda.jit
    def columns(out):
        narrow = cuda.shared.array((32, 32), float32)
        wide = cuda.shared.array((32, 33), float32)
        x = cuda.threadIdx.x
        for row in range(32):
            narrow[row, x] = x
            wide[row, x] = x
        cuda.syncthreads()
        out[x] = narrow[x, 5]
        out[x] += wide[x, 5]

    trace = simulate(columns, 1, 32, np.zeros(32, np.float32))
    passes = {site.text: int(site.wavefronts.sum()) for site in trace.sites}
    predictions = load("transpose").judge.predictions
    assert predictions["transpose"].truth == passes["narrow[x, 5]"]
    assert predictions["transpose-33"].truth == passes["wide[x, 5]"]


def test_predicted_sectors_are_what_the_machine_counts():
    @cuda.jit
    def apart(far, table, out):
        x = cuda.threadIdx.x
        out[x] = far[8 * x] + table[x, 3]

    far, table = np.zeros(256, np.float32), np.zeros((32, 6), np.float32)
    trace = simulate(apart, 1, 32, far, table, np.zeros(32, np.float32))
    sectors = {site.array: int(site.sectors.sum()) for site in trace.sites}
    truth = {name: load(name).judge.predictions[name].truth for name in REFERENCE}
    assert truth["coalesced-copy"] == sectors["far"]
    assert truth["aos-to-soa"] == sectors["table"]
    assert truth["stencil"] == stencil.BLOCK + 2 * stencil.RADIUS
    assert truth["uninitialised"] == uninitialised.truths(uninitialised.SIZE)["count"]


def test_the_reference_of_the_stencil_is_a_plain_loop():
    rng = np.random.default_rng(4)
    x, w = rng.normal(0, 3, 11), rng.normal(0, 3, 7)
    for i, value in enumerate(stencil.reference(x, w)):
        own = sum(w[k] * x[i + k - 3] for k in range(7) if 0 <= i + k - 3 < 11)
        assert value == pytest.approx(own)


@pytest.mark.parametrize(("side", "says"), [("left", "before it"), ("right", "behind it")])
def test_a_missing_side_of_the_halo_is_named(side, says):
    has_left, has_right = side != "left", side != "right"

    @cuda.jit
    def smooth(x, w, out):
        tile = cuda.shared.array(134, float32)
        t, i = cuda.threadIdx.x, cuda.grid(1)
        tile[t + 3] = x[i] if i < x.size else 0
        if t < 3:
            tile[t] = x[i - 3] if has_left and i >= 3 else 0
            tile[t + 131] = x[i + 128] if has_right and i + 128 < x.size else 0
        cuda.syncthreads()
        if i < out.size:
            total = float32(0)
            for k in range(7):
                total += w[k] * tile[t + k]
            out[i] = total

    report = hand_in("stencil", smooth)
    assert "every" in lost(report)
    assert says in fault(report, "every").cause


@pytest.mark.parametrize(("places", "says"), [(128, "How many places"), (131, "How many places")])
def test_a_tile_without_room_for_its_halo_is_asked_for_its_size(places, says):
    @cuda.jit
    def smooth(x, w, out):
        tile = cuda.shared.array(places, float32)
        first = cuda.blockIdx.x * 128 - 3
        for k in range(cuda.threadIdx.x, 134, 128):
            tile[k] = x[first + k] if 0 <= first + k < x.size else 0
        cuda.syncthreads()
        i = cuda.grid(1)
        if i < x.size:
            total = float32(0)
            for k in range(7):
                total += w[k] * tile[cuda.threadIdx.x + k]
            out[i] = total

    report = hand_in("stencil", smooth)
    assert lost(report) == ["every", "ends", "inside"]
    assert says in fault(report, "inside").cause
    assert "places that the tile does not have" in fault(report, "every").cause


def test_an_index_below_the_tile_is_told_apart_from_one_below_the_array():
    @cuda.jit
    def smooth(x, w, out):
        tile = cuda.shared.array(134, float32)
        t, i = cuda.threadIdx.x, cuda.grid(1)
        tile[t] = x[i] if i < x.size else 0
        cuda.syncthreads()
        if i < x.size:
            total = float32(0)
            for k in range(7):
                total += w[k] * tile[t + k - 3]
            out[i] = total

    assert "The tile is counted from 0" in fault(hand_in("stencil", smooth), "inside").cause


def test_seven_reads_of_an_input_are_counted_by_block():
    @cuda.jit
    def smooth(x, w, out):
        i = cuda.grid(1)
        if i < out.size:
            total = float32(0)
            for k in range(7):
                if 0 <= i + k - 3 < x.size:
                    total += w[k] * x[i + k - 3]
            out[i] = total

    report = hand_in("stencil", smooth)
    assert lost(report) == ["once", "waits"]
    said = fault(report, "once").message
    assert "block 0 read `x[0]` 4 times" in said
    assert "up to 7 times" in said


def test_what_is_asked_of_the_unsafe_kernel_is_what_the_machine_finds(root):
    text = (root / "solutions/04_memory/04_memory.py").read_text("utf-8")
    (cell,) = (part for part in text.split("# %%") if "def block_sums_unsafe" in part)
    lines = cell.split("\n", 1)[1].strip("\n").splitlines()
    truths = uninitialised.truths(uninitialised.SIZE)
    assert "part[k]" in lines[truths["line"] - 1]

    @cuda.jit
    def block_sums_unsafe(x, out):
        part = cuda.shared.array(64, float32)
        t = cuda.threadIdx.x
        i = cuda.grid(1)
        if i < x.size:
            part[t] = x[i]
        cuda.syncthreads()
        if t == 0:
            total = float32(0)
            for k in range(64):
                total += part[k]
            out[cuda.blockIdx.x] = total

    x = np.ones(uninitialised.SIZE, np.float32)
    grid, block = 2, uninitialised.THREADS
    trace = simulate(block_sums_unsafe.py_func, grid, block, x, np.zeros(2, np.float32))
    (found,) = trace.hazards
    assert found.kind == "uninitialised-read"
    assert found.who.block[0] == truths["block"]
    assert found.index == (truths["index"],)
    assert found.count == truths["count"]
    assert truths == FOUND


def test_zeroing_by_one_thread_without_waiting_is_a_race():
    @cuda.jit
    def block_sums(x, out):
        part = cuda.shared.array(64, float32)
        t = cuda.threadIdx.x
        i = cuda.grid(1)
        if t == 0:
            for k in range(64):
                part[k] = 0
        if i < x.size:
            part[t] = x[i]
        cuda.syncthreads()
        if t == 0:
            total = float32(0)
            for k in range(64):
                total += part[k]
            out[cuda.blockIdx.x] = total

    report = hand_in("uninitialised", FOUND, block_sums)
    assert lost(report) == ["waits"]
    assert "nothing orders the two" in fault(report, "waits").message
    assert "Two threads write this place" in fault(report, "waits").cause


def test_a_barrier_that_some_miss_shows_nothing_about_what_is_written():
    @cuda.jit
    def block_sums(x, out):
        part = cuda.shared.array(64, float32)
        t = cuda.threadIdx.x
        i = cuda.grid(1)
        if i < x.size:
            part[t] = x[i]
            cuda.syncthreads()
        if t == 0:
            total = float32(0)
            for k in range(64):
                total += part[k]
            out[cuda.blockIdx.x] = total

    report = hand_in("uninitialised", FOUND, block_sums)
    assert lost(report) == ["right", "written", "waits"]
    assert "shows nothing yet" in fault(report, "written").message
    assert "NaN" not in fault(report, "right").cause
    assert "came to the barrier" in fault(report, "right").cause


@pytest.mark.parametrize(
    ("key", "value", "says"),
    [("line", 11, "the line that reads"), ("block", 0, "the block"), ("count", 36, "number of")],
)
def test_a_wrong_entry_is_named_with_what_it_is_not(key, value, says):
    report = hand_in("uninitialised", FOUND | {key: value}, answers.block_sums)
    assert lost(report) == ["found"]
    assert f'`found["{key}"]` is {value}' in fault(report, "found").message
    assert says in fault(report, "found").message
    assert fault(report, "found").cause


def test_a_missing_entry_is_named():
    report = hand_in("uninitialised", {"line": 12}, answers.block_sums)
    assert lost(report) == ["found"]
    assert "no entry for 'block'" in fault(report, "found").message


def test_a_kernel_that_cannot_be_compiled_leaves_the_layout_its_point():
    @cuda.jit
    def speed_squared(fields, out):
        a, b, c, vx, vy, vz = fields
        out[cuda.grid(1)] = a + b + c + vx + vy + vz

    report = hand_in("aos-to-soa", answers.to_soa, speed_squared)
    assert lost(report) == ["every", "inside", "sectors"]
    assert "an array cannot be unpacked in a kernel" in fault(report, "every").message


def test_a_tile_that_is_indexed_by_the_whole_matrix_is_told_so():
    @cuda.jit
    def transpose(m, out):
        tile = cuda.shared.array((32, 33), float32)
        column, row = cuda.grid(2)
        if row < m.shape[0] and column < m.shape[1]:
            tile[row, column] = m[row, column]
        cuda.syncthreads()
        if row < m.shape[0] and column < m.shape[1]:
            out[column, row] = tile[row, column]

    report = hand_in("transpose", transpose)
    assert "Every block has a tile of its own" in fault(report, "inside").cause


def test_sums_without_shared_memory_show_nothing_about_it():
    @cuda.jit
    def block_sums(x, out):
        if cuda.threadIdx.x == 0:
            total = float32(0)
            for k in range(cuda.grid(1), min(cuda.grid(1) + 64, x.size)):
                total += x[k]
            out[cuda.blockIdx.x] = total

    assert lost(hand_in("uninitialised", FOUND, block_sums)) == ["written", "waits"]
