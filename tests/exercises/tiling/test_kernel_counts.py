"""The eight kernels: right results, and counts that can be worked out by hand."""

from __future__ import annotations

import ast

import numpy as np
import pytest

from gpuedu.exercises.tiling import counted_kernels as kernels
from gpuedu.exercises.tiling.kernel_counts import (
    COLUMNS,
    DEGREE,
    NAMES,
    ROWS,
    SIDE,
    SIZE,
    describe_counts,
    kernel_counts,
)
from gpuedu.exercises.tiling.measures import count_kernels
from gpuedu.exercises.tiling.roofline.judge import in_sheet_units
from gpuedu.lens import lens
from gpuedu.lens.roofline import roofline_point
from gpuedu.simt import simulate

EIGHT = kernel_counts()


def drawn(*shape: int) -> np.ndarray:
    return np.random.default_rng(8).normal(0, 1, shape).astype(np.float32)


@pytest.mark.parametrize("kernel", [kernels.naive, kernels.tiled])
def test_the_matmuls_are_right_and_without_a_hazard(kernel):
    a, b, c = drawn(32, 64), drawn(64, 96), np.zeros((32, 96), np.float32)
    trace = simulate(kernel, (3, 1), (32, 32), a, b, c)
    np.testing.assert_allclose(c, a.astype(float) @ b, atol=1e-4)
    assert not trace.hazards


def test_by_columns_is_right():
    a, b, c = drawn(32, 64), drawn(64, 96), np.zeros((32, 96), np.float32)
    simulate(kernels.by_columns, (1, 3), (32, 32), a, b, c)
    np.testing.assert_allclose(c, a.astype(float) @ b, atol=1e-4)


def test_the_other_five_are_right():
    x, table, out = drawn(256), drawn(256, 6), np.zeros(256, np.float32)
    simulate(kernels.power_series, 2, 128, x / 8, out, 30)
    np.testing.assert_allclose(out, 1 / (1 - x / 8.0), rtol=1e-4)
    simulate(kernels.speed_of_rows, 2, 128, table, out)
    np.testing.assert_allclose(out, (table[:, 3:] ** 2).sum(axis=1), rtol=1e-5)
    simulate(kernels.sum_of_rows, 2, 128, table, out)
    np.testing.assert_allclose(out, table.sum(axis=1), atol=1e-5)
    w = drawn(7)
    simulate(kernels.stencil, 2, 125, x, w, out[:250])
    np.testing.assert_allclose(out[:250], np.correlate(x, w), atol=1e-4)
    y = x.copy()
    simulate(kernels.saxpy, 2, 128, np.float32(3), x, y)
    np.testing.assert_allclose(y, 4 * x, rtol=1e-6)


def test_counts_that_are_known_by_hand():
    warps = SIZE // 32
    assert EIGHT["saxpy"].flop == 2 * SIZE
    assert EIGHT["saxpy"].sectors == 12 * warps
    assert EIGHT["speed-of-rows"].sectors == (3 * 24 + 4) * warps
    assert EIGHT["sum-of-rows"].flop == ROWS * COLUMNS
    assert EIGHT["sum-of-rows"].sectors == ROWS * COLUMNS + ROWS // 8
    assert EIGHT["power-series"].flop == 2 * DEGREE * SIZE
    steps = SIDE**3 // 32
    for name, sectors in (("by-columns", 33), ("naive", 5)):
        stored = 32 if name == "by-columns" else 4
        work = EIGHT[f"matmul-{name}"]
        assert work.sectors == sectors * steps + stored * SIDE**2 // 32
        assert work.flop == 2 * SIDE**3
    tiled = EIGHT["matmul-tiled"]
    assert tiled.wavefronts == 2 * steps + 2 * steps // 32
    assert tiled.passes == tiled.wavefronts + 2 * steps // 32 + SIDE**2 // 32
    assert EIGHT["matmul-naive"].passes == 2 * steps + SIDE**2 // 32
    assert tiled.sectors == 2 * 4 * steps // 32 + 4 * SIDE**2 // 32


@pytest.mark.parametrize("name", NAMES)
def test_no_flop_is_lost_between_multiply_adds_and_others(name):
    work = EIGHT[name]
    assert work.other_flop >= 0
    assert work.read_bytes + work.written_bytes <= 32 * work.sectors + 16 * 1024
    assert work.wavefronts <= work.passes and work.sectors <= 4 * work.passes


def test_bytes_are_those_of_the_roofline_s_own_reading():
    a, b, c = (drawn(SIDE, SIDE) for _ in range(3))
    trace = simulate(kernels.tiled, (3, 3), (32, 32), a, b, c)
    point, work = roofline_point(lens(trace)), EIGHT["matmul-tiled"]
    assert (point.flop, point.l1_bytes, point.memory_bytes) == (
        work.flop,
        work.l1_bytes,
        work.memory_bytes,
    )


def test_the_table_names_all_eight_with_their_sectors():
    table = describe_counts()
    for name, work in EIGHT.items():
        assert f"{name} " in table
        assert f"{work.sectors:,}" in table


def test_the_lesson_s_device_is_the_catalog_s(root):
    text = (root / "solutions/07_tiling/07_tiling.py").read_text("utf-8")
    (line,) = (one for one in text.splitlines() if one.startswith("H200 = "))
    told = ast.literal_eval(line.removeprefix("H200 = "))
    for name, value in in_sheet_units("h200-sxm").items():
        assert told[name] == pytest.approx(value, rel=1e-4)


def test_counts_are_handed_out():
    assert count_kernels()["saxpy"]["multiply_adds"] == SIZE
