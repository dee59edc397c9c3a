from __future__ import annotations

import cmath
import math
import operator

import numpy as np
import pytest

from gpuedu.simt.intrinsics import mathematics

FUNCTIONS = mathematics.FUNCTIONS
SPECIAL = [math.nan, math.inf, -math.inf, 0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.5, 1e300, -1e300, 5e-324,
           -5e-324, 2.3e-308, 1e-20, 709.9, -745.2, 171.7, 3.0, -3.0, math.pi]  # fmt: skip
UNARY = [
    name
    for name in sorted(FUNCTIONS)
    if name not in {"atan2", "copysign", "fmod", "hypot", "ldexp", "nextafter", "pow", "remainder",
                    "frexp", "modf"}
]  # fmt: skip
BINARY = ["atan2", "copysign", "fmod", "hypot", "nextafter", "pow", "remainder"]
IN_TEST_SPECIAL = {"gamma", "lgamma"}


def by_python(name, *operands):
    """Python's ``math``, with the values of C where Python raises or makes integers."""
    try:
        value = float(getattr(math, name)(*operands))
    except OverflowError:
        return overflow(name, *operands)
    except ValueError:
        return domain_error(name, *operands)
    return math.copysign(value, operands[0]) if name in ("ceil", "floor", "trunc") else value


def overflow(name, x, y=0.0):
    odd = name == "pow" and y % 2 == 1
    return (
        math.copysign(math.inf, x)
        if name in ("ceil", "floor", "trunc", "sinh") or odd
        else math.inf
    )


def domain_error(name, x, y=0.0):
    if name in ("ceil", "floor", "trunc"):
        return x
    if (name in ("log", "log2", "log10") and x == 0) or (name == "log1p" and x == -1):
        return -math.inf
    if name == "atanh" and abs(x) == 1:
        return math.copysign(math.inf, x)
    if name == "pow" and x == 0:
        return math.copysign(math.inf, x) if y % 2 == 1 else math.inf
    return math.nan


def assert_close(actual, expected, ulps):
    """Equal up to some units in the last place; NaN, infinities and zeros' signs exactly."""
    actual, expected = np.asarray(actual), np.asarray(expected, actual.dtype)
    np.testing.assert_array_equal(np.isnan(actual), np.isnan(expected))
    number = ~np.isnan(expected)
    actual, expected = actual[number], expected[number]
    np.testing.assert_array_equal(np.isinf(actual), np.isinf(expected))
    np.testing.assert_array_equal(np.signbit(actual), np.signbit(expected))
    finite = np.isfinite(expected)
    with np.errstate(all="ignore"):
        off = np.abs(actual[finite].astype(np.longdouble) - expected[finite])
        assert (off <= ulps * np.spacing(np.abs(expected[finite]))).all()


def inputs(name, dtype, n=2000):
    rng = np.random.default_rng(len(name))
    scale = 10.0 ** rng.uniform(-4, 2, n)
    x = np.concatenate([rng.uniform(-1, 1, n), rng.standard_normal(n) * scale, SPECIAL])
    with np.errstate(over="ignore"):
        return x.astype(dtype)


@pytest.mark.parametrize("name", sorted(set(UNARY) - IN_TEST_SPECIAL))
def test_one_operand_in_float64(name):
    x = inputs(name, np.float64)
    result = FUNCTIONS[name](x)
    expected = np.array([by_python(name, value) for value in x.tolist()])
    if name.startswith("is"):
        assert result.dtype == bool
        np.testing.assert_array_equal(result, expected != 0)
        return
    assert result.dtype == np.float64
    assert_close(result, expected, 4)


@pytest.mark.parametrize("name", UNARY)
def test_one_operand_in_float32(name):
    x = inputs(name, np.float32)
    result = FUNCTIONS[name](x)
    with np.errstate(all="ignore"):
        expected = FUNCTIONS[name](x.astype(np.float64)).astype(
            bool if name.startswith("is") else np.float32
        )
    assert result.dtype == expected.dtype
    if name.startswith("is"):
        np.testing.assert_array_equal(result, expected)
    else:
        # The angle conversions round their factor to float32 too, as compiled code does.
        assert_close(result, expected, 4)


def pairs(dtype):
    rng = np.random.default_rng(11)
    x = np.concatenate([rng.standard_normal(1000) * 10.0 ** rng.uniform(-3, 3, 1000)])
    y = np.concatenate([rng.standard_normal(1000) * 10.0 ** rng.uniform(-3, 3, 1000)])
    wholes = rng.integers(-20, 20, (2, 500)) / 2
    special = np.array(SPECIAL)[:, np.newaxis] + np.zeros(len(SPECIAL))
    x = np.concatenate([x, wholes[0], special.ravel()])
    y = np.concatenate([y, wholes[1], special.T.ravel()])
    with np.errstate(over="ignore"):
        return x.astype(dtype), y.astype(dtype)


@pytest.mark.parametrize("name", BINARY)
def test_two_operands_in_float64(name):
    x, y = pairs(np.float64)
    expected = [by_python(name, *both) for both in zip(x.tolist(), y.tolist(), strict=True)]
    assert_close(FUNCTIONS[name](x, y), expected, 0 if name in ("remainder", "fmod") else 2)


@pytest.mark.parametrize("name", BINARY)
def test_two_operands_in_float32(name):
    x, y = pairs(np.float32)
    result = FUNCTIONS[name](x, y)
    assert result.dtype == np.float32
    with np.errstate(all="ignore"):
        if name == "nextafter":
            expected = np.nextafter(x, y)
        else:
            wide = FUNCTIONS[name](x.astype(np.float64), y.astype(np.float64))
            expected = wide.astype(np.float32)
    assert_close(result, expected, 0 if name in ("remainder", "fmod") else 2)


def test_remainder_takes_ties_to_the_even_quotient():
    halves = np.arange(-12, 13) / 2.0
    for y in (1.0, 2.0, -2.0, 1e307, 1.7e308, 5e-324, 1e-310):
        x = halves * y if abs(y) < 1e308 else halves / 8 * y
        expected = [math.remainder(value, y) for value in x.tolist()]
        assert_close(FUNCTIONS["remainder"](x, np.float64(y)), expected, 0)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_functions_with_two_results(dtype):
    x = inputs("modf", dtype)
    fraction, whole = FUNCTIONS["modf"](x)
    mantissa, exponent = FUNCTIONS["frexp"](x)
    assert fraction.dtype == whole.dtype == mantissa.dtype == dtype
    assert exponent.dtype == np.int32
    expected = [math.modf(value) for value in x.astype(np.float64).tolist()]
    assert_close(fraction, [part for part, _ in expected], 0)
    assert_close(whole, [part for _, part in expected], 0)
    finite = np.isfinite(x)
    parts = [math.frexp(value) for value in x[finite].astype(np.float64).tolist()]
    assert_close(mantissa[finite], [part for part, _ in parts], 0)
    assert exponent[finite].tolist() == [part for _, part in parts]
    assert not exponent[~finite].any()


def test_ldexp():
    x = np.array([1.0, -0.75, 0.0, 1e300, 5e-324, np.inf])
    counts = np.array([10, -3, 5, 100, 2000, -4])
    expected = [1024.0, -0.09375, 0.0, np.inf, np.ldexp(5e-324, 2000), np.inf]
    np.testing.assert_array_equal(FUNCTIONS["ldexp"](x, counts), expected)
    assert FUNCTIONS["ldexp"](np.float32(1.5), np.int32(3)) == 12
    assert FUNCTIONS["ldexp"](np.float32(1.5), np.int32(3)).dtype == np.float32


@pytest.mark.parametrize("name", UNARY)
@pytest.mark.parametrize("dtype", [np.int64, np.uint64])
def test_integers_count_as_float64(name, dtype):
    x = np.array([0, 1, 2, 100], dtype)
    result = FUNCTIONS[name](x)
    assert result.dtype == (bool if name.startswith("is") else np.float64)
    np.testing.assert_array_equal(result, FUNCTIONS[name](x.astype(np.float64)))


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_scalars_and_shapes(name, dtype):
    rng = np.random.default_rng(3)
    block = rng.uniform(0.1, 0.9, (4, 1)).astype(dtype) + (name == "acosh")
    thread = rng.uniform(0.1, 0.9, (1, 6)).astype(dtype)
    count = 2 if name in [*BINARY, "ldexp"] else 1
    operands = [block, thread][:count]
    if name == "ldexp":
        operands[1] = np.arange(6, dtype=np.int32).reshape(1, 6)
    whole = FUNCTIONS[name](*operands)
    several = whole if isinstance(whole, tuple) else (whole,)
    assert all(part.shape == np.broadcast_shapes(*(v.shape for v in operands)) for part in several)
    one = FUNCTIONS[name](*(operand[0, 0] for operand in operands))
    for part, scalar in zip(several, one if isinstance(one, tuple) else (one,), strict=True):
        assert isinstance(scalar, np.generic)
        assert scalar.dtype == part.dtype
        assert np.allclose(scalar, part[0, 0], rtol=1e-6)


def test_every_function_of_numbas_cuda_target_is_here():
    declared = pytest.importorskip("numba.cuda.cudamath").registry.globals
    names = {function.__name__ for function, _ in declared if function.__module__ == "math"}
    assert names <= set(FUNCTIONS)
    assert len(names) > 30


@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
@pytest.mark.parametrize("name", sorted(mathematics.COMPLEX))
def test_complex_functions(name, dtype):
    rng = np.random.default_rng(8)
    z = (rng.standard_normal(300) + 1j * rng.standard_normal(300)).astype(dtype)
    result = mathematics.COMPLEX[name](z)
    expected = [getattr(cmath, name)(complex(value)) for value in z]
    assert result.dtype == (bool if name.startswith("is") else dtype)
    np.testing.assert_allclose(result, expected, rtol=2e-5 if dtype == np.complex64 else 1e-13)


def test_the_plane_and_its_angles():
    rng = np.random.default_rng(9)
    z = rng.standard_normal(200) + 1j * rng.standard_normal(200)
    plane = mathematics.PLANE
    np.testing.assert_allclose(plane["log10"](z), [cmath.log10(one) for one in z], rtol=1e-13)
    np.testing.assert_allclose(plane["phase"](z), [cmath.phase(one) for one in z], rtol=1e-13)
    np.testing.assert_allclose(np.array(plane["polar"](z)).T, [cmath.polar(one) for one in z])
    r, phi = z.real, z.imag
    expected = [cmath.rect(*pair) for pair in zip(r, phi, strict=True)]
    np.testing.assert_allclose(plane["rect"](r, phi), expected, rtol=1e-13)
    assert plane["rect"](r.astype("f4"), phi.astype("f4")).dtype == np.complex64
    assert plane["rect"](np.float64(0), np.float64(np.inf)) == 0


def test_complex_numbers_of_infinities_and_signed_zeros():
    make = mathematics.BUILTINS["complex"]
    assert make(np.float64(1), np.float64(np.inf)) == complex(1, np.inf)
    assert np.signbit(make(np.float64(1), np.float64(-0.0)).imag)
    minus = np.complex128(complex(-np.inf, -np.inf))
    assert not np.signbit(mathematics.COMPLEX["exp"](minus).imag)


def test_complex_logarithm_to_a_base():
    result = mathematics.COMPLEX["log"](np.complex128(-8), np.complex128(2))
    assert result == pytest.approx(cmath.log(-8, 2))


def test_operators_are_pythons():
    rng = np.random.default_rng(4)
    python = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv,
              "//": operator.floordiv, "%": operator.mod, "**": operator.pow, "&": operator.and_,
              "|": operator.or_, "^": operator.xor, "<<": operator.lshift,
              ">>": operator.rshift}  # fmt: skip
    assert set(python) == set(mathematics.OPERATORS)
    for symbol, function in mathematics.OPERATORS.items():
        a, b = rng.integers(-9, 9, 200), rng.integers(1, 9, 200)
        if symbol == "/":
            a, b = a.astype(np.float64), b.astype(np.float64)
        expected = [python[symbol](*both) for both in zip(a.tolist(), b.tolist(), strict=True)]
        np.testing.assert_array_equal(function(a, b), expected)


def test_builtins():
    builtins = mathematics.BUILTINS
    assert builtins["abs"](np.int32(-3)) == 3
    assert builtins["round"](np.float32(2.5)) == 2
    assert builtins["round"](np.float64(2.675), 2) == 2.68
    assert builtins["pow"](np.int64(2), np.int64(10)) == 1024
    assert builtins["max"](np.int32(1), np.int32(4), np.int32(2)) == 4
    assert builtins["min"](np.float32(1), np.float32(np.nan)) == 1
    assert builtins["divmod"](np.int64(-7), np.int64(2)) == (-4, 1)
