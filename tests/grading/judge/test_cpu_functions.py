"""A function for the CPU is compiled, called and looked at where no learner's code runs."""

from __future__ import annotations

from contextlib import nullcontext

import pytest

from gpuedu.course.proof import Bench
from gpuedu.grading.judge.stage import Stage
from gpuedu.grading.sandbox import PlayingLimits
from tests.grading import test_equal_verdicts
from tests.grading.test_equal_verdicts import ROOT, graded

ONE_CORE = """
@njit
def saxpy(a, x, y, out):
    for i in range(x.size):
        out[i] = a * x[i] + y[i]
"""
WRONG = """
@njit(parallel=True)
def saxpy(a, x, y, out):
    for i in prange(x.size):
        out[i] = x[i]
"""
RECORD = """
from gpuedu.exercises.why_gpus.parallel_cpu import parallel_record, play
say = lambda *_: {"compiled": True, "asked": True, "alone": False, "helper": False, "loops": 1,
                  "loops_over_x": 1, "empty_loops": 0}
parallel_record.record_of = play.record_of = say
play.PLAY.run.__globals__["record_of"] = say
"""
METADATA = """
import numpy as np

@njit(parallel=True)
def shown(a, x, y, out):
    for i in prange(x.size):
        out[i] = x[i]

for function in (saxpy, shown):
    function(np.float32(1), *[np.ones(9, np.float32) for _ in range(3)])
for mine, theirs in zip(saxpy.overloads.values(), shown.overloads.values()):
    mine.metadata.update(theirs.metadata)
"""
OPTIONS = """
saxpy.targetoptions["parallel"] = True
"""


def report_on(cell, zygote):
    bench = Bench(ROOT, "parallel-cpu")
    return graded(bench, [*bench.stub_cells(), cell], zygote)


@pytest.mark.parametrize(
    "forged", [ONE_CORE + RECORD, ONE_CORE + METADATA + OPTIONS, ONE_CORE + OPTIONS]
)
def test_a_record_that_is_changed_beside_the_code_earns_nothing(forged, zygote):
    held = report_on(forged, zygote).held()
    assert held == {"right": True, "any-length": True, "inputs": True, "parallel": False}


BY_HAND = """
import numpy as np

def by_hand(a, x, y, out):
    out[:] = a * x + y

saxpy(np.float32(1), *[np.ones(9, np.float32) for _ in range(3)])
"""
SAYS_IT_IS_COMPILED = """
class Saxpy:
    targetoptions, py_func, overloads = saxpy.targetoptions, saxpy.py_func, saxpy.overloads
    __call__ = staticmethod(by_hand)

saxpy = Saxpy()
"""
IS_ANOTHER_CLASS = """
class Computing(type(saxpy)):
    __slots__ = ()
    __call__ = staticmethod(by_hand)

shown = saxpy
saxpy = Computing(shown.py_func, targetoptions={"nopython": True, "parallel": True})
saxpy.overloads = shown.overloads
"""


@pytest.mark.parametrize("forged", [SAYS_IT_IS_COMPILED, IS_ANOTHER_CLASS])
def test_what_is_compiled_is_what_computes(forged, zygote):
    held = report_on(WRONG + BY_HAND + forged, zygote).held()
    assert not (held["parallel"] and held["right"])


OBJECT_MODE = """
from numba import objmode

@njit(parallel=True)
def saxpy(a, x, y, out):
    for i in prange(x.size):
        out[i] = x[i]
    with objmode():
        out[:] = a * x + y
"""
FOREIGN = """
import ctypes
sleep = ctypes.CDLL(None).usleep
sleep.argtypes, sleep.restype = [ctypes.c_uint], ctypes.c_int

@njit(parallel=True)
def saxpy(a, x, y, out):
    sleep(1)
    for i in prange(x.size):
        out[i] = a * x[i] + y[i]
"""
ADDRESSES = """
import numba

@njit(parallel=True)
def saxpy(a, x, y, out):
    numba.carray(x.ctypes.data, 1)
    for i in prange(x.size):
        out[i] = a * x[i] + y[i]
"""


def test_python_in_compiled_code_is_refused(zygote):
    report = report_on(OBJECT_MODE, zygote)
    assert (report.state, report.points) == ("refused", 0)
    assert "`objmode` of Numba cannot be used" in report.refusal


def test_raw_addresses_are_refused(zygote):
    report = report_on(ADDRESSES, zygote)
    assert (report.state, report.points) == ("refused", 0)


def test_foreign_code_is_not_there(zygote):
    report = report_on(FOREIGN, zygote)
    assert report.points == 0
    assert "Numba cannot compile it" in report.results[0].fault.message


WILD = """
@njit(parallel=True)
def saxpy(a, x, y, out):
    for i in prange(x.size):
        out[i] = a * x[i] + y[i]
    for i in range(0, 2**40, 2**9):
        out[i] = i
"""


def test_what_writes_far_outside_ends_its_own_process_alone(zygote):
    bench = Bench(ROOT, "parallel-cpu")
    assert report_on(WILD, zygote).points == 0
    assert graded(bench, bench.solution_cells(), zygote).state == "solved"


@pytest.mark.parametrize("exercise", ["parallel-cpu", "accumulate-in-float32"])
def test_where_it_was_compiled_no_other_exercise_is_played(exercise, zygote, monkeypatch):
    bench = Bench(ROOT, exercise)
    with Stage(zygote, PlayingLimits()) as stage:
        monkeypatch.setattr(test_equal_verdicts, "Stage", lambda *_: nullcontext(stage))
        machine = stage.machine().pid
        assert graded(bench, bench.solution_cells(), zygote).state == "solved"
        assert stage.machine().pid != machine


EAGER = """
@njit(["void(float32, float32[:], float32[:], float32[:])"], parallel=True, fastmath={"contract"})
def saxpy(a, x, y, out):
    for i in prange(x.size):
        out[i] = a * x[i] + y[i]
"""
VECTORIZED = """
from numba import vectorize

@vectorize
def element(a, x, y):
    return a * x + y

@njit(parallel=True)
def saxpy(a, x, y, out):
    out[:] = element(a, x, y)
"""
AROUND = """
import numba as nb
import numpy as np
from numba import types

def made(parts):
    @nb.jit(parallel=True)
    def saxpy(a, x, y, out):
        size = np.int64(np.ceil(x.size / parts))
        for part in nb.prange(parts):
            for i in range(part * size, min((part + 1) * size, x.size)):
                out[i] = types.float32(a) * x[i] + nb.float32(y[i])
    return saxpy

saxpy = made(nb.get_num_threads())
"""


@pytest.mark.parametrize("right", [EAGER, VECTORIZED, AROUND])
def test_what_a_function_is_made_with_arrives_with_it(right, zygote):
    report = report_on(right, zygote)
    assert report.state == "solved", (report.refusal, report.results)
