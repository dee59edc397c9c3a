from __future__ import annotations

import cmath
from enum import Enum, IntEnum

import numpy as np
import pytest
from numba import njit

from gpuedu.errors import KernelSourceError
from gpuedu.simt import simulate
from gpuedu.simt.host import cuda


class Color(Enum):
    red = 1
    green = 2


class Size(IntEnum):
    small = 3


@cuda.jit("int32(int32, float32)", device=True)
def truncated(n, x):
    return n + x


@cuda.jit(["float64(float64, float64)", "int64(int64, int64)"], device=True)
def halved(n, m):
    return (n + m) / 2


@cuda.jit("(float32[:], int64)", device=True)
def element(a, i):
    return a[i]


@njit("int64(int64)")
def for_the_cpu(x):
    return x


@njit
def painted(pred):
    return Color.red if pred else Color.green


def test_a_signature_casts_arguments_and_result():
    def kernel(out):
        out[0] = truncated(7.9, 0.6)
        out[1] = halved(1, 2)
        out[2] = halved(np.int8(1), 2.0)

    out = np.zeros(3)
    simulate(kernel, 1, 1, out)
    assert out.tolist() == [7, 1, 1.5]


def test_a_signature_that_does_not_fit_is_refused():
    def kernel(a, out):
        out[0] = element(a, 0)

    out = np.zeros(1)
    simulate(kernel, 1, 1, np.ones(2, np.float32), out)
    assert out[0] == 1
    with pytest.raises(KernelSourceError, match="compiled for"):
        simulate(kernel, 1, 1, np.ones(2), out)


def test_a_function_compiled_for_the_cpu_is_refused():
    def kernel(out):
        out[0] = for_the_cpu(1)

    with pytest.raises(KernelSourceError, match="for the CPU"):
        simulate(kernel, 1, 1, np.zeros(1))


def test_complex_functions():
    def kernel(z, out):
        out[0] = cmath.sinh(z[0]) + cmath.rect(2.0, 0.5)
        out[1] = complex(*cmath.polar(z[0]))
        out[2] = z[0].conjugate() * cmath.phase(z[0])

    z, out = np.array([0.5 - 2j]), np.zeros(3, complex)
    simulate(kernel, 1, 1, z, out)
    (w,) = z.tolist()
    expected = [cmath.sinh(w) + cmath.rect(2, 0.5), complex(*cmath.polar(w))]
    np.testing.assert_allclose(out, [*expected, w.conjugate() * cmath.phase(w)])


def test_a_star_needs_a_tuple():
    def kernel(out):
        out[0] = complex(*out)

    with pytest.raises(KernelSourceError, match="needs a tuple"):
        simulate(kernel, 1, 1, np.zeros(1))


def test_members_of_enumerations():
    def kernel(a, out):
        i = cuda.grid(1)
        color = Color.red
        if a[i] > 3:
            color = Color.green
        out[i] = 100 * (color == Color.green) + 10 * (painted(a[i] > 3) == Color.red)
        out[i] += Size.small + (Color["red"] == Color.green) + 1000 * (color is Color.red)

    a = np.random.default_rng(1).integers(0, 8, 40)
    out = np.zeros(40, np.int64)
    simulate(kernel, 1, 40, a, out)
    np.testing.assert_array_equal(out, np.where(a > 3, 113, 1003))


def test_an_unknown_member_is_refused():
    def kernel(out):
        out[0] = Color["blue"] == Color.red

    with pytest.raises(KernelSourceError, match="no such member"):
        simulate(kernel, 1, 1, np.zeros(1))


def test_a_record_is_indexed_by_the_number_of_its_field():
    def kernel(records, out):
        out[0] = records[1][0] * 10 + records[1][-1]

    records = np.array([(1, 2.5), (3, 4.5)], [("n", "i4"), ("x", "f8")])
    out = np.zeros(1)
    simulate(kernel, 1, 1, records, out)
    assert out[0] == 34.5


def test_tuples_and_indices_are_printed_as_python_writes_them(capsys):
    def kernel(a):
        print(cuda.threadIdx, (1, (a[0], "x"), (2,)), "end")

    simulate(kernel, 1, 2, np.array([7]))
    lines = capsys.readouterr().out.splitlines()
    assert lines == [f"({t}, 0, 0) (1, (7, x), (2,)) end" for t in range(2)]
