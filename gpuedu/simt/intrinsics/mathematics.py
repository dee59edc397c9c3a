"""Python's ``math`` and the arithmetic builtins on arrays of lanes.

``FUNCTIONS["sin"](x)`` takes arrays or NumPy scalars of any broadcastable shapes that already have
the dtype in which Numba computes, and returns that dtype: float32 stays float32. Integers are
taken as float64. Nothing warns; what has no value is NaN or infinite, as on a GPU.

Simplified: results are NumPy's, as a rule within one unit in the last place of the exact value. A
GPU's library allows a few units more (CUDA C++ Programming Guide, "Mathematical Functions"), and
``fastmath`` far more.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from gpuedu.simt.intrinsics import extremes, integers, powers, rounding, special

_quiet = np.errstate(all="ignore")

Function = Callable[..., np.ndarray | tuple[np.ndarray, ...]]


@_quiet
def degrees(x: np.ndarray) -> np.ndarray:
    """Radians to degrees: one product in the operand's dtype."""
    x = _as_float(x)
    return x * x.dtype.type(180 / math.pi)


@_quiet
def radians(x: np.ndarray) -> np.ndarray:
    """Degrees to radians: one product in the operand's dtype."""
    x = _as_float(x)
    return x * x.dtype.type(math.pi / 180)


@_quiet
def remainder(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """IEEE 754 remainder: ``x - n * y`` with the integer n nearest to ``x / y``, exactly.

    >>> remainder(np.float64(5), np.float64(3))
    np.float64(-1.0)
    """
    step = np.abs(y)
    rest = np.fmod(np.abs(x), step + step)
    over = _against_half(np.greater, rest, step)
    rest = np.where(over, rest - step, rest)
    # A second step only after a first, so that ties go to the even quotient.
    over &= _against_half(np.greater_equal, rest, step)
    rest = np.where(over, rest - step, rest)
    return np.where(np.signbit(x), -rest, rest)[()]


def _against_half(compare: np.ufunc, rest: np.ndarray, step: np.ndarray) -> np.ndarray:
    """Compare with half the step, exactly: large steps are halved, for small ones rest doubled."""
    return np.where(step < 1, compare(rest + rest, step), compare(rest, step / 2))


@_quiet
def ldexp(x: np.ndarray, exponent: np.ndarray) -> np.ndarray:
    """``x * 2**exponent``."""
    return np.ldexp(x, np.asarray(exponent).astype(np.int32))


@_quiet
def frexp(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mantissa and exponent; 0 as the exponent of infinities and NaN, which C leaves open."""
    mantissa, exponent = np.frexp(x)
    return mantissa, np.where(np.isfinite(x), exponent, np.int32(0))[()]


@_quiet
def complex_log(z: np.ndarray, base: np.ndarray | None = None) -> np.ndarray:
    """``cmath.log``: the natural logarithm, or the one to a base."""
    return np.log(z) if base is None else np.log(z) / np.log(base)


@_quiet
def complex_exp(z: np.ndarray) -> np.ndarray:
    """``cmath.exp``; plain 0 where the real part is -inf and the other not finite."""
    vanishes = np.isneginf(z.real) & ~np.isfinite(z.imag)
    return np.where(vanishes, z.dtype.type(0), np.exp(z))[()]


@_quiet
def complex_log10(z: np.ndarray) -> np.ndarray:
    """``cmath.log10``: both parts of the natural logarithm divided by that of 10."""
    natural = np.log(z)
    return _complex(natural.real / np.log(10), natural.imag / np.log(10))


def polar(z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """``cmath.polar``: distance and angle."""
    with np.errstate(all="ignore"):
        return np.hypot(z.real, z.imag), np.arctan2(z.imag, z.real)


@_quiet
def rect(r: np.ndarray, phi: np.ndarray) -> np.ndarray:
    """``cmath.rect``: the number at a distance and an angle; 0 times infinity is 0 here."""
    real, imag = (_scale(part, r) for part in (np.cos(phi), np.sin(phi)))
    odd = ~np.isfinite(phi)
    real = np.where(odd & (r == 0), np.abs(r), np.where(odd & np.isinf(r), r, real))
    imag = np.where(odd & (r == 0), 0, np.where(odd & np.isinf(r), phi, imag))
    return _complex(real, imag)


def _scale(part: np.ndarray, r: np.ndarray) -> np.ndarray:
    return np.where((part == 0) & np.isinf(r), part / r, part * r)


def _complex(real: np.ndarray, imag: np.ndarray) -> np.ndarray:
    """Real and imaginary parts together; ``1j * imag`` would make NaN of infinities."""
    real, imag = np.broadcast_arrays(real, imag)
    made = np.empty(real.shape, np.result_type(real, imag, np.complex64))
    made.real, made.imag = real, imag
    return made[()]


def complex_number(real: np.ndarray, imag: np.ndarray | None = None) -> np.ndarray:
    """``complex(real, imag)``, or a number as it is: its type is the caller's.

    >>> complex_number(np.float64(1), np.float64(np.inf))
    np.complex128(1+infj)
    """
    return real if imag is None else _complex(real, imag)


def _as_float(x: np.ndarray) -> np.ndarray:
    x = np.asarray(x)
    return x if x.dtype.kind == "f" else x.astype(np.float64)


def _elementary(ufunc: np.ufunc) -> Function:
    # NumPy alone would keep integers in floor and make small ones float16.
    @_quiet
    def function(*operands: np.ndarray) -> np.ndarray | tuple[np.ndarray, ...]:
        return ufunc(*map(_as_float, operands))

    return function


FUNCTIONS: dict[str, Function] = {
    "acos": _elementary(np.arccos),
    "acosh": _elementary(np.arccosh),
    "asin": _elementary(np.arcsin),
    "asinh": _elementary(np.arcsinh),
    "atan": _elementary(np.arctan),
    "atan2": _elementary(np.arctan2),
    "atanh": _elementary(np.arctanh),
    "ceil": _elementary(np.ceil),
    "copysign": _elementary(np.copysign),
    "cos": _elementary(np.cos),
    "cosh": _elementary(np.cosh),
    "degrees": degrees,
    "erf": special.erf,
    "erfc": special.erfc,
    "exp": _elementary(np.exp),
    "exp2": _elementary(np.exp2),
    "expm1": _elementary(np.expm1),
    "fabs": _elementary(np.abs),
    "floor": _elementary(np.floor),
    "fmod": _elementary(np.fmod),
    "frexp": _elementary(frexp),
    "gamma": special.gamma,
    "hypot": _elementary(np.hypot),
    "isfinite": np.isfinite,
    "isinf": np.isinf,
    "isnan": np.isnan,
    "ldexp": ldexp,
    "lgamma": special.lgamma,
    "log": _elementary(np.log),
    "log10": _elementary(np.log10),
    "log1p": _elementary(np.log1p),
    "log2": _elementary(np.log2),
    "modf": _elementary(np.modf),
    "nextafter": _elementary(np.nextafter),
    "pow": powers.float_power,
    "radians": radians,
    "remainder": remainder,
    "sin": _elementary(np.sin),
    "sinh": _elementary(np.sinh),
    "sqrt": _elementary(np.sqrt),
    "tan": _elementary(np.tan),
    "tanh": _elementary(np.tanh),
    "trunc": _elementary(np.trunc),
}
"""The functions of Python's ``math`` that Numba's CUDA target has."""

COMPLEX: dict[str, Function] = {
    "acos": _quiet(np.arccos),
    "acosh": _quiet(np.arccosh),
    "asin": _quiet(np.arcsin),
    "asinh": _quiet(np.arcsinh),
    "atan": _quiet(np.arctan),
    "atanh": _quiet(np.arctanh),
    "cos": _quiet(np.cos),
    "cosh": _quiet(np.cosh),
    "exp": complex_exp,
    "isfinite": np.isfinite,
    "isinf": np.isinf,
    "isnan": np.isnan,
    "log": complex_log,
    "sin": _quiet(np.sin),
    "sinh": _quiet(np.sinh),
    "sqrt": _quiet(np.sqrt),
    "tan": _quiet(np.tan),
    "tanh": _quiet(np.tanh),
}
"""Functions of Python's ``cmath`` that return their argument's type: complex64 or complex128."""

PLANE: dict[str, Function] = {
    "log10": complex_log10,
    "phase": _quiet(np.angle),
    "polar": polar,
    "rect": rect,
}
"""The functions of Python's ``cmath`` that return, or take, another type."""

BUILTINS: dict[str, Function] = {
    "abs": _quiet(np.abs),
    "complex": complex_number,
    "divmod": integers.divide_with_remainder,
    "max": extremes.maximum,
    "min": extremes.minimum,
    "pow": powers.power,
    "round": rounding.round_number,
}
"""Python's arithmetic builtins."""

OPERATORS: dict[str, Function] = {
    "+": _quiet(np.add),
    "-": _quiet(np.subtract),
    "*": _quiet(np.multiply),
    "/": integers.true_divide,
    "//": integers.floor_divide,
    "%": integers.remainder,
    "**": powers.power,
    "<<": integers.left_shift,
    ">>": integers.right_shift,
    "&": np.bitwise_and,
    "|": np.bitwise_or,
    "^": np.bitwise_xor,
}
"""Python's binary operators on operands that have the dtype in which Numba computes."""
