"""``half2``: two numbers of half precision side by side, and CUDA's functions of them.

Each function does to both what its scalar counterpart does to one; so does an operator.

Source: CUDA Math API Reference Manual, "Half2 Arithmetic Functions", "Half Precision Conversion".
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from gpuedu.simt.cuda_c.conversions import convert
from gpuedu.simt.cuda_c.functions import FUNCTIONS as SINGLE
from gpuedu.simt.cuda_c.lowerer import Lowerer, Typed, member
from gpuedu.simt.cuda_c.nodes import Node
from gpuedu.simt.cuda_c.syntax import short
from gpuedu.simt.cuda_c.types import FLOAT, HALF, VECTORS, CType
from gpuedu.simt.values import Tuple

Function = Callable[[Lowerer, Node, Sequence[Typed]], Typed]
HALF2, FLOAT2 = VECTORS["half2"], VECTORS["float2"]


def _pair(type_: CType, first: Typed, second: Typed) -> Typed:
    return Typed(type_, Tuple((first.value, second.value), ("x", "y")))


def _given(k: Lowerer, node: Node, given: Sequence[Typed], *kinds: CType) -> list[Typed]:
    if len(given) != len(kinds):
        wanted = f"{len(kinds)} argument{'' if len(kinds) == 1 else 's'}"
        raise k.refuse(node, f"`{short(node)}` takes {wanted}, got {len(given)}")
    return [convert(k, node, value, kind) for value, kind in zip(given, kinds, strict=True)]


def _both(name: str, count: int) -> Function:
    """A scalar function of half numbers, of each half."""

    def lower(k: Lowerer, node: Node, given: Sequence[Typed]) -> Typed:
        values = _given(k, node, given, *[HALF2] * count)
        sides = [SINGLE[name](k, node, [member(value, axis) for value in values]) for axis in "xy"]
        return _pair(HALF2, *sides)

    return lower


def _made(result: CType, inner: CType, *kinds: CType) -> Function:
    """A pair of one number twice, or of two."""

    def lower(k: Lowerer, node: Node, given: Sequence[Typed]) -> Typed:
        values = [convert(k, node, value, inner) for value in _given(k, node, given, *kinds)]
        return _pair(result, values[0], values[-1])

    return lower


def _converted(source: CType, target: CType, inner: CType) -> Function:
    """A pair as one of another type."""

    def lower(k: Lowerer, node: Node, given: Sequence[Typed]) -> Typed:
        (value,) = _given(k, node, given, source)
        return _pair(target, *(convert(k, node, member(value, axis), inner) for axis in "xy"))

    return lower


def _taken(axes: str, result: CType) -> Function:
    """One half as a number, or two of them as a pair."""

    def lower(k: Lowerer, node: Node, given: Sequence[Typed]) -> Typed:
        (value,) = _given(k, node, given, HALF2)
        sides = [member(value, axis) for axis in axes]
        return _pair(HALF2, *sides) if len(sides) == 2 else convert(k, node, sides[0], result)

    return lower


_ONE = "ceil cos exp exp10 exp2 floor log log10 log2 rcp rint rsqrt sin sqrt trunc"
FUNCTIONS: dict[str, Function] = {
    **{f"__h{name}2": _both(f"__h{name}", 2) for name in ("add", "sub", "mul", "max", "min")},
    "__h2div": _both("__hdiv", 2),
    "__hfma2": _both("__hfma", 3),
    "__hneg2": _both("__hneg", 1),
    "__habs2": _both("__habs", 1),
    **{f"h2{name}": _both(f"h{name}", 1) for name in _ONE.split()},
    "__float2half2_rn": _made(HALF2, HALF, FLOAT),
    "__floats2half2_rn": _made(HALF2, HALF, FLOAT, FLOAT),
    "__half2half2": _made(HALF2, HALF, HALF),
    "__halves2half2": _made(HALF2, HALF, HALF, HALF),
    "__float22half2_rn": _converted(FLOAT2, HALF2, HALF),
    "__half22float2": _converted(HALF2, FLOAT2, FLOAT),
    "__low2half": _taken("x", HALF),
    "__high2half": _taken("y", HALF),
    "__low2float": _taken("x", FLOAT),
    "__high2float": _taken("y", FLOAT),
    "__low2half2": _taken("xx", HALF2),
    "__high2half2": _taken("yy", HALF2),
    "__lowhigh2highlow": _taken("yx", HALF2),
}
"""Functions of pairs by name."""
