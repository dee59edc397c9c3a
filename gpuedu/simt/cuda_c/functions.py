"""CUDA C's built-in functions of one thread's numbers, and how they are typed.

Names ending in ``f`` work in float; the others are overloaded: float for float, double for double
and for integers. Each is computed by a function of ``gpuedu.simt.intrinsics``.

Sources: CUDA Math API Reference Manual; ISO C++17, [cmath.syn].
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gpuedu.simt.cuda_c.conversions import convert
from gpuedu.simt.cuda_c.half_functions import HALF_FUNCTIONS
from gpuedu.simt.cuda_c.lowerer import Lowerer, Typed, constant
from gpuedu.simt.cuda_c.nodes import Node
from gpuedu.simt.cuda_c.operators import binary
from gpuedu.simt.cuda_c.prototypes import Function, called, expect, fixed, fused, of_floats
from gpuedu.simt.cuda_c.types import (
    BOOLEAN,
    DOUBLE,
    FLOAT,
    INT,
    LONG,
    UNSIGNED,
    UNSIGNED_LONG,
    Number,
    arithmetic,
    promoted,
)
from gpuedu.simt.intrinsics.functions import FUNCTIONS as KNOWN
from gpuedu.simt.program import BOOL, Binary, Select
from gpuedu.simt.typing_rules.forms import Form
from gpuedu.simt.typing_rules.libdevice_forms import LIBDEVICE
from gpuedu.simt.values import Scalar

_ONE = (
    "acos acosh asin asinh atan atanh cbrt ceil cos cosh cospi erf erfc exp exp10 exp2 expm1 fabs"
    " floor lgamma log log10 log1p log2 logb nearbyint normcdf rcbrt rint round rsqrt sin sinh"
    " sinpi sqrt tan tanh tgamma trunc"
)
_TWO = "atan2 copysign fdim fmax fmin fmod hypot nextafter pow remainder"
_UNSIGNED_RESULT = ("2uint", "2ull", "brev", "umul", "uhadd", "urhadd", "usad", "byte_perm")


def _from_libdevice() -> dict[str, Function]:
    """``__float2int_rn``, ``__popc``, ``__mulhi``... by libdevice's declarations.

    Libdevice declares unsigned numbers as signed ones; bits are the same.
    """
    made = {}
    for full, forms in LIBDEVICE.items():
        name, form = full.rpartition(".")[2], forms[0]
        if isinstance(form.result, tuple) or full not in KNOWN:
            continue
        made[f"__{name.removeprefix('fast_')}"] = _libdevice(full, form, name)
    return made


def _libdevice(full: str, form: Form, name: str) -> Function:
    signed = [Number(kind) for kind in form.operands]
    assert isinstance(form.result, np.dtype)
    result = Number(form.result)
    unsigned = any(part in name for part in _UNSIGNED_RESULT)
    is_bits = name in ("popc", "popcll", "clz", "clzll", "ffs", "ffsll", "brev", "brevll")
    takes_unsigned = is_bits or name.startswith(("u", "ull")) or "uint2" in name or "ull2" in name

    def lower(k: Lowerer, node: Node, given: Sequence[Typed]) -> Typed:
        expect(k, node, given, len(signed))
        arguments = []
        for value, kind in zip(given, signed, strict=True):
            middle = kind
            if takes_unsigned and kind.dtype.kind == "i":
                middle = UNSIGNED if kind.dtype.itemsize == 4 else UNSIGNED_LONG
            first = convert(k, node, value, middle)
            arguments.append(convert(k, node, first, kind))
        found = called(full, result, arguments)
        if unsigned and result.dtype.kind == "i":
            wide = UNSIGNED if result.dtype.itemsize == 4 else UNSIGNED_LONG
            return convert(k, node, found, wide)
        return found

    return lower


def _absolute(k: Lowerer, node: Node, given: Sequence[Typed]) -> Typed:
    """``abs``: of int, long long, float or double."""
    (kind,) = expect(k, node, given, 1)
    if kind.dtype.kind == "f":
        return called("math.fabs", kind, given)
    value = convert(k, node, given[0], promoted(kind))
    assert isinstance(value.type, Number)
    return called("abs", value.type, [value])


def _extreme(name: str, only: Number | None = None) -> Function:
    """``min`` and ``max``: of the common type; of floats NaN loses, as in ``fminf``."""

    def lower(k: Lowerer, node: Node, given: Sequence[Typed]) -> Typed:
        left, right = expect(k, node, given, 2)
        type_ = only or arithmetic(left, right)
        one, other = (convert(k, node, value, type_) for value in given)
        if type_.dtype.kind == "f":
            suffix = "f" if type_ == FLOAT else ""
            return called(f"cuda.libdevice.f{name}{suffix}", type_, [one, other])
        first, second = (k.builder.keep(value.expression) for value in (one, other))
        test = Binary("<" if name == "min" else ">", first, second, BOOL)
        return Typed(type_, Scalar(Select(test, first, second, type_.dtype)))

    return lower


def _test(name: str) -> Function:
    """``isnan``, ``isinf``, ``isfinite``: bool."""

    def lower(k: Lowerer, node: Node, given: Sequence[Typed]) -> Typed:
        (kind,) = expect(k, node, given, 1)
        value = given[0] if kind.dtype.kind == "f" else convert(k, node, given[0], DOUBLE)
        return called(f"math.{name}", BOOLEAN, [value])

    return lower


def _rounded_to_integer(name: str, result: Number) -> Function:
    """``lrintf``, ``llround`` and their kin."""

    def lower(k: Lowerer, node: Node, given: Sequence[Typed]) -> Typed:
        (kind,) = expect(k, node, given, 1)
        type_ = FLOAT if name.endswith("f") or kind == FLOAT else DOUBLE
        base = name.removesuffix("f")
        full = f"cuda.libdevice.ll{base.lstrip('l')}{'f' if type_ == FLOAT else ''}"
        return called(full, result, [convert(k, node, given[0], type_)])

    return lower


def _bits_of_float(k: Lowerer, node: Node, given: Sequence[Typed]) -> Typed:
    """``__float_as_uint``: libdevice has it for int alone."""
    return convert(k, node, FUNCTIONS["__float_as_int"](k, node, given), UNSIGNED)


def _float_of_bits(k: Lowerer, node: Node, given: Sequence[Typed]) -> Typed:
    """``__uint_as_float``."""
    expect(k, node, given, 1)
    bits = convert(k, node, convert(k, node, given[0], UNSIGNED), INT)
    return FUNCTIONS["__int_as_float"](k, node, [bits])


def _dot_of_bytes(k: Lowerer, node: Node, given: Sequence[Typed]) -> Typed:
    """``__dp4a(a, b, c)``: c plus the four products of a's and b's bytes, signed or unsigned."""
    kinds = expect(k, node, given, 3)
    type_ = UNSIGNED if all(kind == UNSIGNED for kind in kinds[:2]) else INT
    left, right, found = (convert(k, node, value, type_) for value in given)
    for byte in range(4):
        up, down = constant(INT, 24 - 8 * byte), constant(INT, 24)
        one, other = (
            binary(k, node, ">>", binary(k, node, "<<", side, up), down) for side in (left, right)
        )
        found = binary(k, node, "+", found, binary(k, node, "*", one, other))
    return found


FUNCTIONS: dict[str, Function] = {
    **_from_libdevice(),
    **{name: of_floats(name, 1, None) for name in _ONE.split()},
    **{f"{name}f": of_floats(name, 1, FLOAT) for name in _ONE.split()},
    **{name: of_floats(name, 2, None) for name in _TWO.split()},
    **{f"{name}f": of_floats(name, 2, FLOAT) for name in _TWO.split()},
    "fma": fused(None),
    "fmaf": fused(FLOAT),
    "__fmaf_rn": fused(FLOAT),
    "__fma_rn": fused(DOUBLE),
    "abs": _absolute,
    "labs": _absolute,
    "llabs": _absolute,
    "min": _extreme("min"),
    "max": _extreme("max"),
    "umin": _extreme("min", UNSIGNED),
    "umax": _extreme("max", UNSIGNED),
    "ullmin": _extreme("min", UNSIGNED_LONG),
    "ullmax": _extreme("max", UNSIGNED_LONG),
    "llmin": _extreme("min", LONG),
    "llmax": _extreme("max", LONG),
    "isnan": _test("isnan"),
    "isinf": _test("isinf"),
    "isfinite": _test("isfinite"),
    "__float_as_uint": _bits_of_float,
    "__uint_as_float": _float_of_bits,
    "__dp4a": _dot_of_bytes,
    "__saturatef": fixed("cuda.libdevice.saturatef", FLOAT, FLOAT),
    "lrint": _rounded_to_integer("lrint", LONG),
    "lround": _rounded_to_integer("lround", LONG),
    "lrintf": _rounded_to_integer("lrintf", LONG),
    "llrintf": _rounded_to_integer("llrintf", LONG),
    "llrint": _rounded_to_integer("llrint", LONG),
    "lroundf": _rounded_to_integer("lroundf", LONG),
    "llroundf": _rounded_to_integer("llroundf", LONG),
    "llround": _rounded_to_integer("llround", LONG),
    "ldexp": fixed("cuda.libdevice.ldexp", DOUBLE, DOUBLE, INT),
    "ldexpf": fixed("cuda.libdevice.ldexpf", FLOAT, FLOAT, INT),
    **HALF_FUNCTIONS,
}
"""Functions of CUDA C by name."""
