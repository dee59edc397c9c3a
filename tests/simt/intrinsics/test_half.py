from __future__ import annotations

import math
import operator
import re
from fractions import Fraction

import numpy as np
import pytest

from gpuedu.simt.intrinsics import half

EVERY = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
FUNCTIONS = half.FUNCTIONS
PYTHON = {
    "hsqrt": np.sqrt,
    "hrsqrt": lambda x: 1 / np.sqrt(x),
    "hrcp": lambda x: 1 / x,
    "hexp": np.exp,
    "hexp2": np.exp2,
    "hexp10": lambda x: 10.0**x,
    "hlog": np.log,
    "hlog2": np.log2,
    "hlog10": np.log10,
    "hsin": np.sin,
    "hcos": np.cos,
    "htanh": np.tanh,
    "htanh_approx": np.tanh,
    "hfloor": np.floor,
    "hceil": np.ceil,
    "hrint": np.rint,
    "htrunc": np.trunc,
    "habs": np.abs,
    "hneg": np.negative,
}


@pytest.mark.parametrize("name", PYTHON)
def test_every_half_against_float64(name):
    result = FUNCTIONS[name](EVERY)
    assert result.dtype == np.float16
    with np.errstate(all="ignore"):
        expected = PYTHON[name](EVERY.astype(np.float64)).astype(np.float16)
    np.testing.assert_array_equal(np.isnan(result), np.isnan(expected))
    number = ~np.isnan(expected)
    away = np.abs(ordered(result[number]) - ordered(expected[number]))
    correctly_rounded = name in (
        "hsqrt",
        "hrcp",
        "habs",
        "hneg",
        "hfloor",
        "hceil",
        "hrint",
        "htrunc",
    )
    assert away.max() <= (0 if correctly_rounded else 1)
    assert (away > 0).mean() < 1e-3


def ordered(x):
    """Integers in which neighboring halves differ by 1."""
    bits = x.view(np.int16).astype(np.int64)
    return np.where(bits < 0, -(bits & 0x7FFF), bits)


def pairs(n=4000):
    rng = np.random.default_rng(1)
    special = np.array([math.nan, math.inf, -math.inf, 0.0, -0.0, 65504, 6e-8, 1], np.float16)
    a, b = rng.choice(EVERY, (2, n))
    grid = np.array([(x, y) for x in special for y in special], np.float16)
    return np.concatenate([a, grid[:, 0]]), np.concatenate([b, grid[:, 1]])


@pytest.mark.parametrize(
    ("name", "python"),
    [
        ("hadd", operator.add),
        ("hsub", operator.sub),
        ("hmul", operator.mul),
        ("hdiv", operator.truediv),
    ],
)
def test_arithmetic_is_correctly_rounded(name, python):
    a, b = pairs()
    result = FUNCTIONS[name](a, b)
    assert result.dtype == np.float16
    with np.errstate(all="ignore"):
        expected = python(a.astype(np.float64), b.astype(np.float64)).astype(np.float16)
    np.testing.assert_array_equal(result, expected)


@pytest.mark.parametrize(
    ("name", "python"),
    [
        ("heq", operator.eq),
        ("hge", operator.ge),
        ("hgt", operator.gt),
        ("hle", operator.le),
        ("hlt", operator.lt),
    ],
)
def test_comparisons(name, python):
    a, b = pairs()
    result = FUNCTIONS[name](a, b)
    assert result.dtype == bool
    np.testing.assert_array_equal(result, python(a.astype(np.float64), b.astype(np.float64)))


def test_hne_is_false_for_nan():
    a, b = pairs()
    expected = (a != b) & ~np.isnan(a) & ~np.isnan(b)
    np.testing.assert_array_equal(FUNCTIONS["hne"](a, b), expected)


def test_hmax_and_hmin_prefer_numbers_and_positive_zero():
    nan, zero = np.float16(math.nan), np.float16(0)
    assert FUNCTIONS["hmax"](nan, np.float16(2)) == 2
    assert FUNCTIONS["hmin"](np.float16(2), nan) == 2
    assert not np.signbit(FUNCTIONS["hmax"](-zero, zero))
    assert np.signbit(FUNCTIONS["hmin"](zero, -zero))


def test_hfma_is_rounded_once():
    rng = np.random.default_rng(2)
    finite = EVERY[np.isfinite(EVERY)]
    a, b, c = rng.choice(finite, (3, 3000))
    # Products that are ties between two halves, with a c that decides.
    a = np.concatenate([a, rng.integers(33, 64, 2000) * np.float16(2) + 1]).astype(np.float16)
    b = np.concatenate([b, rng.integers(17, 32, 2000) * np.float16(2) + 1]).astype(np.float16)
    c = np.concatenate([c, rng.choice([-1, 1], 2000) * 2.0 ** rng.integers(-24, 0, 2000)]).astype(
        np.float16
    )
    result = FUNCTIONS["hfma"](a, b, c)
    assert result.dtype == np.float16
    for x, y, z, value in zip(a, b, c, result, strict=True):
        total = Fraction(float(x)) * Fraction(float(y)) + Fraction(float(z))
        assert float(value) == nearest_half(total)


def nearest_half(total):
    sizes = POSITIVE
    size = abs(total)
    if size >= 65520:
        return math.copysign(math.inf, total)
    at = int(np.searchsorted(sizes, float(size)))
    near = [k for k in (at - 2, at - 1, at, at + 1) if 0 <= k < sizes.size]
    best = min(near, key=lambda k: (abs(Fraction(float(sizes[k])) - size), k & 1))
    return math.copysign(float(sizes[best]), total)


POSITIVE = np.arange(0x7C00, dtype=np.uint16).view(np.float16).astype(np.float64)


def test_scalars_stay_scalars():
    for name in PYTHON:
        assert isinstance(FUNCTIONS[name](np.float16(0.5)), np.float16), name
    assert isinstance(FUNCTIONS["hfma"](*[np.float16(2)] * 3), np.float16)


def test_names_are_those_of_cuda_fp16():
    # Only numba-cuda has this module; the older target inside Numba names its functions elsewhere.
    bindings = pytest.importorskip("numba.cuda._internal.cuda_fp16")
    functions = {
        name for name in vars(bindings) if re.fullmatch(r"(__)?h[a-z0-9]+(_approx)?", name)
    }
    assert {name.removeprefix("__") for name in functions} >= set(FUNCTIONS)
