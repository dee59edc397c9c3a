"""Verdicts of the lesson: reference answers, what a card says about a slip, and only that slip."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numba import float32, float64

from gpuedu.backend import cuda
from gpuedu.compilers import CompilerMissingError
from gpuedu.exercises.card import report_card
from gpuedu.exercises.registry import load
from gpuedu.exercises.tiling.devices import in_sheet_units
from gpuedu.syllabus import lesson
from tests.exercises.tiling.answers import (
    LIMITS,
    REFERENCE,
    attainable,
    blocks_for,
    fault,
    hand_in,
    intensities,
    lost,
)


@cuda.jit
def by_columns(a, b, c):
    i, j = cuda.grid(2)
    if i < c.shape[0] and j < c.shape[1]:
        total = float32(0)
        for k in range(a.shape[1]):
            total += a[i, k] * b[k, j]
        c[i, j] = total


@cuda.jit
def zero_with_point(a, b, c):
    j, i = cuda.grid(2)
    if i < c.shape[0] and j < c.shape[1]:
        total = 0.0
        for k in range(a.shape[1]):
            total += a[i, k] * b[k, j]
        c[i, j] = total


@cuda.jit
def twice(a, b, c):
    j, i = cuda.grid(2)
    if i < c.shape[0] and j < c.shape[1]:
        for _ in range(2):
            total = float32(0)
            for k in range(a.shape[1]):
                total += a[i, k] * b[k, j]
        c[i, j] = total


@cuda.jit
def turned_tile(a, b, c):
    tile_a = cuda.shared.array((32, 32), float32)
    tile_b = cuda.shared.array((32, 32), float32)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    j, i = cuda.grid(2)
    total = float32(0)
    for first in range(0, a.shape[1], 32):
        tile_a[y, x] = a[i, first + x]
        tile_b[y, x] = b[first + y, j]
        cuda.syncthreads()
        for k in range(32):
            total += tile_a[k, y] * tile_b[k, x]
        cuda.syncthreads()
    c[i, j] = total


def test_every_exercise_of_the_lesson_has_a_reference():
    assert set(REFERENCE) == set(lesson("tiling").exercises)


@pytest.mark.parametrize("exercise", REFERENCE)
def test_the_reference_earns_all_points_on_three_seeds(exercise):
    for seed in range(3):
        report = hand_in(exercise, seed=seed)
        assert report.state == "solved", (seed, str(report_card(report)))


def test_points_are_as_the_lesson_says():
    points = {name: load(name).judge.points for name in lesson("tiling").exercises}
    assert points == {
        "roofline": 6,
        "naive": 6,
        "accumulate-in-float32": 5,
        "tiled": 8,
        "any-shape": 8,
    }


def test_a_multiply_add_that_counts_once_is_named():
    def half(counts):
        l1, memory = intensities(counts)
        flop = 2 * counts["multiply_adds"] + counts["other_flop"]
        once = counts["multiply_adds"] + counts["other_flop"]
        return l1 * once / flop, memory * once / flop

    report = hand_in("roofline", half, attainable, LIMITS)
    assert lost(report) == ["l1", "memory"]
    assert "how many floating-point operations is that" in fault(report, "l1").cause


def test_the_memory_that_was_forgotten_is_named():
    def one_roof(per_l1_byte, per_memory_byte, device):
        return attainable(math.inf, per_memory_byte, device)

    report = hand_in("roofline", intensities, one_roof, LIMITS)
    assert lost(report) == ["attainable", "limit"]
    assert fault(report, "attainable").cause == "One roof was forgotten: L1."


def test_sectors_that_are_taken_for_passes_are_named():
    def by_sectors(counts):
        flop = 2 * counts["multiply_adds"] + counts["other_flop"]
        l1_bytes = 32 * counts["sectors"] + 128 * counts["wavefronts"]
        return flop / l1_bytes, intensities(counts)[1]

    report = hand_in("roofline", by_sectors, attainable, LIMITS)
    assert lost(report) == ["l1"]
    assert "a single sector takes one, as four do" in fault(report, "l1").cause


def test_a_peak_in_tflop_is_named():
    def small_peak(per_l1_byte, per_memory_byte, device):
        rate, _ = attainable(per_l1_byte, per_memory_byte, device)
        return min(rate, device["tflop_per_s"]), "arithmetic"

    report = hand_in("roofline", intensities, small_peak, LIMITS)
    assert "a TFLOP is 1e12" in fault(report, "attainable").cause


def test_the_lesson_s_device_in_the_place_of_the_asked_one_is_named():
    h200 = in_sheet_units("h200-sxm")

    def deaf(per_l1_byte, per_memory_byte, device):
        return attainable(per_l1_byte, per_memory_byte, h200)

    report = hand_in("roofline", intensities, deaf, LIMITS)
    assert "That is what the H200 allows" in fault(report, "attainable").cause


def test_an_unknown_name_in_the_dict_lists_the_three():
    report = hand_in("roofline", intensities, attainable, dict.fromkeys(LIMITS, "Device Memory"))
    assert lost(report) == ["placed"]
    assert "The three names are" in fault(report, "placed").cause


def test_a_place_that_is_wrong_is_told_with_both_intensities():
    report = hand_in("roofline", intensities, attainable, LIMITS | {"stencil": "device memory"})
    assert lost(report) == ["placed"]
    assert "0.212 FLOP for each byte through L1, 1.75" in fault(report, "placed").message


def test_x_down_the_rows_is_right_and_costs_33_sectors():
    report = hand_in("naive", lambda rows, columns: blocks_for(columns, rows), by_columns)
    assert lost(report) == ["sectors"]
    assert "it asks for 33 sectors" in fault(report, "sectors").message


def test_a_grid_the_wrong_way_round_is_told_with_the_shape():
    def turned(rows, columns):
        return blocks_for(columns, rows)

    report = hand_in("naive", turned, REFERENCE["naive"][1])
    assert "Your grid is (2, 3), x first, for 64 rows and 96" in fault(report, "every").cause


def test_work_that_is_done_twice_is_counted():
    report = hand_in("naive", blocks_for, twice)
    assert lost(report) == ["sectors"]
    assert "61,440 sectors of `a` and `b`, and 30,720 would do" in fault(report, "sectors").message


@pytest.mark.parametrize("exercise", ["naive", "tiled", "any-shape"])
def test_a_sum_in_float64_is_seen(exercise):
    @cuda.jit
    def double(a, b, c):
        tile_a = cuda.shared.array((32, 32), float64)
        tile_b = cuda.shared.array((32, 32), float64)
        x, y = cuda.threadIdx.x, cuda.threadIdx.y
        j, i = cuda.grid(2)
        total = 0.0
        for k in range(0, a.shape[1], 32):
            tile_a[y, x] = a[i, k + x] if i < c.shape[0] and k + x < a.shape[1] else 0.0
            tile_b[y, x] = b[k + y, j] if j < c.shape[1] and k + y < b.shape[0] else 0.0
            cuda.syncthreads()
            for step in range(32):
                total += tile_a[y, step] * tile_b[step, x]
            cuda.syncthreads()
        if i < c.shape[0] and j < c.shape[1]:
            c[i, j] = total

    given = (blocks_for, zero_with_point) if exercise == "naive" else (double,)
    report = hand_in(exercise, *given)
    assert lost(report) == ["float32"]
    assert "operations in float64" in fault(report, "float32").message
    assert "Which dtype does the sum begin with" in fault(report, "float32").cause


def test_floats_are_no_grid():
    def floats(rows, columns):
        return np.ceil(columns / 32), np.ceil(rows / 32)

    report = hand_in("naive", floats, REFERENCE["naive"][1])
    assert report.points == 0
    assert "whole numbers, of type int" in fault(report, "every").message


def test_a_block_too_many_is_a_note():
    report = hand_in("naive", lambda m, n: (n // 32 + 1, m // 32 + 1), REFERENCE["naive"][1])
    assert report.state == "solved"
    (found,) = report.findings
    assert "6 blocks have a thread for each element" in found.message


def test_a_grid_of_threads_is_refused():
    report = hand_in("naive", lambda rows, columns: (columns, rows), REFERENCE["naive"][1])
    assert report.points == 0
    assert "a block has 32 x 32 threads" in fault(report, "every").message


def test_a_whole_number_that_divides_is_found_on_its_line():
    @cuda.jit
    def rms_norm(x, w, out):
        j = cuda.grid(1)
        if j < x.shape[1]:
            total = float32(0)
            for k in range(x.shape[0]):
                total += x[k, j] ** 2
            root = math.sqrt(total / x.shape[0] + float32(1e-6))
            for k in range(x.shape[0]):
                out[k, j] = x[k, j] * w[k] / root

    report = hand_in("accumulate-in-float32", rms_norm)
    assert lost(report) == ["loops", "once", "compiled"]
    assert "8,192 operations in float64" in fault(report, "loops").message
    assert "an integer that divides" in fault(report, "once").cause


def test_without_the_compiler_its_line_is_passed_with_a_note(monkeypatch):
    def missing(*_args, **_options):
        raise CompilerMissingError("no compiler")

    monkeypatch.setattr("gpuedu.compilers.compiled_facts", missing)
    report = hand_in("accumulate-in-float32")
    assert report.state == "solved"
    assert ["not installed here" in found.message for found in report.findings] == [True]


def test_a_turned_tile_is_named():
    report = hand_in("tiled", turned_tile)
    assert lost(report) == ["every"]
    assert "the tile of `a` are exchanged" in fault(report, "every").cause
    assert not report.findings


def test_a_right_kernel_is_told_its_intensity():
    (found,) = hand_in("tiled").findings
    assert found.message.startswith("6.86 FLOP for each byte")


@pytest.mark.parametrize(("leave_out", "asks"), [(1, "stands between the lines"), (2, "a second")])
def test_the_missing_barrier_is_told_from_the_other(leave_out, asks):
    @cuda.jit
    def hasty(a, b, c):
        tile_a = cuda.shared.array((32, 32), float32)
        tile_b = cuda.shared.array((32, 32), float32)
        x, y = cuda.threadIdx.x, cuda.threadIdx.y
        j, i = cuda.grid(2)
        total = float32(0)
        for first in range(0, a.shape[1], 32):
            tile_a[y, x] = a[i, first + x]
            tile_b[y, x] = b[first + y, j]
            if leave_out != 1:
                cuda.syncthreads()
            for k in range(32):
                total += tile_a[y, k] * tile_b[k, x]
            if leave_out != 2:
                cuda.syncthreads()
        c[i, j] = total

    report = hand_in("tiled", hasty)
    assert "waits" in lost(report)
    assert asks in fault(report, "waits").cause


def test_what_is_held_at_the_edge_is_read_again():
    @cuda.jit
    def held(a, b, c):
        tile_a = cuda.shared.array((32, 32), float32)
        tile_b = cuda.shared.array((32, 32), float32)
        x, y = cuda.threadIdx.x, cuda.threadIdx.y
        j, i = cuda.grid(2)
        row, column = min(i, a.shape[0] - 1), min(j, b.shape[1] - 1)
        total = float32(0)
        for first in range(0, a.shape[1], 32):
            tile_a[y, x] = a[row, first + x] if first + x < a.shape[1] else float32(0)
            tile_b[y, x] = b[first + y, column] if first + y < b.shape[0] else float32(0)
            cuda.syncthreads()
            for k in range(32):
                total += tile_a[y, k] * tile_b[k, x]
            cuda.syncthreads()
        if i < c.shape[0] and j < c.shape[1]:
            c[i, j] = total

    report = hand_in("any-shape", held)
    assert lost(report) == ["once"]
    assert "those at an edge" in fault(report, "once").cause


def test_costs_are_judged_for_any_shape_too():
    @cuda.jit
    def turned(a, b, c):
        tile_a = cuda.shared.array((32, 32), float32)
        tile_b = cuda.shared.array((32, 32), float32)
        x, y = cuda.threadIdx.x, cuda.threadIdx.y
        j, i = cuda.grid(2)
        total = float32(0)
        for first in range(0, a.shape[1], 32):
            in_a = i < a.shape[0] and first + x < a.shape[1]
            in_b = first + y < b.shape[0] and j < b.shape[1]
            tile_a[y, x] = a[i, first + x] if in_a else float32(0)
            tile_b[x, y] = b[first + y, j] if in_b else float32(0)
            cuda.syncthreads()
            for k in range(32):
                total += tile_a[y, k] * tile_b[x, k]
            cuda.syncthreads()
        if i < c.shape[0] and j < c.shape[1]:
            c[i, j] = total

    report = hand_in("any-shape", turned)
    assert lost(report) == ["costs"]
    assert "takes 32 passes through the banks" in fault(report, "costs").message


def test_an_idle_kernel_earns_nothing():
    @cuda.jit
    def idle(a, b, c):
        cuda.syncthreads()

    for exercise in ("tiled", "any-shape"):
        assert hand_in(exercise, idle).points == 0


def test_values_are_as_badly_scaled_as_they_should_be():
    for exercise in ("naive", "tiled", "any-shape"):
        for case in load(exercise).judge.cases(np.random.default_rng(1)):
            sizes = np.abs(case.inputs["a"]).max(axis=1)
            assert sizes.max() > 3 * sizes.min() or len(sizes) < 3
