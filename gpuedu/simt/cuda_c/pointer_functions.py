"""CUDA's functions that read or write what a pointer points to: ``__ldg``, ``sincosf``, ``frexp``.

The cache, which some of them concern, is not modeled.
"""

from __future__ import annotations

from collections.abc import Sequence

from gpuedu.simt.cuda_c.access import read, write
from gpuedu.simt.cuda_c.conversions import convert
from gpuedu.simt.cuda_c.functions import FUNCTIONS as PLAIN
from gpuedu.simt.cuda_c.lowerer import NOTHING, Lowerer, Typed
from gpuedu.simt.cuda_c.nodes import Node
from gpuedu.simt.cuda_c.places import dereference
from gpuedu.simt.cuda_c.prototypes import Function
from gpuedu.simt.cuda_c.syntax import field, text_of
from gpuedu.simt.cuda_c.types import DOUBLE, FLOAT, INT, VOID
from gpuedu.simt.program import Call
from gpuedu.simt.values import Scalar


def _load(k: Lowerer, node: Node, given: Sequence[Typed]) -> Typed:
    """``__ldg(&a[i])`` reads like ``a[i]``."""
    if len(given) != 1:
        raise k.refuse(node, f"`{_name(node)}` takes one address")
    return read(k, node, dereference(k, node, given[0]))


def _store(k: Lowerer, node: Node, given: Sequence[Typed]) -> Typed:
    """``__stcs(&a[i], x)`` writes like ``a[i] = x``."""
    if len(given) != 2:
        raise k.refuse(node, f"`{_name(node)}` takes an address and a value")
    pointer, value = given
    write(k, node, dereference(k, node, pointer), value)
    return Typed(VOID, NOTHING)


def _sincos(k: Lowerer, node: Node, given: Sequence[Typed]) -> Typed:
    if len(given) != 3:
        raise k.refuse(node, f"`{_name(node)}` takes an angle and two addresses")
    angle, sine, cosine = given
    suffix = "f" if _name(node).endswith("f") else ""
    for pointer, part in ((sine, "sin"), (cosine, "cos")):
        value = PLAIN[f"{part}{suffix}"](k, node, [angle])
        write(k, node, dereference(k, node, pointer), value)
    return Typed(VOID, NOTHING)


def _frexp(k: Lowerer, node: Node, given: Sequence[Typed]) -> Typed:
    """``frexp(x, &e)``: the m of x = m * 2^e, which is at least 1/2 and less than 1."""
    if len(given) != 2:
        raise k.refuse(node, f"`{_name(node)}` takes a number and an address")
    number, pointer = given
    is_float = _name(node).endswith("f") or number.type == FLOAT
    type_ = FLOAT if is_float else DOUBLE
    value = k.builder.keep(convert(k, node, number, type_).expression)
    mantissa = k.builder.keep(Call("math.frexp", (value,), type_.dtype, 0))
    exponent = Typed(INT, Scalar(Call("math.frexp", (value,), INT.dtype, 1)))
    write(k, node, dereference(k, node, pointer), exponent)
    return Typed(type_, Scalar(mantissa))


def _name(node: Node) -> str:
    return text_of(field(node, "function"))


FUNCTIONS: dict[str, Function] = {
    **dict.fromkeys(("__ldg", "__ldca", "__ldcg", "__ldcs", "__ldlu", "__ldcv"), _load),
    **dict.fromkeys(("__stwb", "__stcg", "__stcs", "__stwt"), _store),
    **dict.fromkeys(("sincosf", "sincos", "__sincosf"), _sincos),
    **dict.fromkeys(("frexp", "frexpf"), _frexp),
}
