"""Division towards zero: against Python's exact integers, and the cases that C leaves open."""

from __future__ import annotations

import numpy as np
import pytest

from gpuedu.simt.intrinsics import c_division

DTYPES = ("int8", "uint8", "int32", "uint32", "int64", "uint64")


def exact(a: int, b: int) -> tuple[int, int]:
    quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
    return quotient, a - quotient * b


def operands(dtype: str) -> tuple[np.ndarray, np.ndarray]:
    limits = np.iinfo(dtype)
    edges = [limits.min, limits.min + 1, limits.max, limits.max - 1, 0, 1, 2, 3, 7, 16]
    if limits.min < 0:
        edges += [-1, -2, -3, -7, -16]
    left, right = np.meshgrid(np.array(edges, dtype), np.array(edges, dtype))
    keep = (right != 0) & ~((left == limits.min) & (right == limits.max * 0 - (limits.min < 0)))
    return left[keep], right[keep]


@pytest.mark.parametrize("dtype", DTYPES)
def test_towards_zero_with_the_dividends_sign(dtype):
    a, b = operands(dtype)
    expected = [exact(int(x), int(y)) for x, y in zip(a, b, strict=True)]
    quotient, rest = c_division.divide(a, b), c_division.remainder(a, b)
    assert quotient.dtype == rest.dtype == dtype
    assert quotient.tolist() == [q for q, _ in expected]
    assert rest.tolist() == [r for _, r in expected]


@pytest.mark.parametrize("dtype", DTYPES)
def test_by_one_number_it_is_the_same(dtype):
    a, b = operands(dtype)
    for number in np.unique(b):
        many = np.full_like(a, number)
        safe = ~((a == np.iinfo(dtype).min) & (many == -1 if dtype[0] == "i" else False))
        one = c_division.divide(a, number)[safe], c_division.remainder(a, number)[safe]
        each = c_division.divide(a, many)[safe], c_division.remainder(a, many)[safe]
        np.testing.assert_array_equal(one, each)


def test_what_c_leaves_open_is_what_a_gpu_does():
    a = np.array([5, -5, 0], np.int32)
    assert c_division.divide(a, np.int32(0)).tolist() == [-1, -1, -1]
    assert c_division.remainder(a, np.zeros(3, np.int32)).tolist() == [5, -5, 0]
    least = np.array([-(2**31)], np.int32)
    assert c_division.divide(least, np.array([-1], np.int32)).tolist() == [-(2**31)]
    assert c_division.divide(np.array([9], np.uint32), np.uint32(0)).tolist() == [2**32 - 1]
