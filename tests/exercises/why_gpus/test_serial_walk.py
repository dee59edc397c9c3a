"""Compiled functions that walk over the elements on one core, and some that only seem to."""

from __future__ import annotations

import numba
import numpy as np
import pytest
from numba import njit, prange

from gpuedu.exercises.why_gpus.parallel_cpu import serial_walk
from gpuedu.exercises.why_gpus.parallel_cpu.parallel_record import record_of

parallel = njit(parallel=True)


def adds_on_one_core(a, x, y, out):
    for i in prange(x.size):
        out[i] = a * x[i]
    for i in range(x.size):
        out[i] += y[i]


def computes_on_one_core(a, x, y, out):
    for i in prange(x.size):
        out[i] = x[i]
    for i in range(x.size):
        out[i] = a * x[i] + y[i]


def adds_in_a_while_loop(a, x, y, out):
    out[:] = a * x
    i = 0
    while i < x.size:
        out[i] += y[i]
        i += 1


def copies_on_one_core(a, x, y, out):
    result = a * x + y
    for i, value in enumerate(result):
        out[i] = value


def half_on_one_core(a, x, y, out):
    half = x.size // 2
    for i in prange(half):
        out[i] = a * x[i] + y[i]
    for i in range(half, x.size):
        out[i] = a * x[i] + y[i]


@njit
def add_all(y, out):
    for i in range(y.size):
        out[i] += y[i]


def adds_in_a_helper(a, x, y, out):
    for i in prange(x.size):
        out[i] = a * x[i]
    add_all(y, out)


def in_chunks(a, x, y, out):
    threads = numba.get_num_threads()
    for thread in prange(threads):
        for i in range(thread, x.size, threads):
            out[i] = a * x[i] + y[i]


def in_blocks_of_prange(a, x, y, out):
    for start in range(0, x.size, 1024):
        for i in prange(start, min(start + 1024, x.size)):
            out[i] = a * x[i] + y[i]


def in_blocks_of_arrays(a, x, y, out):
    for start in range(0, x.size, 1024):
        stop = min(start + 1024, x.size)
        out[start:stop] = a * x[start:stop] + y[start:stop]


def with_a_rest(a, x, y, out):
    blocks = x.size // 4096
    for block in prange(blocks):
        for i in range(block * 4096, (block + 1) * 4096):
            out[i] = a * x[i] + y[i]
    for i in range(blocks * 4096, x.size):
        out[i] = a * x[i] + y[i]


@njit
def one_element(a, x, y, i):
    return a * x[i] + y[i]


def with_a_helper(a, x, y, out):
    for i in prange(x.size):
        out[i] = one_element(a, x, y, i)


def as_an_expression(a, x, y, out):
    out[:] = a * x + y


def as_a_comprehension(a, x, y, out):
    out[:] = np.array([a * x[i] + y[i] for i in range(x.size)])


def record(function):
    x, y = np.arange(16, dtype=np.float32), np.ones(16, np.float32)
    out = np.empty_like(x)
    function(np.float32(2), x, y, out)
    assert list(out) == list(2 * x + y)
    return record_of(function)


@pytest.mark.parametrize(
    "function",
    [
        adds_on_one_core,
        computes_on_one_core,
        adds_in_a_while_loop,
        copies_on_one_core,
        half_on_one_core,
        adds_in_a_helper,
    ],
)
def test_a_walk_over_the_elements_on_one_core_is_seen(function):
    found = record(parallel(function))
    assert found["loops_over_x"] >= 1
    assert found["alone"] is True


@pytest.mark.parametrize(
    "function",
    [
        in_chunks,
        in_blocks_of_prange,
        in_blocks_of_arrays,
        with_a_rest,
        with_a_helper,
        as_an_expression,
        as_a_comprehension,
    ],
)
def test_what_runs_in_parallel_is_not_taken_for_a_walk(function):
    found = record(parallel(function))
    assert found["loops_over_x"] >= 1
    assert found["alone"] is False


def test_what_cannot_be_carried_out_is_not_held_against_it(monkeypatch):
    def broken(*_):
        raise TypeError

    function = parallel(adds_on_one_core)
    monkeypatch.setattr(serial_walk, "_touched_alone", broken)
    assert record(function)["alone"] is False


def test_a_plain_function_that_calls_a_compiled_one_is_told_from_others():
    def plain(a, x, y, out):
        for i in range(x.size):
            out[i] = one_element(a, x, y, i)

    assert serial_walk.calls_compiled(plain)
    assert not serial_walk.calls_compiled(as_an_expression)
