from __future__ import annotations

import math

import numpy as np
import pytest

from gpuedu.simt.intrinsics.libdevice import FUNCTIONS


def integers(dtype, count, n=500):
    info = np.iinfo(dtype)
    rng = np.random.default_rng(count)
    edges = np.array([info.min, info.max, 0, 1, -1, 2], dtype)
    wide = rng.integers(info.min, info.max, (count, n), dtype=dtype, endpoint=True)
    return np.where(rng.random((count, n)) < 0.2, rng.choice(edges, (count, n)), wide)


def unsigned(x, bits=32):
    return x % (1 << bits)


def wrap(value, bits):
    value %= 1 << bits
    return value - (1 << bits) if value >> (bits - 1) else value


def low_24(x):
    return wrap(x, 24)


PAIRS = {
    "hadd": (32, lambda a, b: (a + b) >> 1),
    "rhadd": (32, lambda a, b: (a + b + 1) >> 1),
    "uhadd": (32, lambda a, b: (unsigned(a) + unsigned(b)) >> 1),
    "urhadd": (32, lambda a, b: (unsigned(a) + unsigned(b) + 1) >> 1),
    "max": (32, max),
    "min": (32, min),
    "umax": (32, lambda a, b: max(unsigned(a), unsigned(b))),
    "umin": (32, lambda a, b: min(unsigned(a), unsigned(b))),
    "mul24": (32, lambda a, b: low_24(a) * low_24(b)),
    "umul24": (32, lambda a, b: (a & 0xFFFFFF) * (b & 0xFFFFFF)),
    "mulhi": (32, lambda a, b: a * b >> 32),
    "umulhi": (32, lambda a, b: unsigned(a) * unsigned(b) >> 32),
    "llmax": (64, max),
    "llmin": (64, min),
    "ullmax": (64, lambda a, b: max(unsigned(a, 64), unsigned(b, 64))),
    "ullmin": (64, lambda a, b: min(unsigned(a, 64), unsigned(b, 64))),
    "mul64hi": (64, lambda a, b: a * b >> 64),
    "umul64hi": (64, lambda a, b: unsigned(a, 64) * unsigned(b, 64) >> 64),
}


@pytest.mark.parametrize("name", PAIRS)
def test_integers(name):
    bits, exact = PAIRS[name]
    a, b = integers(f"int{bits}", 2)
    result = FUNCTIONS[name](a, b)
    assert result.dtype == f"int{bits}"
    expected = [wrap(exact(x, y), bits) for x, y in zip(a.tolist(), b.tolist(), strict=True)]
    assert result.tolist() == expected
    assert FUNCTIONS[name](a[0], b[0]) == expected[0]


@pytest.mark.parametrize("name", ["sad", "usad"])
def test_sums_of_absolute_differences(name):
    a, b, c = integers("int32", 3)
    result = FUNCTIONS[name](a, b, c).tolist()
    read = unsigned if name == "usad" else int
    for x, y, z, value in zip(a.tolist(), b.tolist(), c.tolist(), result, strict=True):
        assert value == wrap(abs(read(x) - read(y)) + z, 32)


ROUND = {"rd": math.floor, "ru": math.ceil, "rz": math.trunc, "rn": round}


@pytest.mark.parametrize("way", ROUND)
@pytest.mark.parametrize("source", ["float", "double"])
def test_floats_to_integers(source, way):
    rng = np.random.default_rng(5)
    x = (rng.standard_normal(300) * 10.0 ** rng.integers(0, 9, 300)).astype(
        {"float": "f4", "double": "f8"}[source]
    )
    for target, bits, low, high in (
        ("int", 32, -(2**31), 2**31 - 1),
        ("uint", 32, 0, 2**32 - 1),
        ("ll", 64, -(2**63), 2**63 - 1),
        ("ull", 64, 0, 2**64 - 1),
    ):
        result = FUNCTIONS[f"{source}2{target}_{way}"](x)
        assert result.dtype == f"int{bits}"
        expected = [wrap(min(max(ROUND[way](v), low), high), bits) for v in x.tolist()]
        assert result.tolist() == expected


def test_integers_to_floats():
    x = np.array([-1, 5, -(2**31)], np.int32)
    assert FUNCTIONS["int2double_rn"](x).tolist() == [-1, 5, -(2**31)]
    assert FUNCTIONS["uint2float_rn"](x).tolist() == [2.0**32, 5, 2.0**31]
    assert FUNCTIONS["ull2double_rn"](x.astype(np.int64)).tolist()[0] == 2.0**64


def test_bits_and_floats():
    x = np.array([1.5, -0.0, -(2.0**40)])
    high, low = FUNCTIONS["double2hiint"](x), FUNCTIONS["double2loint"](x)
    np.testing.assert_array_equal(FUNCTIONS["hiloint2double"](high, low), x)
    np.testing.assert_array_equal(
        FUNCTIONS["longlong_as_double"](FUNCTIONS["double_as_longlong"](x)), x
    )
    small = x.astype(np.float32)
    np.testing.assert_array_equal(
        FUNCTIONS["int_as_float"](FUNCTIONS["float_as_int"](small)), small
    )
    np.testing.assert_array_equal(
        FUNCTIONS["half2float"](FUNCTIONS["float2half_rn"](small[:2])), small[:2]
    )


FLOATS = {
    "cospi": lambda x: math.cos(math.pi * x),
    "exp10": lambda x: 10.0**x,
    "nearbyint": lambda x: float(round(x)),
    "normcdf": lambda x: 0.5 * math.erfc(-x / math.sqrt(2)),
    "rcbrt": lambda x: 1 / math.cbrt(x),
    "rint": lambda x: float(round(x)),
    "round": lambda x: math.copysign(math.floor(abs(x) + 0.5), x),
    "sinpi": lambda x: math.sin(math.pi * x),
    "tgamma": math.gamma,
    "logb": lambda x: float(math.frexp(x)[1] - 1),
    "ilogb": lambda x: math.frexp(x)[1] - 1,
    "llround": lambda x: int(math.copysign(math.floor(abs(x) + 0.5), x)),
    "llrint": round,
    "sin": math.sin,
}


@pytest.mark.parametrize("name", FLOATS)
@pytest.mark.parametrize("ending", ["", "f"])
def test_floats(name, ending):
    rng = np.random.default_rng(6)
    x = np.concatenate([rng.uniform(-6, 6, 200) + 0.01, [0.5, 1.5, 2.5, -0.5, -2.5]])
    x = x.astype(np.float32 if ending else np.float64)
    result = FUNCTIONS[name + ending](x)
    expected = np.array([FLOATS[name](v) for v in x.tolist()])
    if result.dtype.kind == "i":
        np.testing.assert_array_equal(result, expected)
    else:
        assert result.dtype == x.dtype
        # cos(pi * x) itself loses what the reduced angle keeps, hence the absolute part.
        np.testing.assert_allclose(
            result, expected, rtol=2e-6 if ending else 1e-14, atol=1e-6 if ending else 3e-15
        )
    assert isinstance(FUNCTIONS[name + ending](x[0]), np.generic)


def test_exponents_of_what_has_none():
    x = np.array([0.0, math.inf, -math.inf, math.nan, 5e-324])
    np.testing.assert_array_equal(
        FUNCTIONS["logb"](x), [-math.inf, math.inf, math.inf, math.nan, -1074]
    )
    assert FUNCTIONS["ilogb"](x).tolist() == [-(2**31), 2**31 - 1, 2**31 - 1, -(2**31), -1074]


def test_sines_of_whole_multiples_of_pi_are_exact():
    sine, cosine = FUNCTIONS["sincospi"](np.array([0.0, 0.5, 1e15, 3.0]))
    np.testing.assert_allclose(sine, [0, 1, 0, 0], atol=1e-15)
    np.testing.assert_allclose(cosine, [1, 0, 1, -1], atol=1e-15)


def test_fdim():
    x, y = np.array([3.0, 1.0, math.nan, math.inf]), np.array([1.0, 3.0, 1.0, 1.0])
    np.testing.assert_array_equal(FUNCTIONS["fdim"](x, y), [2, 0, math.nan, math.inf])
    assert FUNCTIONS["fdimf"](np.float32(3), np.float32(1)).dtype == np.float32


def test_tests_give_integers():
    x = np.array([1.0, -math.inf, math.nan])
    assert FUNCTIONS["isfinited"](x).tolist() == [1, 0, 0]
    assert FUNCTIONS["isinfd"](x).tolist() == [0, 1, 0]
    assert FUNCTIONS["isnanf"](x.astype(np.float32)).tolist() == [0, 0, 1]
    assert FUNCTIONS["signbitd"](x[:2]).tolist() == [0, 1]
    assert FUNCTIONS["signbitd"](x).dtype == np.int32


def test_names_exist_in_numba():
    module = pytest.importorskip("numba.cuda.libdevicefuncs")
    names = {name.removeprefix("__nv_") for name in module.functions}
    assert set(FUNCTIONS) <= names
