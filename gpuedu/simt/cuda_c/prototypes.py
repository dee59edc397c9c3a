"""What CUDA's functions take and return, and the calls of intrinsics that compute them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from gpuedu.simt.cuda_c.conversions import convert
from gpuedu.simt.cuda_c.lowerer import Lowerer, Typed
from gpuedu.simt.cuda_c.nodes import Node
from gpuedu.simt.cuda_c.syntax import short
from gpuedu.simt.cuda_c.types import DOUBLE, FLOAT, HALF, Number
from gpuedu.simt.intrinsics.functions import FUNCTIONS as KNOWN
from gpuedu.simt.program import Call
from gpuedu.simt.values import Scalar

Function = Callable[[Lowerer, Node, Sequence[Typed]], Typed]
_AS_IN_PYTHON = (
    "acos acosh asin asinh atan atanh atan2 ceil cos cosh erf erfc exp exp2 expm1 fabs floor fmod"
    " hypot log log10 log1p log2 sin sinh sqrt tan tanh trunc"
)
_INTRINSICS = {name: f"math.{name}" for name in _AS_IN_PYTHON.split() if f"math.{name}" in KNOWN}
"""Functions that Python's ``math`` has, too: one intrinsic computes both."""


def _computed(name: str, dtype: np.dtype) -> str:
    """The intrinsic that computes a function in this type."""
    if name in _INTRINSICS:
        return _INTRINSICS[name]
    return f"cuda.libdevice.{name}{'f' if dtype.itemsize == 4 else ''}"


def expect(k: Lowerer, node: Node, given: Sequence[Typed], count: int) -> list[Number]:
    """The arguments' types; refused if their number is wrong or one is not a number."""
    if len(given) != count:
        raise k.refuse(
            node,
            f"`{short(node)}` takes {count} argument{'' if count == 1 else 's'}, got {len(given)}",
        )
    kinds = [value.type for value in given]
    for value in given:
        if not isinstance(value.type, Number):
            raise k.refuse(node, f"`{short(node)}` takes numbers, not a `{value.type}`")
    return kinds  # type: ignore[return-value]


def called(name: str, type_: Number, arguments: Sequence[Typed]) -> Typed:
    """A call of an intrinsic on arguments of its types."""
    values = tuple(argument.expression for argument in arguments)
    return Typed(type_, Scalar(Call(name, values, type_.dtype)))


def of_floats(name: str, count: int, only: Number | None) -> Function:
    """A function of ``count`` floats: overloaded, or of one type only."""

    def lower(k: Lowerer, node: Node, given: Sequence[Typed]) -> Typed:
        kinds = expect(k, node, given, count)
        type_ = only or _overload(kinds)
        arguments = [convert(k, node, value, type_) for value in given]
        if name == "fabs":
            return called("math.fabs", type_, arguments)
        return called(_computed(name, type_.dtype), type_, arguments)

    return lower


def _overload(kinds: Sequence[Number]) -> Number:
    """Float where all arguments are float or half, else double."""
    return FLOAT if all(kind in (FLOAT, HALF) for kind in kinds) else DOUBLE


def fused(only: Number | None) -> Function:
    """``fma``: a product and a sum with one rounding."""

    def lower(k: Lowerer, node: Node, given: Sequence[Typed]) -> Typed:
        type_ = only or _overload(expect(k, node, given, 3))
        return called("cuda.fma", type_, [convert(k, node, value, type_) for value in given])

    return lower


def fixed(intrinsic: str, result: Number, *kinds: Number) -> Function:
    """A function of fixed types."""

    def lower(k: Lowerer, node: Node, given: Sequence[Typed]) -> Typed:
        expect(k, node, given, len(kinds))
        arguments = [
            convert(k, node, value, kind) for value, kind in zip(given, kinds, strict=True)
        ]
        return called(intrinsic, result, arguments)

    return lower
