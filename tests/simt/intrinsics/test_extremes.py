from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest

from gpuedu.simt.intrinsics import extremes

VALUES = [math.nan, math.inf, -math.inf, 0.0, -0.0, 1.5, -1.5, 5e-324]


def ptx_max(a, b):
    if math.isnan(a) or math.isnan(b):
        return b if math.isnan(a) else a
    if a == b == 0:
        return 0.0 if math.copysign(1, a) > 0 or math.copysign(1, b) > 0 else -0.0
    return max(a, b)


def assert_same(actual, expected):
    np.testing.assert_array_equal(actual, expected)
    number = ~np.isnan(expected)
    np.testing.assert_array_equal(np.signbit(actual)[number], np.signbit(expected)[number])


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("repeats", [1, 7])
def test_two_floats_as_in_ptx(dtype, repeats):
    # Repeated, since NumPy's vector code treats zeros differently from its scalar code.
    a, b = np.repeat(np.array(list(product(VALUES, VALUES)), dtype), repeats, axis=0).T.copy()
    expected = [ptx_max(*both) for both in zip(a.tolist(), b.tolist(), strict=True)]
    assert extremes.maximum(a, b).dtype == dtype
    assert_same(extremes.maximum(a, b), np.array(expected, dtype))
    assert_same(extremes.minimum(-a, -b), -np.array(expected, dtype))


def test_more_floats_are_compared_in_order():
    triples = list(product(VALUES, repeat=3))
    columns = np.array(triples).T.copy()
    # Python's own max and min compare in this order too.
    assert_same(extremes.maximum(*columns), np.array([max(t) for t in triples]))
    assert_same(extremes.minimum(*columns), np.array([min(t) for t in triples]))


@pytest.mark.parametrize("dtype", ["int32", "uint32", "int64", "uint64"])
def test_integers(dtype):
    info = np.iinfo(dtype)
    a = np.array([info.min, info.max, 0, 5], dtype)
    b = np.array([info.max, info.min, 1, 5], dtype)
    assert extremes.maximum(a, b).tolist() == np.maximum(a, b).tolist()
    assert extremes.minimum(a, b, a[::-1].copy()).dtype == dtype


def test_a_float_and_an_integer_keep_a_leading_nan():
    nan = np.array([np.nan, 2.0])
    number = np.array([1.0, np.nan])
    assert_same(extremes.larger(nan, number), np.array([np.nan, 2.0]))
    assert_same(extremes.smaller(nan, number), np.array([np.nan, 2.0]))


def test_scalars_and_broadcasting():
    assert isinstance(extremes.maximum(np.float32(0.0), np.float32(-0.0)), np.float32)
    result = extremes.minimum(np.zeros((2, 1)), np.array([[-0.0, 1.0]]))
    assert result.shape == (2, 2)
    assert np.signbit(result).tolist() == [[True, False], [True, False]]
