"""Verdicts of the lesson: what is predicted and asked for, what is refused, what stays undecided."""

from __future__ import annotations

import numpy as np
import pytest

from gpuedu.backend import cuda
from gpuedu.exercises.memory.stencil import judge as stencil
from gpuedu.exercises.memory.uninitialised import judge as uninitialised
from gpuedu.exercises.registry import load
from gpuedu.simt import simulate
from tests.exercises.reports import fault, hand_in, hand_in_stored, lost, undecided
from tests.exercises.stored import stored_answers


@pytest.mark.parametrize(
    ("exercise", "name", "expected"),
    [
        ("coalesced-copy", "writes_nothing", ["once", "inside", "sectors"]),
        ("coalesced-copy", "whole_turns", ["once", "inside"]),
        ("aos-to-soa", "block_index", ["inside", "sectors"]),
        ("transpose", "naive", ["waits", "banks"]),
        ("transpose", "no_barrier", ["every"]),
        ("stencil", "ends_not_zeroed", ["every", "ends"]),
        ("stencil", "straight", ["waits"]),
        ("uninitialised", "writes_nothing", ["written", "waits", "inside"]),
        ("uninitialised", "without_shared_memory", ["written", "waits"]),
        ("uninitialised", "barrier_in_the_if", ["right", "written"]),
        ("uninitialised", "not_mended", ["right"]),
    ],
)
def test_what_follows_from_something_else_is_not_called_wrong(exercise, name, expected):
    assert undecided(hand_in_stored(exercise, name)) == set(expected)


def test_a_table_that_stays_one_is_refused_with_both_shapes():
    report = hand_in("aos-to-soa", to_soa=lambda table: table.copy())
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
    assert says in fault(hand_in("aos-to-soa", to_soa=to_soa), "layout").cause


def test_a_list_of_fields_is_no_array():
    report = hand_in("aos-to-soa", to_soa=lambda table: list(table.T))
    assert "should return an array" in fault(report, "layout").message


def test_what_is_only_read_has_to_stay_as_it_is():
    def in_place(table):
        table *= 2
        return np.ascontiguousarray(table.T)

    @cuda.jit
    def speed_squared(fields, out):
        i = cuda.grid(1)
        if i < out.size:
            fields[3, i] = fields[3, i] ** 2
            out[i] = fields[3, i] + fields[4, i] ** 2 + fields[5, i] ** 2

    said = fault(hand_in("aos-to-soa", to_soa=in_place), "layout").message
    assert said == "`table` was changed by `to_soa`"
    said = fault(hand_in("aos-to-soa", speed_squared=speed_squared), "every").message
    assert said == "`fields` was changed by the kernel"


def test_a_kernel_that_cannot_be_compiled_leaves_the_layout_its_point():
    @cuda.jit
    def speed_squared(fields, out):
        a, b, c, vx, vy, vz = fields
        out[cuda.grid(1)] = a + b + c + vx + vy + vz

    report = hand_in("aos-to-soa", speed_squared=speed_squared)
    assert lost(report) == {"every", "inside", "sectors"}
    assert "an array cannot be unpacked in a kernel" in fault(report, "every").message


def test_a_shape_in_two_arguments_is_told_as_such():
    said = fault(hand_in_stored("transpose", "shape_in_two_arguments"), "every")
    assert "the shape is one argument" in said.message and "`(32, 33)`" in said.cause


def test_a_predicted_number_of_passes_is_what_the_machine_counts():
    @cuda.jit
    def columns(out):
        narrow = cuda.shared.array((32, 32), np.float32)
        wide = cuda.shared.array((32, 33), np.float32)
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
    for exercise, array in (("coalesced-copy", "far"), ("aos-to-soa", "table")):
        assert load(exercise).judge.predictions[exercise].truth == sectors[array]
    halo = load("stencil").judge.predictions["stencil"].truth
    assert halo == stencil.BLOCK + 2 * stencil.RADIUS


def test_the_reference_of_the_stencil_is_a_plain_loop():
    rng = np.random.default_rng(4)
    x, w = rng.normal(0, 3, 11), rng.normal(0, 3, 7)
    for i, value in enumerate(stencil.reference(x, w)):
        own = sum(w[k] * x[i + k - 3] for k in range(7) if 0 <= i + k - 3 < 11)
        assert value == pytest.approx(own)


def test_each_block_s_sum_is_that_of_its_own_elements():
    x = np.arange(1, 101, dtype=np.float32)
    got = uninitialised.sums({"x": x, "grid": 3})
    assert got.tolist() == [sum(range(1, 65)), sum(range(65, 101)), 0]


def test_the_line_that_is_asked_for_is_the_one_that_reads(root):
    text = (root / "solutions/04_memory/04_memory.py").read_text("utf-8")
    (cell,) = (part for part in text.split("# %%") if "def block_sums_unsafe" in part)
    lines = cell.split("\n", 1)[1].strip("\n").splitlines()
    truths = uninitialised.truths(uninitialised.SIZE)
    assert "part[k]" in lines[truths["line"] - 1]
    assert truths["count"] == load("uninitialised").judge.predictions["uninitialised"].truth


def test_the_other_values_are_what_the_machine_finds():
    kernel = stored_answers("uninitialised", "wrong", "not_mended")["block_sums"]
    x = np.ones(uninitialised.SIZE, np.float32)
    trace = simulate(kernel.py_func, 2, uninitialised.THREADS, x, np.zeros(2, np.float32))
    (found,) = trace.hazards
    truths = uninitialised.truths(uninitialised.SIZE)
    assert found.kind == "uninitialised-read"
    assert found.who.block[0] == truths["block"]
    assert found.index == (truths["index"],)
    assert found.count == truths["count"]


@pytest.mark.parametrize(
    ("key", "value", "says"),
    [("line", 11, "the line that reads"), ("block", 0, "the block"), ("count", 36, "number of")],
)
def test_a_wrong_entry_is_named_with_what_it_is_not(key, value, says):
    truths = uninitialised.truths(uninitialised.SIZE)
    report = hand_in("uninitialised", found={**truths, key: value})
    assert lost(report) == {"found"}
    assert f'`found["{key}"]` is {value}' in fault(report, "found").message
    assert says in fault(report, "found").message


def test_a_missing_entry_is_named():
    report = hand_in("uninitialised", found={"line": 12})
    assert lost(report) == {"found"}
    assert "no entry for 'block'" in fault(report, "found").message


def test_a_sum_in_float64_is_noted_once_and_costs_nothing():
    @cuda.jit
    def smooth(x, w, out):
        tile = cuda.shared.array(134, np.float32)
        t, i = cuda.threadIdx.x, cuda.grid(1)
        for k in range(t, 134, 128):
            j = i - t + k - 3
            tile[k] = x[j] if 0 <= j < x.size else 0
        cuda.syncthreads()
        if i < out.size:
            total = 0
            for k in range(7):
                total += w[k] * tile[t + k]
            out[i] = total

    report = hand_in("stencil", smooth=smooth)
    assert not lost(report)
    (noted,) = report.findings
    assert "3,584 of 7,168 floating-point operations were in float64" in noted.message


@pytest.mark.parametrize("exercise", ["transpose", "stencil"])
def test_an_early_return_is_told_where_the_others_wait(exercise):
    report = hand_in_stored(exercise, "returns_with_nothing_to_do")
    assert lost(report) == {"waits"}
    assert "returned before this barrier" in fault(report, "waits").message
