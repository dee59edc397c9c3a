from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from gpuedu.simt.intrinsics import fused


def nearest(value, dtype):
    """The IEEE number nearest to a fraction, ties to even, found among neighbors."""
    info = np.finfo(dtype)
    largest = Fraction(float(info.max))
    if abs(value) >= largest + (largest - Fraction(float(np.nextafter(info.max, dtype(0))))) / 2:
        return dtype(np.inf if value > 0 else -np.inf)
    try:
        guess = dtype(float(value))
    except OverflowError:
        guess = info.max if value > 0 else -info.max
    if np.isinf(guess):
        guess = info.max if value > 0 else info.min
    around = [guess, *(np.nextafter(guess, end) for end in (info.min, info.max))]
    word = f"u{guess.itemsize}"
    return min(around, key=lambda g: (abs(Fraction(float(g)) - value), int(g.view(word)) & 1))


def exact(a, b, c, dtype):
    with np.errstate(all="ignore"):
        plain = a * b + c
    if np.isfinite(a) and np.isfinite(b) and not np.isfinite(c):
        return c
    if not (np.isfinite(a) and np.isfinite(b)) or a == 0 or b == 0:
        return plain
    value = Fraction(float(a)) * Fraction(float(b)) + Fraction(float(c))
    if value == 0:
        return dtype(0)
    return nearest(value, dtype)


def assert_exact(a, b, c, dtype):
    result = fused.fma(a, b, c)
    assert result.dtype == dtype
    for x, y, z, value in zip(a, b, c, result, strict=True):
        expected = exact(x, y, z, dtype)
        assert value == expected or (np.isnan(value) and np.isnan(expected)), (x, y, z)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("spread", [0, 5, 30, 150, 900])
def test_random_operands(dtype, spread):
    rng = np.random.default_rng(spread)
    a, b, c = rng.standard_normal((3, 1500)) * 2.0 ** rng.integers(-spread, spread + 1, (3, 1500))
    with np.errstate(over="ignore", under="ignore"):
        assert_exact(a.astype(dtype), b.astype(dtype), c.astype(dtype), dtype)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_cancellation(dtype):
    rng = np.random.default_rng(1)
    a, b = rng.standard_normal((2, 1500)).astype(dtype)
    c = -(a * b)
    assert_exact(a, b, c, dtype)
    assert (fused.fma(a, b, c) != 0).any()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_sums_next_to_a_tie(dtype):
    # The product is a tie between two numbers of the result's precision, c decides it.
    digits = np.finfo(dtype).nmant
    rng = np.random.default_rng(2)
    odd = rng.integers(1 << (digits // 2), 1 << (digits // 2 + 1), 500) | 1
    a, b = odd.astype(dtype), (odd[::-1] | (1 << (digits // 2 + 2))).astype(dtype)
    for exponent in (-30, -60, -100, -140):
        c = (rng.choice([-1, 1], 500) * 2.0**exponent).astype(dtype)
        assert_exact(a, b, c, dtype)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_subnormal_results(dtype):
    rng = np.random.default_rng(3)
    tiny = float(np.finfo(dtype).tiny)
    root = float(np.sqrt(tiny))
    a, b = (rng.standard_normal((2, 1000)) * root).astype(dtype)
    c = (rng.standard_normal(1000) * tiny * 2.0 ** rng.integers(-30, 3, 1000)).astype(dtype)
    assert_exact(a, b, c, dtype)


words = st.integers(0, 2**64 - 1)


@settings(max_examples=300, deadline=None)
@given(words, words, words)
@example(0x7FEFFFFFFFFFFFFF, 0x4000000000000000, 0xFFEFFFFFFFFFFFFF)
@example(0x7FEFFFFFFFFFFFFF, 0x3FF0000000000001, 0xFCA0000000000000)
@example(1, 1, 0x8000000000000001)
@example(0x8000000000000001, 1, 0)
def test_any_bits_in_float64(a, b, c):
    operands = [np.array([word], np.uint64).view(np.float64) for word in (a, b, c)]
    assert_exact(*operands, np.float64)


@settings(max_examples=300, deadline=None)
@given(*[st.integers(0, 2**32 - 1)] * 3)
def test_any_bits_in_float32(a, b, c):
    operands = [np.array([word], np.uint32).view(np.float32) for word in (a, b, c)]
    assert_exact(*operands, np.float32)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_signs_of_zero(dtype):
    zero = dtype(0)
    assert np.signbit(fused.fma(-zero, dtype(1), -zero))
    assert not np.signbit(fused.fma(-zero, dtype(1), zero))
    assert not np.signbit(fused.fma(dtype(2), dtype(3), dtype(-6)))
    smallest = np.finfo(dtype).smallest_subnormal
    assert np.signbit(fused.fma(-smallest, smallest, zero))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_scalars_and_broadcasting(dtype):
    assert isinstance(fused.fma(dtype(2), dtype(3), dtype(1)), dtype)
    result = fused.fma(np.ones((2, 1), dtype), np.arange(3, dtype=dtype), dtype(1))
    assert result.tolist() == [[1, 2, 3], [1, 2, 3]]
