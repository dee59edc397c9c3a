from __future__ import annotations

import numpy as np
import pytest

from gpuedu.simt import simulate
from gpuedu.simt.host import cuda
from gpuedu.simt.host.errors import KernelHazardWarning
from tests.simt.python.reference import in_every_mode, line_of


def set_in_a_branch(out, n):
    i = cuda.grid(1)
    if i < n:
        x = i * 10
    out[i] = x


def set_in_a_loop(out, n):
    i = cuda.grid(1)
    for k in range(i - 40 + n):
        x = k
    out[i] = x


def set_before_a_break(out, n):
    i = cuda.grid(1)
    k = 0
    while k < n:
        if k == i:
            x = k
            break
        k += 1
    out[i] = x


def added_to(out, n):
    i = cuda.grid(1)
    if i < n:
        x = 1
    x += i
    out[i] = x


def two_at_once(out, n):
    i = cuda.grid(1)
    if i < n:
        x, y = i, 2
    out[i] = 0
    out[i] = x + y


SEVEN = 7
WRONG = [set_in_a_branch, set_in_a_loop, set_before_a_break, added_to, two_at_once]


@pytest.mark.parametrize("trace", [True, False])
@pytest.mark.parametrize("kernel", WRONG)
def test_the_first_thread_that_never_set_it_is_told(kernel, trace):
    found = simulate(kernel, 1, 40, np.zeros(40, np.int64), 20, trace=trace).hazards
    names = ["x", "y"] if kernel is two_at_once else ["x"]
    assert [(one.kind, one.array) for one in found] == [("uninitialised-read", n) for n in names]
    first = 0 if kernel is set_in_a_loop else 20
    assert found[0].who.thread == (first, 0, 0)
    assert found[0].count == (21 if kernel is set_in_a_loop else 20)
    text = {added_to: "x += i", two_at_once: "x + y"}.get(kernel, "out[i] = x")
    assert found[0].place.line == line_of(kernel, text)


@pytest.mark.parametrize("kernel", WRONG)
def test_nobody_is_told_where_all_have_set_it(kernel):
    n = 41 if kernel is set_in_a_loop else 40
    out = np.zeros(40, np.int64)
    in_every_mode(kernel, 1, 40, out, n)


def test_nobody_sets_it():
    out = np.zeros(40, np.int64)
    found = simulate(set_in_a_branch, 1, 40, out, 0).hazards
    assert [one.count for one in found] == [40]
    assert (out != 0).all()


def test_a_second_question_that_agrees_is_right():
    def kernel(a, out):
        i = cuda.grid(1)
        if a[i] > 2:
            x = a[i] * 3
        cuda.syncthreads()
        if a[i] > 2:
            out[i] = x

    a = np.random.default_rng(0).integers(0, 5, 64)
    out = np.zeros(64, np.int64)
    in_every_mode(kernel, 2, 32, a, out)
    np.testing.assert_array_equal(out, np.where(a > 2, a * 3, 0))


def test_an_array_that_was_never_chosen_ends_the_launch():
    def kernel(a, out):
        i = cuda.grid(1)
        if i < out[0]:
            row = a[i]
        out[i] = row[0]

    trace = simulate(kernel, 1, 4, np.ones((4, 2)), np.zeros(4))
    assert not trace.complete
    assert [(one.kind, one.array) for one in trace.hazards] == [("uninitialised-read", "row")]


def test_a_read_that_no_path_can_make_right_is_told_before_the_launch():
    def kernel(out, n):
        if n:
            c = 5
        else:
            c += 1
        out[0] = c

    out = np.zeros(1, np.int64)
    with pytest.warns(KernelHazardWarning, match="variable c") as told:
        assert simulate(kernel, 1, 1, out, 1).hazards == ()
    assert out[0] == 5 and told[0].lineno == line_of(kernel, "c += 1")
    assert [one.kind for one in simulate(kernel, 1, 1, out, 0).hazards] == ["uninitialised-read"]


def test_is_asks_for_equal_values_of_one_type():
    def kernel(flag, n, out):
        out[0] = 1 if flag is True else 2
        out[1] = 1 if n is SEVEN else 2
        out[2] = 1 if n is None else 2
        out[3] = 1 if flag is not False else 2

    out = np.zeros(4, np.int64)
    for flag, n, expected in [(True, 7, [1, 1, 2, 1]), (False, 8, [2, 2, 2, 2])]:
        in_every_mode(kernel, 1, 1, flag, n, out)
        assert out.tolist() == expected
