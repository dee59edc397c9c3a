from __future__ import annotations

import math

import numpy as np
import pytest

from gpuedu.errors import KernelSourceError
from gpuedu.simt import simulate
from gpuedu.simt.host import cuda
from tests.simt.python.reference import as_python, in_every_mode, line_of

TABLE = np.array([3, 1, 4, 1, 5, 9, 2, 6])
GRID = np.arange(12).reshape(3, 4) * 7
COUNT = 8
PAIR = (4, 2.5)


def numbers(size: int) -> np.ndarray:
    return np.random.default_rng(size).integers(-4, 9, size)


def and_guards_a_load(a, out):
    i = cuda.grid(1)
    if i < a.size and a[i] > 2:
        out[i] = 1


def or_guards_a_load(a, out):
    i = cuda.grid(1)
    if i >= a.size or a[i] > 2:  # noqa: SIM102
        if i < a.size:
            out[i] = a[i]


def chains_of_both(a, out):
    i = cuda.grid(1)
    if (i < a.size and a[i] > 2 and a[i - 1 if i > 0 else 0] > 0) or (i < a.size and a[i] == -1):
        out[i] = 1


def chained_comparison(a, out):
    i = cuda.grid(1)
    if i < a.size:
        out[i] = (0 < a[i] < 5) + 10 * (a[i] != i > 3)


def chained_comparison_guards_a_load(a, out):
    i = cuda.grid(1)
    if a.size > i < 2 * a[i] + 5:
        out[i] = 1


def conditional_guards_a_load(a, out):
    i = cuda.grid(1)
    x = a[i] if i < a.size else -1
    if x >= 0:
        out[i] = x + (a[x] if x < a.size else 500)


def conditional_of_conditionals(a, out):
    i = cuda.grid(1)
    if i < a.size:
        out[i] = (1 if a[i] > 5 else 2 if a[i] > 0 else a[-a[i]]) * 10


def value_of_and_and_or(a, out):
    i = cuda.grid(1)
    if i < a.size:
        out[i] = (a[i] and i) + 1000 * (a[i] or 7)


def conditional_of_tuples(a, out):
    i = cuda.grid(1)
    if i < a.size:
        x, y = (i, 1) if a[i] > 2 else (2, i)
        out[i] = x * 100 + y


def tuples(a, out):
    i = cuda.grid(1)
    if i < a.size:
        t = (a[i], i, 3)
        u = t[1:] + (5,)  # noqa: RUF005
        out[i] = t[0] + 10 * u[-1] + 100 * len(u) + (t == (a[i], i, 3)) + 7 * (i in t)


def constants_from_outside(a, out):
    i = cuda.grid(1)
    if i < a.size:
        out[i] = TABLE[i % COUNT] + GRID[i % 3, 1] + PAIR[0] + GRID.shape[1]
        for x in TABLE[i % 4 :]:
            out[i] += x


def constant_array_like(a, out):
    i = cuda.grid(1)
    table = cuda.const.array_like(GRID)
    if i < a.size:
        out[i] = table[i % 3][i % 4]


def builtins_of_numbers(a, out):
    i = cuda.grid(1)
    if i < a.size:
        out[i] = abs(a[i]) + 10 * max(a[i], i, 3) + 100 * min(a[i], 2) + round(2.6) + int(3.7)


def not_and_signs(a, out):
    i = cuda.grid(1)
    if i < a.size:
        out[i] = (not a[i] > 2) + 10 * -a[i] + 100 * ~a[i] + (+i)


def division_and_powers(a, out):
    i = cuda.grid(1)
    if i < a.size:
        out[i] = a[i] // 3 + 100 * (a[i] % 3) + 10_000 * a[i] ** 2 + (a[i] >> 1) + (3 << 2)


@pytest.mark.parametrize("size", [32, 70])
@pytest.mark.parametrize(
    "kernel",
    [
        and_guards_a_load,
        or_guards_a_load,
        chains_of_both,
        chained_comparison,
        chained_comparison_guards_a_load,
        conditional_guards_a_load,
        conditional_of_conditionals,
        value_of_and_and_or,
        conditional_of_tuples,
        tuples,
        constants_from_outside,
        constant_array_like,
        builtins_of_numbers,
        not_and_signs,
        division_and_powers,
    ],
)
def test_expressions(kernel, size):
    as_python(kernel, 3, 32, numbers(size), np.zeros(size, np.int64))


def test_only_threads_that_need_a_load_make_it():
    def kernel(a, out):
        i = cuda.grid(1)
        out[i] = 1 if i < 8 and a[i] > 0 else 0

    a, out = np.ones(32), np.zeros(32)
    trace = in_every_mode(kernel, 1, 32, a, out)
    load = next(site for site in trace.sites if site.array == "a")
    assert load.lanes.tolist() == [8]


def test_a_conditional_load_counts_the_lanes_of_its_side():
    def kernel(a, b, out):
        i = cuda.grid(1)
        out[i] = a[i] if i % 4 == 0 else b[i]

    a, b, out = np.ones(32), np.zeros(32), np.zeros(32)
    trace = in_every_mode(kernel, 1, 32, a, b, out)
    lanes = {site.array: site.lanes.tolist() for site in trace.sites}
    assert lanes == {"a": [8], "b": [24], "out": [32]}


def test_a_division_by_zero_of_an_idle_thread_is_nobodys():
    def kernel(a, out):
        i = cuda.grid(1)
        if a[i] != 0:
            out[i] = 60 // a[i] + 60 % a[i]

    as_python(kernel, 1, 32, numbers(32) // 2, np.zeros(32, np.int64))


def test_math_functions_of_float32_stay_float32():
    def kernel(a, out):
        i = cuda.grid(1)
        out[i] = math.sqrt(a[i]) * math.exp(-a[i])

    a = np.linspace(0, 4, 32, dtype=np.float32)
    out = np.zeros(32, np.float32)
    in_every_mode(kernel, 1, 32, a, out)
    np.testing.assert_allclose(out, np.sqrt(a) * np.exp(-a), rtol=1e-6)


def test_a_list_from_outside_is_refused_with_a_remedy():
    weights = [1, 2, 3]

    def kernel(out):
        out[0] = weights[0]

    with pytest.raises(KernelSourceError, match="list from outside") as caught:
        simulate(kernel, 1, 1, np.zeros(1))
    assert caught.value.line == line_of(kernel, "weights[0]")
    assert "tuple" in caught.value.remedy


def test_an_unknown_name_is_refused():
    def kernel(out):
        out[0] = undefined_name  # noqa: F821

    with pytest.raises(KernelSourceError, match="undefined_name"):
        simulate(kernel, 1, 1, np.zeros(1))


def test_sides_of_a_conditional_without_a_common_type_are_refused():
    def kernel(a, b, out):
        i = cuda.grid(1)
        c = a if i > 3 else b
        out[i] = c[0]

    with pytest.raises(KernelSourceError) as caught:
        simulate(kernel, 1, 32, np.zeros(4), np.zeros((4, 2)), np.zeros(32))
    assert caught.value.line == line_of(kernel, "c = a if")


def test_a_name_of_a_library_leads_to_no_other_one():
    def outside(out):
        out[0] = np.f2py.os.sys.maxsize

    with pytest.raises(KernelSourceError, match=r"`np\.f2py\.os` is another library's module"):
        simulate(cuda.jit(outside), 1, 1, np.zeros(1))
