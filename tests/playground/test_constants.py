"""Constants are worked out from the tree, all of it soon, and nothing leads out of them."""

import ast

import numpy as np
import pytest

from gpuedu.playground.constants import NotConstantError, Unknown, evaluate
from gpuedu.playground.imports import modules


def value(text, **names):
    return evaluate(ast.parse(text, mode="eval").body, modules() | names)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("(N + 255) // 256", 4),
        ("1 << 10", 1024),
        ("-3 % 7", 4),
        ("(N, 2, 1)", (1000, 2, 1)),
        ("(7, 8, 9)[1]", 8),
        ("N if N > 7 else 7", 1000),
        ("math.sqrt(16)", 4.0),
        ("int(math.ceil(N / 256))", 4),
        ("min(N, 5) + max(1, 2)", 7),
        ("numpy.float32(0.5)", np.float32(0.5)),
        ("not N", False),
    ],
)
def test_what_stands_above_kernels_has_its_value(text, wanted):
    assert value(text, N=1000) == wanted


def test_arrays_and_their_facts():
    table = value("numpy.array([1, 2, 4], dtype=numpy.int16)")
    assert table.dtype == np.int16 and table.tolist() == [1, 2, 4]
    assert value("table.size + table.shape[0]", table=table) == 6
    assert value("numpy.arange(3, 9, 2)").tolist() == [3, 5, 7]


@pytest.mark.parametrize(
    "text",
    [
        "10 ** 10 ** 10",
        "1 << 10 ** 9",
        "math.factorial(10 ** 7)",
        "math.comb(10 ** 8, 10 ** 7)",
        "numpy.zeros(10 ** 12)",
        "numpy.arange(0, 10 ** 9)",
        "numpy.arange(0, 1, 1e-12)",
        "numpy.linspace(0, 1, 10 ** 10)",
        "numpy.full((10 ** 6, 10 ** 6), 1)",
        "[0] * 10 ** 9",
        "(0,) * 10 ** 9",
        "'x' * 10 ** 9",
    ],
)
def test_what_is_too_large_is_refused_at_once(text):
    with pytest.raises(NotConstantError, match=r"too|more than"):
        value(text)


@pytest.mark.parametrize(
    "text",
    [
        "().__class__",
        "numpy.__builtins__",
        "numpy.core",
        "numpy.load('x')",
        "numpy.fromfile('x')",
        "open('x')",
        "__import__('os')",
        "eval('1')",
        "(lambda: 1)()",
        "[i for i in range(3)]",
        "print(1)",
        "len.__self__",
        "nothing",
        "1 / 0",
        "(1).real",
        "numpy.zeros(3) @ numpy.zeros(3)",
    ],
)
def test_nothing_else_is_evaluated(text):
    with pytest.raises(NotConstantError):
        value(text)


def test_a_name_that_is_not_known_says_so():
    with pytest.raises(NotConstantError, match="`K` is not known"):
        value("K + 1", K=Unknown("K", 3, "why"))
