from __future__ import annotations

import math

import numpy as np
import pytest

from gpuedu.simt.intrinsics import powers

LOWEST = -(2**63)


def wrapped(value, dtype):
    return int(np.array(value % 2**64, np.uint64).astype(dtype))


def numbas_integer_power(a, b, dtype):
    """Numba's compiled ``int ** int``: wrapping squarings, a detour through float64."""
    info = np.iinfo(dtype)
    if b < 0:
        if a == 0:
            return LOWEST
        if a not in (1, -1):
            return 0
    if abs(b) > 0x10000:
        try:
            wide = math.pow(a, b)
        except OverflowError:
            wide = -math.inf if a < 0 and b % 2 else math.inf
    else:
        wide = float(wrapped(pow(a, abs(b), 2**64), dtype))
    if math.isinf(wide):
        return int(info.max if wide > 0 else info.min)
    return min(max(int(wide), int(info.min)), int(info.max))


@pytest.mark.parametrize("dtype", ["int64", "uint64"])
def test_integers(dtype):
    rng = np.random.default_rng(1)
    a = rng.choice([0, 1, 2, 3, 7, 10, 255, 2**31, 2**62, 2**63 - 1], 600).astype(dtype)
    b = rng.choice([0, 1, 2, 3, 5, 13, 39, 40, 63, 64, 1000, 65536, 65537, 10**12], 600).astype(
        dtype
    )
    if dtype == "int64":
        a = a * rng.choice([-1, 1], 600)
        b = b * rng.choice([-1, 1, 1], 600)
    result = powers.power(a, b)
    assert result.dtype == dtype
    expected = [
        numbas_integer_power(x, y, dtype) for x, y in zip(a.tolist(), b.tolist(), strict=True)
    ]
    assert result.tolist() == expected


@pytest.mark.parametrize("exponent", [0, 1, 2, 3, 10, 39, -1, -2, 70000, -70001, LOWEST])
def test_one_exponent_for_all_lanes(exponent):
    a = np.array([0, 1, -1, 2, -3, 7, 2**62])
    result = powers.power(a, np.int64(exponent))
    each = powers.power(a, np.full(7, exponent))
    np.testing.assert_array_equal(result, each)
    assert result.dtype == np.int64


def test_digits_beyond_a_float64_are_lost_as_in_numba():
    assert powers.power(np.int64(3), np.int64(39)) == int(float(3**39)) != 3**39


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("count_dtype", [np.int32, np.int64])
def test_float_to_an_integer_is_multiplied_out(dtype, count_dtype):
    rng = np.random.default_rng(2)
    a = (rng.standard_normal(300) * 2).astype(dtype)
    b = rng.integers(-12, 40, 300).astype(count_dtype)
    result = powers.power(a, b)
    assert result.dtype == dtype
    for x, n, value in zip(a, b.tolist(), result, strict=True):
        expected, factor, left = dtype(1), x, abs(n)
        while left:
            if left & 1:
                expected = expected * factor
            left >>= 1
            with np.errstate(all="ignore"):
                factor = factor * factor
        if n < 0:
            expected = dtype(1 / np.float64(expected))
        assert value == expected
        assert powers.power(x, count_dtype(n)) == expected


def test_float_to_a_large_integer_uses_the_library():
    result = powers.power(np.float64(1.0001), np.array([70000, -70000, 2]))
    np.testing.assert_allclose(result, [1.0001**70000, 1.0001**-70000, 1.0001**2], rtol=1e-12)


def test_float_special_values():
    a = np.array([0.0, -0.0, math.inf, math.nan, -2.0, -math.inf])
    np.testing.assert_array_equal(powers.power(a, np.int64(0)), np.ones(6))
    np.testing.assert_array_equal(
        powers.power(a, np.int64(-1)), [math.inf, -math.inf, 0.0, math.nan, -0.5, -0.0]
    )
    assert powers.power(np.float64(1), np.float64(math.nan)) == 1
    assert np.isnan(powers.power(np.float64(-8), np.float64(1 / 3)))
    assert powers.float_power(np.float32(2), np.int32(-2)) == np.float32(0.25)
    assert powers.float_power(np.float32(2), np.int32(-2)).dtype == np.float32
