"""Which thread this is, and how threads meet: variables, barriers, fences, warp functions."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from gpuedu.simt.cuda_c.conversions import convert, truth
from gpuedu.simt.cuda_c.folding import cast
from gpuedu.simt.cuda_c.lowerer import NOTHING, Lowerer, Typed, constant
from gpuedu.simt.cuda_c.nodes import Node
from gpuedu.simt.cuda_c.syntax import short
from gpuedu.simt.cuda_c.types import BOOLEAN, INT, LONG, UNSIGNED, VECTORS, VOID, Number
from gpuedu.simt.program import (
    BOOL,
    INT32,
    Barrier,
    BarrierPoint,
    Binary,
    Cast,
    Const,
    Expression,
    Fence,
    Select,
    Special,
    WarpOperation,
)
from gpuedu.simt.values import Scalar, Tuple

UINT32 = np.dtype(np.uint32)
_INDEX = {"threadIdx": "t", "blockIdx": "b", "blockDim": "n", "gridDim": "g"}
_OF_BITS = frozenset({"reduce_and_sync", "reduce_or_sync", "reduce_xor_sync"})
_SHUFFLED = frozenset({"int32", "int64", "uint32", "uint64", "float32", "float64"})
Arguments = Sequence[Typed]
Function = Callable[[Lowerer, Node, Arguments], Typed]


def member(owner: str, name: str) -> Typed | None:
    """``threadIdx.x`` and its kin, unsigned int."""
    if owner not in _INDEX or name not in ("x", "y", "z"):
        return None
    return Typed(UNSIGNED, Scalar(Cast(Special(_INDEX[owner] + name, INT32), UINT32)))


def variable(name: str) -> Typed | None:
    """``warpSize``, and the index variables as a whole."""
    if name == "warpSize":
        return constant(INT, 32)
    if name in _INDEX:
        axes = tuple(member(name, axis) for axis in "xyz")
        items = tuple(axis.value for axis in axes if axis is not None)
        return Typed(VECTORS["uint3"], Tuple(items, ("x", "y", "z")))
    return None


def _expect(k: Lowerer, node: Node, given: Arguments, *counts: int) -> None:
    if len(given) not in counts:
        wanted = " or ".join(map(str, counts))
        raise k.refuse(node, f"`{short(node)}` takes {wanted} arguments, got {len(given)}")


def _nothing() -> Typed:
    return Typed(VOID, NOTHING)


def barrier(kind: str) -> Function:
    """``__syncthreads`` and its counting forms; "grid" is that of all blocks."""

    def lower(k: Lowerer, node: Node, given: Arguments) -> Typed:
        _expect(k, node, given, 1 if kind not in ("", "grid") else 0)
        of_grid = kind == "grid"
        point = k.tables.add("barriers", BarrierPoint(k.place(node), short(node), of_grid))
        if not kind or of_grid:
            k.builder.emit(Barrier("", None, None, point))
            return _nothing()
        slot = k.builder.slot("t", INT32)
        predicate = cast(truth(k, node, given[0]), INT32)
        k.builder.emit(Barrier(kind, slot, predicate, point))
        return Typed(INT, Scalar(slot))

    return lower


def fence(scope: str) -> Function:
    """``__threadfence`` and its kin."""

    def lower(k: Lowerer, node: Node, given: Arguments) -> Typed:
        _expect(k, node, given, 0)
        k.tables.add("fences", scope)
        k.builder.emit(Fence(scope, k.place(node)))
        return _nothing()

    return lower


def _operate(
    k: Lowerer, node: Node, kind: str, dtypes: tuple[np.dtype, ...], *arguments: Expression
) -> list[Scalar]:
    slots = tuple(k.builder.slot("t", dtype) for dtype in dtypes)
    k.builder.emit(WarpOperation(kind, slots, arguments, k.place(node)))
    return [Scalar(slot) for slot in slots]


def _mask(k: Lowerer, node: Node, given: Typed) -> Expression:
    return convert(k, node, given, UNSIGNED).expression


def syncwarp(k: Lowerer, node: Node, given: Arguments) -> Typed:
    """``__syncwarp(mask)``."""
    _expect(k, node, given, 0, 1)
    mask = _mask(k, node, given[0]) if given else Const(np.uint32(0xFFFFFFFF))
    _operate(k, node, "syncwarp", (), mask)
    return _nothing()


def shuffle(kind: str) -> Function:
    """``__shfl_sync`` and its kin; a width below 32 makes each warp several small ones."""

    def lower(k: Lowerer, node: Node, given: Arguments) -> Typed:
        _expect(k, node, given, 3, 4)
        type_ = given[1].type
        if not isinstance(type_, Number):
            raise k.refuse(node, f"a shuffle cannot move a `{type_}`", "move its members")
        if type_.dtype.name not in _SHUFFLED:
            type_ = INT if type_.dtype.kind in "iub" else type_
        if type_.dtype.name not in _SHUFFLED:
            raise k.refuse(node, f"a shuffle of `{type_}` is not covered", "convert it to float")
        value = convert(k, node, given[1], type_).expression
        lane = cast(convert(k, node, given[2], INT).expression, INT32)
        name = kind
        if len(given) == 4:
            width = k.builder.keep(convert(k, node, given[3], INT).expression)
            if not (isinstance(width, Const) and int(width.value) == 32):
                name, lane = "shfl_sync", _source(kind, k.builder.keep(lane), width)
        (result,) = _operate(k, node, name, (type_.dtype,), _mask(k, node, given[0]), value, lane)
        return Typed(type_, result)

    return lower


def _source(kind: str, by: Expression, width: Expression) -> Expression:
    """The lane that a shuffle within ``width`` lanes reads; the own one past the segment's end.

    Source: PTX ISA, ``shfl.sync``, the segment mask of operand c.
    """

    def number(operator: str, left: Expression, right: Expression) -> Expression:
        return Binary(operator, left, right, INT32)

    lane = Special("lane", INT32)
    low = number("-", width, Const(np.int32(1)))
    inside = number("&", lane, low)
    begin = number("-", lane, inside)
    if kind == "shfl_sync":
        return number("+", begin, number("&", by, low))
    target = {
        "shfl_up_sync": number("-", inside, by),
        "shfl_down_sync": number("+", inside, by),
        "shfl_xor_sync": number("^", inside, by),
    }[kind]
    fits = (
        Binary(">=", target, Const(np.int32(0)), BOOL)
        if kind == "shfl_up_sync"
        else Binary("<", target, width, BOOL)
    )
    return Select(fits, number("+", begin, target), lane, INT32)


def vote(kind: str) -> Function:
    """``__all_sync``, ``__any_sync`` and ``__ballot_sync``."""

    def lower(k: Lowerer, node: Node, given: Arguments) -> Typed:
        _expect(k, node, given, 2)
        mask, predicate = _mask(k, node, given[0]), truth(k, node, given[1])
        if kind == "ballot_sync":
            (bits,) = _operate(k, node, kind, (INT32,), mask, predicate)
            return Typed(UNSIGNED, Scalar(Cast(bits.expression, UINT32)))
        (result,) = _operate(k, node, kind, (BOOL,), mask, predicate)
        return convert(k, node, Typed(BOOLEAN, result), INT)

    return lower


def reduction(kind: str) -> Function:
    """``__reduce_add_sync`` and its kin: of int or unsigned int."""

    def lower(k: Lowerer, node: Node, given: Arguments) -> Typed:
        _expect(k, node, given, 2)
        signed = given[1].type == INT and kind not in _OF_BITS
        type_ = INT if signed else UNSIGNED
        value = convert(k, node, given[1], type_).expression
        (result,) = _operate(k, node, kind, (type_.dtype,), _mask(k, node, given[0]), value)
        return Typed(type_, result)

    return lower


def match_any(k: Lowerer, node: Node, given: Arguments) -> Typed:
    """``__match_any_sync(mask, value)``: the lanes that hold the same value."""
    _expect(k, node, given, 2)
    value = given[1].expression
    (bits,) = _operate(k, node, "match_any_sync", (INT32,), _mask(k, node, given[0]), value)
    return Typed(UNSIGNED, Scalar(Cast(bits.expression, UINT32)))


def activemask(k: Lowerer, node: Node, given: Arguments) -> Typed:
    """``__activemask()``."""
    _expect(k, node, given, 0)
    (bits,) = _operate(k, node, "activemask", (UINT32,))
    return Typed(UNSIGNED, bits)


def clock(k: Lowerer, node: Node, given: Arguments) -> Typed:
    """``clock64()``: no time passes here, so each reading is some cycles after the one before."""
    _expect(k, node, given, 0)
    (cycles,) = _operate(k, node, "clock", (np.dtype(np.int64),))
    return Typed(LONG, cycles)


FUNCTIONS: dict[str, Function] = {
    "__syncthreads": barrier(""),
    "__syncthreads_count": barrier("count"),
    "__syncthreads_and": barrier("and"),
    "__syncthreads_or": barrier("or"),
    "__threadfence": fence("device"),
    "__threadfence_block": fence("block"),
    "__threadfence_system": fence("system"),
    "__syncwarp": syncwarp,
    "__shfl_sync": shuffle("shfl_sync"),
    "__shfl_up_sync": shuffle("shfl_up_sync"),
    "__shfl_down_sync": shuffle("shfl_down_sync"),
    "__shfl_xor_sync": shuffle("shfl_xor_sync"),
    "__all_sync": vote("all_sync"),
    "__any_sync": vote("any_sync"),
    "__ballot_sync": vote("ballot_sync"),
    "__match_any_sync": match_any,
    "__activemask": activemask,
    "clock": clock,
    "clock64": clock,
    **{
        f"__reduce_{name}_sync": reduction(f"reduce_{name}_sync")
        for name in ("add", "min", "max", "and", "or", "xor")
    },
}
"""Functions of CUDA C by which threads meet."""
