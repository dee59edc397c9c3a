from __future__ import annotations

import math

import numpy as np
import pytest

from gpuedu.simt import simulate
from gpuedu.simt.host import cuda
from gpuedu.simt.machine.regions import Region, flop_of
from gpuedu.simt.program import Binary, Call, Const
from gpuedu.trace import LineCount, Place, Trace
from tests.simt.python.reference import line_of

F4, C8, I8 = np.dtype(np.float32), np.dtype(np.complex64), np.dtype(np.int64)


def one(dtype: np.dtype) -> Const:
    return Const(dtype.type(1))


@pytest.mark.parametrize(
    "node, amount",
    [
        (Binary("+", one(F4), one(F4), F4), 1),
        (Binary("//", one(F4), one(F4), F4), 1),
        (Binary("<", one(F4), one(F4), np.dtype(bool)), 0),
        (Binary("+", one(I8), one(I8), I8), 0),
        (Binary("-", one(C8), one(C8), C8), 2),
        (Binary("*", one(C8), one(C8), C8), 6),
        (Call("math.sqrt", (one(F4),), F4), 1),
        (Call("math.fma", (one(F4),) * 3, F4), 2),
        (Call("abs", (one(F4),), F4), 0),
        (Call("math.modf", (one(F4),), F4, 0), 1),
        (Call("math.modf", (one(F4),), F4, 1), 0),
    ],
)
def test_work_of_one_operation(node, amount):
    assert flop_of(node)[0] == amount


def test_a_line_that_begins_twice_in_a_region_is_listed_once():
    region, place = Region(0), Place("k", 3)
    region.add_line(place)
    region.add_line(place)
    region.add_flop(place, "float32", 2)
    region.add_flop(place, "float32", 1)
    assert region.lines == [place]
    assert region.flop == {(place, "float32"): 3}


def line(trace: Trace, kernel, text: str) -> LineCount:
    (found,) = (n for n in trace.lines if n.place.line == line_of(kernel, text))
    return found


def test_lines_of_branches_and_loops_by_hand():
    def kernel(a, out):
        i = cuda.grid(1)
        x = a[i] * a[i]
        if i % 4 == 0:
            x = x + a[i]
        elif i % 4 == 1:
            x = x / a[i]
        for _ in range(3):
            if i % 32 >= 16:
                continue
            x -= a[i]
        n = i % 2
        while n < 2:
            n += 1
            x = math.sqrt(x) * x
        out[i] = x

    a = np.ones(40, np.float32)
    trace = simulate(kernel, 1, 40, a, np.ones(40, np.float32))
    expected = {
        # text: (executions by warp, lanes by warp, flop); the second warp has 8 lanes
        "x = a[i] * a[i]": ([1, 1], [32, 8], 40),
        "x = x + a[i]": ([1, 1], [8, 2], 10),
        "x = x / a[i]": ([1, 1], [8, 2], 10),
        "if i % 32 >= 16": ([3, 3], [96, 24], 0),
        "continue": ([3, 0], [48, 0], 0),
        "x -= a[i]": ([3, 3], [48, 24], 72),
        "n += 1": ([2, 2], [48, 12], 0),  # two turns for even threads, one for odd
        "x = math.sqrt(x) * x": ([2, 2], [48, 12], 120),
        "out[i] = x": ([1, 1], [32, 8], 0),
    }
    for text, (executions, lanes, flop) in expected.items():
        found = line(trace, kernel, text)
        assert (found.executions.tolist(), found.lanes.tolist()) == (executions, lanes), text
        assert sum(found.flop.values()) == flop, text


def test_lines_after_a_return_are_run_by_those_who_stayed():
    def kernel(a, out):
        i = cuda.grid(1)
        if i % 2 == 0:
            return
        out[i] = a[i] + a[i]

    trace = simulate(kernel, 2, 32, np.ones(64), np.ones(64))
    found = line(trace, kernel, "out[i] = a[i]")
    assert found.executions.tolist() == [1, 1] and found.lanes.tolist() == [16, 16]
    assert found.flop == {"float64": 32}


def test_work_in_a_device_function_belongs_to_its_line():
    @cuda.jit(device=True)
    def cube(x):
        return x * x * x

    def kernel(a, out):
        i = cuda.grid(1)
        out[i] = cube(a[i]) + cube(a[i])

    trace = simulate(kernel, 1, 32, np.ones(32), np.ones(32))
    flop = {n.place.function: sum(n.flop.values()) for n in trace.lines if n.flop}
    assert flop == {"cube": 128, "kernel": 32}  # 2 calls of 2 for 32 threads, and one +


def test_one_expression_for_two_names_is_worked_out_once():
    def kernel(a, out):
        i = cuda.grid(1)
        x = y = a[i] * 3.0
        out[i] = max(x, y)

    trace = simulate(kernel, 1, 32, np.ones(32), np.ones(32))
    assert line(trace, kernel, "x = y").flop == {"float64": 32}
