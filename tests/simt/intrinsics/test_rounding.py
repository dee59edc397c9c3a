from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuedu.simt.intrinsics import rounding

INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]


def clamp(value, dtype):
    info = np.iinfo(dtype)
    return min(max(value, int(info.min)), int(info.max))


def converted(value, source, dtype):
    """The ``cvt`` of the PTX manual; Numba has one to 16 bits for 8, of which it keeps the low."""
    target = dtype.replace("int8", "int16")
    if math.isnan(value):
        bits = np.iinfo(target).bits
        empty = source == "float32" and bits < 64
        result = (
            0
            if empty
            else clamp(-(1 << (bits - 1)) if target[0] == "i" else 1 << (bits - 1), target)
        )
    elif math.isinf(value):
        result = clamp(2**70 if value > 0 else -(2**70), target)
    else:
        result = clamp(math.trunc(value), target)
    return int(np.array(result).astype(target).astype(dtype))


@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize("source", ["float32", "float64"])
def test_conversion_clamps(source, dtype):
    rng = np.random.default_rng(1)
    size = 2.0 ** rng.uniform(-3, 70, 1500) * rng.choice([-1, 1], 1500)
    powers = 2.0 ** np.arange(6, 66)
    x = np.concatenate([size, powers, -powers, powers - 1, -powers - 1, -powers + 0.5,
                        [0.0, -0.0, math.nan, math.inf, -math.inf, -0.99, 127.9]]).astype(source)  # fmt: skip
    result = rounding.to_integer(x, dtype)
    assert result.dtype == dtype
    assert result.tolist() == [converted(float(value), source, dtype) for value in x]


@settings(deadline=None)
@given(st.floats(width=64))
def test_round_is_pythons_where_it_fits(x):
    result = int(rounding.round_to_integer(np.float64(x)))
    if math.isnan(x):
        assert result == -(2**63)
    elif math.isinf(x):
        assert result == (2**63 - 1 if x > 0 else -(2**63))
    else:
        assert result == clamp(round(x), "int64")


def test_round_halves_to_even_in_float32():
    x = np.array([0.5, 1.5, 2.5, -0.5, -1.5, 8388609.0], np.float32)
    result = rounding.round_to_integer(x)
    assert result.dtype == np.int64
    assert result.tolist() == [0, 2, 2, 0, -2, 8388609]


def numbas_round(x, digits):
    """The steps of Numba's compiled ``round(x, n)``, on Python floats."""
    if math.isinf(x) or math.isnan(x):
        return x

    def whole(y):
        return float(clamp(round(y), "int64"))

    if digits >= 0:
        first, second = (10.0 ** (digits - 22), 1e22) if digits > 22 else (10.0**digits, 1.0)
        y = x * first * second
        if math.isinf(y):
            return x
    else:
        first, second = 10.0**-digits, 1.0
        y = x / first
    z = whole(y)
    if abs(y - z) == 0.5:
        z = 2.0 * whole(y / 2.0)
    return z / second / first if digits >= 0 else z * first


@pytest.mark.parametrize("digits", [0, 1, 2, 5, 15, 22, 23, 30, 300, -1, -3, -20])
def test_round_to_digits(digits):
    rng = np.random.default_rng(2)
    x = np.concatenate([rng.standard_normal(300) * 10.0 ** rng.uniform(-3, 6, 300),
                        rng.integers(-50, 50, 100) / 4, [math.nan, math.inf, 1e300, -1e18, 1e-300]])  # fmt: skip
    expected = [numbas_round(value, digits) for value in x.tolist()]
    np.testing.assert_allclose(rounding.round_digits(x, digits), expected, rtol=4e-16)
    np.testing.assert_array_equal(
        rounding.round_digits(x, np.int64(digits)), rounding.round_digits(x, digits)
    )


def test_round_to_different_digits_per_lane():
    x = np.full(4, 123.456, np.float32)
    result = rounding.round_digits(x, np.array([0, 1, -1, -2]))
    assert result.dtype == np.float32
    assert result.tolist() == [123.0, np.float32(123.5), 120.0, 100.0]


def test_round_to_digits_of_a_scalar():
    assert rounding.round_digits(np.float32(2.5), 0) == 2
    assert isinstance(rounding.round_digits(np.float32(2.5), 0), np.float32)
