from __future__ import annotations

import numpy as np
import pytest

from gpuedu.errors import KernelSourceError
from gpuedu.simt import simulate
from gpuedu.simt.host import cuda
from tests.simt.python.reference import line_of

WORDS = "is negative"


class OwnError(Exception):
    pass


class AwkwardError(Exception):
    def __init__(self, one, two, three):
        super().__init__(one, two, three)


@cuda.jit(device=True)
def root(x):
    if x < 0:
        raise ValueError("the number", WORDS)
    return x**0.5


@cuda.jit(device=True)
def twice(x):
    return root(x) + root(x)


def roots(a, out):
    i = cuda.grid(1)
    out[i] = 1
    x = twice(a[i])
    out[i] = x


def stops(out, which):
    i = cuda.grid(1)
    if i == which:
        raise OwnError
    out[i] = i + 1


def asserts(a, out):
    i = cuda.grid(1)
    assert a[i] > 0, "only positive numbers"
    out[i] = a[i]


@pytest.mark.parametrize("trace", [True, False])
def test_without_debug_the_thread_ends_and_a_note_says_so(trace):
    out = np.zeros(40)
    found = simulate(stops, 1, 40, out, 33, trace=trace).findings
    assert [(one.kind, one.level, one.who.thread[0]) for one in found] == [("raise", "note", 33)]
    assert "OwnError" in found[0].message and found[0].place.line == line_of(stops, "raise")
    np.testing.assert_array_equal(out, np.where(np.arange(40) == 33, 0, np.arange(40) + 1))


def test_a_device_function_ends_the_thread_of_its_caller():
    a, out = np.arange(-3.0, 61.0), np.zeros(64)
    found = simulate(roots, 2, 32, a, out).findings
    assert [(one.kind, one.count) for one in found] == [("raise", 3)]
    np.testing.assert_allclose(out[3:], 2 * np.sqrt(a[3:]))
    assert (out[:3] == 1).all()


def test_with_debug_the_host_hears_of_it():
    kernel = cuda.jit(debug=True, opt=False)(stops)
    out = cuda.to_device(np.zeros(4))
    kernel[1, 4](out, 9)
    with pytest.raises(OwnError, match=r"function 'stops'.*line \d+\ntid=\[2, 0, 0\] ctaid=\[0"):
        kernel[1, 4](out, 2)
    with pytest.raises(ValueError, match="the number, is negative"):
        cuda.jit(debug=True, opt=False)(roots)[1, 4](cuda.to_device(-np.ones(4)), out)


def test_an_assertion():
    a, out = np.array([1, 0, 3]), np.zeros(3)
    assert simulate(asserts, 1, 3, a, out).findings[0].message.count("only positive") == 1
    assert out.tolist() == [1, 0, 3]
    assert simulate(asserts, 1, 3, np.ones(3), out).findings == ()
    with pytest.raises(AssertionError, match="only positive numbers"):
        cuda.jit(debug=True, opt=False)(asserts)[1, 3](cuda.to_device(a), cuda.to_device(out))


def test_a_class_with_arguments_of_its_own_is_named():
    @cuda.jit(debug=True, opt=False)
    def kernel():
        raise AwkwardError(1, 2, 3)

    with pytest.raises(RuntimeError, match=r"AwkwardError.*\n.*1, 2, 3"):
        kernel[1, 1]()


def test_only_exceptions_are_raised():
    def kernel(out):
        raise out

    with pytest.raises(KernelSourceError, match="only exceptions"):
        simulate(kernel, 1, 1, np.zeros(1))
