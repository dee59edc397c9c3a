"""The functions of ``numba.cuda.libdevice`` that the machine has.

An ``f`` at the end of a name is float32, ``ll`` int64; ``u`` and ``ull`` are unsigned, though Numba
passes and returns them as signed integers. ``rn`` rounds to nearest, ``rz`` to zero, ``rd`` down,
``ru`` up.

Not here: Bessel functions, the inverses of the error function and the normal distribution, and
arithmetic or conversions *to floats* that do not round to nearest.

Simplified: the ``fast_`` functions are as exact as the others.

Source: NVIDIA, "libdevice User's Guide", section "Function Reference".
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from gpuedu.simt.intrinsics import bits, extremes, fused, special
from gpuedu.simt.intrinsics.mathematics import FUNCTIONS as MATH
from gpuedu.simt.intrinsics.mathematics import Function
from gpuedu.simt.intrinsics.powers import float_power
from gpuedu.simt.intrinsics.rounding import to_integer

_quiet = np.errstate(all="ignore")
_ROUNDINGS: dict[str, np.ufunc] = {"rd": np.floor, "rn": np.rint, "ru": np.ceil, "rz": np.trunc}


def _of_pi(function: Function) -> Function:
    """A function of ``pi * x``, whose angle is reduced before it is multiplied."""

    @_quiet
    def scaled(x: np.ndarray) -> np.ndarray:
        x = np.asarray(x)
        return function(np.fmod(x.astype(np.float64), 2) * np.pi).astype(x.dtype)[()]

    return scaled


@_quiet
def _round_away(x: np.ndarray) -> np.ndarray:
    whole = np.trunc(x)
    half_or_more = np.abs(x - whole) >= 0.5
    return np.where(half_or_more, whole + np.copysign(x.dtype.type(1), x), whole)[()]


@_quiet
def _exponent(x: np.ndarray) -> np.ndarray:
    """``logb``: the exponent as a float; -inf for 0, inf for infinities."""
    exponent = np.where(x == 0, -np.inf, np.frexp(x)[1] - 1.0)
    return np.where(np.isfinite(x), exponent, np.abs(x)).astype(x.dtype)[()]


def _exponent_as_integer(x: np.ndarray) -> np.ndarray:
    """``ilogb``: the ends of int32 for what has no exponent."""
    return np.where(np.isnan(x), np.int32(-(2**31)), to_integer(_exponent(x), np.int32))[()]


@_quiet
def _positive_difference(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    return np.where(np.isnan(x) | np.isnan(y), x + y, np.where(x > y, x - y, 0)).astype(x.dtype)[()]


@_quiet
def _normal_distribution(x: np.ndarray) -> np.ndarray:
    wide = special.erfc(np.asarray(x).astype(np.float64) * -np.sqrt(0.5)) / 2
    return wide.astype(x.dtype)[()]


def _sine_and_cosine(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return MATH["sin"](x), MATH["cos"](x)


_RENAMED = {"gamma": "tgamma"}
_NOT_HERE = {"degrees", "isfinite", "isinf", "isnan", "radians"}

_FLOAT_FUNCTIONS: dict[str, Function] = {
    **{_RENAMED.get(n, n): function for n, function in MATH.items() if n not in _NOT_HERE},
    "cbrt": bits.FUNCTIONS["cbrt"],
    "cospi": _of_pi(MATH["cos"]),
    "exp10": _quiet(lambda x: np.power(x.dtype.type(10), x)),
    "fdim": _positive_difference,
    "fma": fused.fma,
    "fmax": extremes.maximum,
    "fmin": extremes.minimum,
    "ilogb": _exponent_as_integer,
    "llrint": lambda x: to_integer(np.rint(x), np.int64),
    "llround": lambda x: to_integer(_round_away(x), np.int64),
    "logb": _exponent,
    "nearbyint": _quiet(np.rint),
    "normcdf": _normal_distribution,
    "powi": float_power,
    "rcbrt": _quiet(lambda x: 1 / np.cbrt(x)),
    "rint": _quiet(np.rint),
    "round": _round_away,
    "rsqrt": bits.rsqrt,
    "scalbn": MATH["ldexp"],
    "sincos": _sine_and_cosine,
    "sincospi": lambda x: (_of_pi(MATH["sin"])(x), _of_pi(MATH["cos"])(x)),
    "sinpi": _of_pi(MATH["sin"]),
}


def _mean(up: int, word: str) -> Function:
    """The mean of two integers, rounded down or up, without overflow."""

    def mean(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        total = a.view(word).astype(np.int64) + b.view(word).astype(np.int64) + up
        return (total >> 1).astype(np.int32)

    return mean


def _high_product(a: np.ndarray, b: np.ndarray, word: str) -> np.ndarray:
    """The upper 64 bits of a product, from halves of 32 bits."""
    a, b = a.view(word), b.view(word)
    low_mask, shift = a.dtype.type(0xFFFFFFFF), a.dtype.type(32)
    a_low, b_low = (x.view(np.uint64) & np.uint64(0xFFFFFFFF) for x in (a, b))
    a_high, b_high = a >> shift, b >> shift
    carry = ((a_low * b_low) >> np.uint64(32)).view(word)
    middle = a_high * b_low.view(word) + carry
    other = a_low.view(word) * b_high + (middle & low_mask)
    return (a_high * b_high + (middle >> shift) + (other >> shift)).view(np.int64)


def _wide(word: str, operation: Callable[..., np.ndarray]) -> Function:
    """An operation on 32-bit integers taken as ``word`` and widened to 64 bits."""

    def widened(*operands: np.ndarray) -> np.ndarray:
        wide = (x.view(word).astype(np.int64) for x in operands)
        return operation(*wide).astype(np.int32)

    return _quiet(widened)


def _low_24(x: np.ndarray) -> np.ndarray:
    return x << 40 >> 40


_INTEGER_FUNCTIONS: dict[str, Function] = {
    "abs": _quiet(np.abs),
    "llabs": _quiet(np.abs),
    "brev": bits.brev,
    "brevll": bits.brev,
    "byte_perm": bits.byte_perm,
    **{name + ll: getattr(bits, name) for name in ("clz", "ffs", "popc") for ll in ("", "ll")},
    "hadd": _mean(0, "i4"),
    "rhadd": _mean(1, "i4"),
    "uhadd": _mean(0, "u4"),
    "urhadd": _mean(1, "u4"),
    "max": np.maximum,
    "min": np.minimum,
    "llmax": np.maximum,
    "llmin": np.minimum,
    "umax": _wide("u4", np.maximum),
    "umin": _wide("u4", np.minimum),
    "ullmax": lambda a, b: np.maximum(a.view("u8"), b.view("u8")).view("i8"),
    "ullmin": lambda a, b: np.minimum(a.view("u8"), b.view("u8")).view("i8"),
    "mul24": _wide("i4", lambda a, b: _low_24(a) * _low_24(b)),
    "umul24": _wide("u4", lambda a, b: (a & 0xFFFFFF) * (b & 0xFFFFFF)),
    "mulhi": _wide("i4", lambda a, b: a * b >> 32),
    "umulhi": _wide("u4", lambda a, b: (a.view("u8") * b.view("u8")) >> np.uint64(32)),
    "mul64hi": _quiet(lambda a, b: _high_product(a, b, "i8")),
    "umul64hi": _quiet(lambda a, b: _high_product(a, b, "u8")),
    "sad": _wide("i4", lambda a, b, c: np.abs(a - b) + c),
    "usad": _wide("u4", lambda a, b, c: np.abs(a - b) + c),
}


def _converted(dtype: str, way: str) -> Function:
    signed = np.dtype(dtype.replace("u", "i"))
    return _quiet(lambda x: to_integer(_ROUNDINGS[way](x), dtype).view(signed))


_CONVERSIONS: dict[str, Function] = {
    **{
        f"{source}2{name}_{way}": _converted(dtype, way)
        for source in ("double", "float")
        for name, dtype in (("int", "i4"), ("uint", "u4"), ("ll", "i8"), ("ull", "u8"))
        for way in _ROUNDINGS
    },
    **{
        f"{name}2{target}_rn": (lambda x, word=word, dtype=dtype: x.view(word).astype(dtype))
        for name, word in (("int", "i4"), ("uint", "u4"), ("ll", "i8"), ("ull", "u8"))
        for target, dtype in (("float", "f4"), ("double", "f8"))
    },
    "double2float_rn": _quiet(lambda x: x.astype(np.float32)),
    "double2hiint": lambda x: (x.view(np.int64) >> 32).astype(np.int32),
    "double2loint": lambda x: x.view(np.int64).astype(np.int32),
    "hiloint2double": lambda high, low: (
        (high.astype(np.int64) << 32) | low.view(np.uint32).astype(np.int64)
    ).view(np.float64),
    "double_as_longlong": lambda x: x.view(np.int64),
    "longlong_as_double": lambda x: x.view(np.float64),
    "float_as_int": lambda x: x.view(np.int32),
    "int_as_float": lambda x: x.view(np.float32),
    "float2half_rn": _quiet(lambda x: x.astype(np.float16).view(np.int16)),
    "half2float": _quiet(lambda x: x.view(np.float16).astype(np.float32)),
}

_TESTS: dict[str, Function] = {
    name: (lambda x, test=test: test(x).astype(np.int32))
    for names, test in (
        (("finitef", "isfinited"), np.isfinite),
        (("isinff", "isinfd"), np.isinf),
        (("isnanf", "isnand"), np.isnan),
        (("signbitf", "signbitd"), np.signbit),
    )
    for name in names
}

_FAST: dict[str, Function] = {
    f"fast_{name}f": _FLOAT_FUNCTIONS[name]
    for name in ("cos", "exp", "exp10", "log", "log10", "log2", "pow", "sin", "sincos", "tan")
} | {"fast_fdividef": _quiet(np.true_divide), "saturatef": bits.saturate}

_ROUNDED: dict[str, Function] = {
    f"{letter}{name}_rn": function
    for letter in "df"
    for name, function in (
        ("add", _quiet(np.add)),
        ("div", _quiet(np.true_divide)),
        ("mul", _quiet(np.multiply)),
        ("sqrt", _quiet(np.sqrt)),
        ("rcp", _quiet(lambda x: 1 / x)),
    )
} | {
    "fsub_rn": _quiet(np.subtract),
    "frsqrt_rn": bits.rsqrt,
    "fma_rn": fused.fma,
    "fmaf_rn": fused.fma,
}

FUNCTIONS: dict[str, Function] = {
    **_FLOAT_FUNCTIONS,
    **{f"{name}f": function for name, function in _FLOAT_FUNCTIONS.items()},
    **_INTEGER_FUNCTIONS,
    **_CONVERSIONS,
    **_TESTS,
    **_FAST,
    **_ROUNDED,
}
"""The functions by their names in ``numba.cuda.libdevice``."""
