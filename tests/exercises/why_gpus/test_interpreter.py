"""What the interpreter carries out, it carries out as Python does; the rest it refuses."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numba import njit, prange

from gpuedu.exercises.why_gpus.parallel_cpu.interpreter import Interpreter, UnknownStatementError

FACTOR = 3


@njit
def scaled(value, by=FACTOR):
    return value * by


def helpers_and_closures(x):
    own = 2.0
    total = scaled(x[0]) + scaled(x[1], own)
    return total + sum([own * value for value in x])


def loops_and_branches(x):
    found, i = [], 0
    while True:
        i += 1
        if i >= x.size:
            break
        if i % 2 and not x[i] > 4:
            continue
        found.append(math.sqrt(x[i]))
    for place, value in enumerate(found):
        found[place] = -value
    return found


def arrays(x):
    (n,) = x.shape
    out = np.empty_like(x)
    out[:] = np.float32(2) * x + np.ones(n, dtype=np.float32)
    out[1:3] += x[-1]
    np.multiply(out, x, out)
    return out.sum() + np.minimum(x, out).max()


@pytest.mark.parametrize("function", [helpers_and_closures, loops_and_branches, arrays])
def test_it_gives_what_python_gives(function):
    x = np.arange(1, 9, dtype=np.float32)
    assert Interpreter().call(function, x) == function(x)


def test_a_function_is_not_compiled_for_it():
    @njit
    def half(value):
        return value / 2

    def both(x):
        return half(x[0])

    assert Interpreter().call(njit(both), [4.0]) == 2
    assert half.signatures == []


class Seen:
    def __init__(self, interpreter):
        self.interpreter, self.reads = interpreter, []

    def __getitem__(self, key):
        self.reads.append((key, self.interpreter.in_parallel))
        return key


@njit
def reads(x, i):
    return x[i]


def test_it_says_when_a_step_of_a_prange_is_under_way():
    def function(x):
        x[0]
        for i in range(1, 2):
            for j in prange(i, 3):
                for _ in range(1):
                    x[j]
                reads(x, 3)
                if j == 1:
                    break
            x[4]
        x[5]

    interpreter = Interpreter()
    seen = Seen(interpreter)
    interpreter.call(function, seen)
    assert seen.reads == [(0, False), (1, True), (3, True), (4, False), (5, False)]
    assert interpreter.in_parallel is False


def looks_around(x):
    return globals()


def loads(x):
    return np.load("/etc/passwd")


def writes_a_file(x):
    return x.tofile("/tmp/there")


def looks_behind(x):
    return x.__class__


def makes_a_type(x):
    return type("Other", (object,), {})


def looks_at_a_module(x):
    return np.lib.format.open_memmap("/tmp/there")


def calls_back(x):
    return max([np.load, print], key=scaled)


@pytest.mark.parametrize(
    "function",
    [
        *(looks_around, loads, writes_a_file, looks_behind, makes_a_type),
        *(looks_at_a_module, calls_back),
    ],
)
def test_what_it_does_not_know_it_refuses(function):
    with pytest.raises(UnknownStatementError):
        Interpreter().call(function, np.ones(3, np.float32))
