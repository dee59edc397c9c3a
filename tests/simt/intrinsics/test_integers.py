from __future__ import annotations

import math

import numpy as np
import pytest

from gpuedu.simt.intrinsics import integers

WIDTHS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]


def draw(dtype, n=2000, seed=0):
    info = np.iinfo(dtype)
    rng = np.random.default_rng(seed)
    edges = np.array([info.min, info.max, 0, 1, info.max // 2], dtype)
    small = rng.integers(-9 if info.min else 0, 10, n).astype(dtype)
    wide = rng.integers(info.min, info.max, n, dtype=dtype, endpoint=True)
    kind = rng.integers(0, 3, n, dtype=np.intp)
    return np.choose(kind, [small, wide, rng.choice(edges, n)])


@pytest.mark.parametrize("dtype", WIDTHS)
def test_quotient_and_remainder_are_pythons(dtype):
    a, b = draw(dtype, seed=1), draw(dtype, seed=2)
    quotient, rest = integers.divide_with_remainder(a, b)
    assert quotient.dtype == rest.dtype == dtype
    lowest = np.iinfo(dtype).min
    for x, y, q, r in zip(*(v.tolist() for v in (a, b, quotient, rest)), strict=True):
        if y == 0 or (y == -1 and x == lowest):
            assert (q, r) == (0, 0)
        else:
            assert (q, r) == divmod(x, y)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_float_quotients(dtype):
    rng = np.random.default_rng(3)
    a = (rng.standard_normal(2000) * 50).astype(dtype)
    b = rng.choice([1, -1, 0.5, 3, -7, 2.25], 2000).astype(dtype)
    quotient, rest = integers.divide_with_remainder(a, b)
    assert quotient.dtype == rest.dtype == dtype
    expected = [divmod(x, y) for x, y in zip(a.tolist(), b.tolist(), strict=True)]
    np.testing.assert_array_equal(quotient, np.array([q for q, _ in expected], dtype))
    tolerance = 2e-6 if dtype == np.float32 else 1e-15
    np.testing.assert_allclose(rest, [r for _, r in expected], rtol=tolerance, atol=tolerance)


def test_float_division_by_zero_and_infinity():
    a = np.array([1.0, -1.0, 0.0, math.nan, 5.0, -5.0])
    zero = np.zeros(6)
    np.testing.assert_array_equal(
        integers.true_divide(a, zero),
        [math.inf, -math.inf, math.nan, math.nan, math.inf, -math.inf],
    )
    assert integers.floor_divide(a, zero)[0] == math.inf
    assert np.isnan(integers.remainder(a, zero)).all()
    assert integers.remainder(np.float64(-5), np.float64(math.inf)) == math.inf
    assert integers.floor_divide(np.float64(-5), np.float64(math.inf)) == -1


@pytest.mark.parametrize("dtype", ["int64", "uint64", "int32", "uint32"])
@pytest.mark.parametrize("count_dtype", ["int64", "uint64"])
def test_shifts_by_any_count(dtype, count_dtype):
    a = draw(dtype, 500, seed=4)
    width = 8 * a.itemsize
    rng = np.random.default_rng(5)
    count = rng.choice([0, 1, width - 1, width, width + 1, 2 * width, 1000], 500).astype(
        count_dtype
    )
    left, right = integers.left_shift(a, count), integers.right_shift(a, count)
    assert left.dtype == right.dtype == dtype
    for x, c, up, down in zip(*(v.tolist() for v in (a, count, left, right)), strict=True):
        assert up % (1 << width) == (x << c) % (1 << width)
        assert down == x >> c


def test_negative_shift_counts_clear_everything():
    count = np.array([-1, -64, -(2**31)])
    assert integers.left_shift(np.int64(-5), count).tolist() == [0, 0, 0]
    assert integers.right_shift(np.int64(-5), count).tolist() == [-1, -1, -1]
    assert integers.right_shift(np.uint64(5), count).tolist() == [0, 0, 0]


def test_only_32_bits_of_a_shift_count_matter():
    count = np.array([2**32 + 3, -(2**32) + 1])
    assert integers.left_shift(np.int64(1), count).tolist() == [8, 2]


@pytest.mark.parametrize(
    "function",
    [
        integers.floor_divide,
        integers.remainder,
        integers.left_shift,
        integers.right_shift,
    ],
)
def test_scalars_and_broadcasting(function):
    one = function(np.int64(37), np.int64(5))
    assert isinstance(one, np.generic)
    assert one.dtype == np.int64
    whole = function(np.array([[37], [-2]]), np.array([[5, 3, 1]]))
    assert whole.shape == (2, 3)
    assert whole[0, 0] == one
