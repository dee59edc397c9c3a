"""Functions of half precision: ``__hadd``, ``hexp``, ``__float2half`` and their kin."""

from __future__ import annotations

from collections.abc import Sequence

from gpuedu.simt.cuda_c.bfloats import BFLOAT
from gpuedu.simt.cuda_c.conversions import convert
from gpuedu.simt.cuda_c.lowerer import Lowerer, Typed
from gpuedu.simt.cuda_c.nodes import Node
from gpuedu.simt.cuda_c.operators import binary, unary
from gpuedu.simt.cuda_c.prototypes import Function, expect, fixed
from gpuedu.simt.cuda_c.types import DOUBLE, FLOAT, HALF, INT, Number


def _half_operator(operator: str) -> Function:
    """``__hadd`` and its kin, in half precision."""

    def lower(k: Lowerer, node: Node, given: Sequence[Typed]) -> Typed:
        expect(k, node, given, 2)
        one, other = (convert(k, node, value, HALF) for value in given)
        return binary(k, node, operator, one, other)

    return lower


def _conversion(source: Number, target: Number) -> Function:
    def lower(k: Lowerer, node: Node, given: Sequence[Typed]) -> Typed:
        expect(k, node, given, 1)
        return convert(k, node, convert(k, node, given[0], source), target)

    return lower


def _half_negated(k: Lowerer, node: Node, given: Sequence[Typed]) -> Typed:
    expect(k, node, given, 1)
    return unary(k, node, "-", convert(k, node, given[0], HALF))


_OF_ONE_HALF = (
    "hceil hcos hexp hexp10 hexp2 hfloor hlog hlog10 hlog2 hrcp hrint hrsqrt hsin hsqrt htrunc"
)


def _to_bfloat(k: Lowerer, node: Node, given: Sequence[Typed]) -> Typed:
    """``__float2bfloat16``: to the nearest, of two the even one."""
    expect(k, node, given, 1)
    return convert(k, node, convert(k, node, given[0], FLOAT), BFLOAT)


def _from_bfloat(k: Lowerer, node: Node, given: Sequence[Typed]) -> Typed:
    """``__bfloat162float``, which loses nothing."""
    if len(given) != 1 or given[0].type != BFLOAT:
        raise k.refuse(node, "`__bfloat162float` takes a `__nv_bfloat16`")
    return convert(k, node, given[0], FLOAT)


HALF_FUNCTIONS: dict[str, Function] = {
    "__float2half": _conversion(FLOAT, HALF),
    "__float2half_rn": _conversion(FLOAT, HALF),
    "__double2half": _conversion(DOUBLE, HALF),
    "__half2float": _conversion(HALF, FLOAT),
    "__float2bfloat16": _to_bfloat,
    "__float2bfloat16_rn": _to_bfloat,
    "__bfloat162float": _from_bfloat,
    "__int2half_rn": _conversion(INT, HALF),
    "__half2int_rz": _conversion(HALF, INT),
    "__hadd": _half_operator("+"),
    "__hsub": _half_operator("-"),
    "__hmul": _half_operator("*"),
    "__hdiv": _half_operator("/"),
    "__hneg": _half_negated,
    **{
        f"__h{name}": _half_operator(operator)
        for name, operator in (
            *(("eq", "=="), ("ne", "!="), ("lt", "<")),
            *(("le", "<="), ("gt", ">"), ("ge", ">=")),
        )
    },
    "__hfma": fixed("cuda.fp16.hfma", HALF, HALF, HALF, HALF),
    "__hmax": fixed("cuda.fp16.hmax", HALF, HALF, HALF),
    "__hmin": fixed("cuda.fp16.hmin", HALF, HALF, HALF),
    "__habs": fixed("cuda.fp16.habs", HALF, HALF),
    **{name: fixed(f"cuda.fp16.{name}", HALF, HALF) for name in _OF_ONE_HALF.split()},
}
