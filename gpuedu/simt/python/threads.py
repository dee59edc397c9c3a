"""Which thread this is, and how threads meet: indices, barriers, fences, warp operations."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

import numpy as np

from gpuedu.simt.host.names import dotted_name
from gpuedu.simt.host.stubs import GRID
from gpuedu.simt.program import (
    BOOL,
    INT32,
    INT64,
    Barrier,
    BarrierPoint,
    Const,
    Expression,
    Fence,
    Special,
    WarpOperation,
)
from gpuedu.simt.python.lowerer import Lowerer, cast
from gpuedu.simt.values import Scalar, Static, Tuple, Value

UINT32 = np.dtype(np.uint32)

_INDEX = {"threadIdx": "t", "blockIdx": "b", "blockDim": "n", "gridDim": "g"}


def special(name: str) -> Value | None:
    """The value of a name such as ``cuda.threadIdx.x``, None for other names."""
    if not name.startswith("cuda."):
        return None
    parts = name.split(".")[1:]
    if len(parts) == 2 and parts[0] in _INDEX and parts[1] in ("x", "y", "z"):
        return Scalar(Special(_INDEX[parts[0]] + parts[1], INT32))
    if parts == ["laneid"]:
        return Scalar(Special("lane", INT32))
    if parts == ["warpsize"]:
        return Scalar(Const(np.int32(32)), literal=None)
    return None


def index_triple(thing: Any) -> tuple[Scalar, ...] | None:
    """The three numbers of ``cuda.threadIdx`` and the like; None for any other object."""
    prefix, _, name = (dotted_name(thing) or "").rpartition(".")
    if prefix != "cuda" or name not in _INDEX:
        return None
    return tuple(Scalar(Special(_INDEX[name] + axis, INT32)) for axis in "xyz")


def _grid(k: Lowerer, node: ast.Call, arguments: list[Value], prefix: str, name: str) -> Value:
    try:
        ndim = k.static(arguments[0]) if len(arguments) == 1 else None
    except LookupError:
        ndim = None
    if ndim not in (1, 2, 3):
        raise k.refuse(
            node, f"`cuda.{name}` takes 1, 2 or 3, written as a number", f"`cuda.{name}(1)`"
        )
    axes = [Scalar(Special(f"{prefix}_{axis}", INT64)) for axis in "xyz"[:ndim]]
    return axes[0] if ndim == 1 else Tuple(tuple(axes))


def grid(k: Lowerer, node: ast.Call, arguments: list[Value]) -> Value:
    """``cuda.grid(ndim)``."""
    return _grid(k, node, arguments, "grid", "grid")


def gridsize(k: Lowerer, node: ast.Call, arguments: list[Value]) -> Value:
    """``cuda.gridsize(ndim)``."""
    return _grid(k, node, arguments, "gridsize", "gridsize")


def barrier(kind: str) -> Callable[[Lowerer, ast.Call, list[Value]], Value]:
    """``cuda.syncthreads`` and its counting forms; "grid" is the ``sync`` of ``this_grid()``."""

    def lower(k: Lowerer, node: ast.Call, arguments: list[Value]) -> Value:
        predicate, slot = None, None
        of_grid = kind == "grid"
        counts = bool(kind) and not of_grid
        _expect(k, node, arguments, 1 if counts else 0)
        if counts:
            scalar = k.scalar(node, arguments[0])
            if scalar.dtype == BOOL or scalar.dtype.kind not in "iu":
                raise k.refuse(
                    node,
                    f"the predicate of `syncthreads_{kind}` must be an integer, "
                    f"this is {scalar.dtype.name}",
                    "write int32(condition)",
                )
            predicate = cast(scalar.expression, INT32)
            slot = k.builder.slot("t", INT32)
        point = BarrierPoint(k.function.place(node), k.function.text(node), of_grid)
        site = k.tables.add("barriers", point)
        k.builder.emit(Barrier(kind if counts else "", slot, predicate, site))
        return Static(None) if slot is None else Scalar(slot)

    return lower


def fence(scope: str) -> Callable[[Lowerer, ast.Call, list[Value]], Value]:
    """``cuda.threadfence`` and the like."""

    def lower(k: Lowerer, node: ast.Call, arguments: list[Value]) -> Value:
        _expect(k, node, arguments, 0)
        k.tables.add("fences", scope)
        k.builder.emit(Fence(scope, k.function.place(node)))
        return Static(None)

    return lower


def _expect(k: Lowerer, node: ast.Call, arguments: list[Value], count: int) -> None:
    if len(arguments) != count:
        raise k.refuse(
            node,
            f"`{k.function.text(node.func)}` takes {count} argument{'' if count == 1 else 's'}, "
            f"got {len(arguments)}",
        )


def _operation(
    k: Lowerer, node: ast.Call, kind: str, dtypes: tuple[np.dtype, ...], *arguments: Expression
) -> list[Scalar]:
    slots = tuple(k.builder.slot("t", dtype) for dtype in dtypes)
    k.builder.emit(WarpOperation(kind, slots, arguments, k.function.place(node)))
    return [Scalar(slot) for slot in slots]


def syncwarp(k: Lowerer, node: ast.Call, arguments: list[Value]) -> Value:
    """``cuda.syncwarp(mask)``."""
    mask: Expression = Const(np.uint32(0xFFFFFFFF))
    if arguments:
        mask = _mask(k, node, arguments[0])
    _operation(k, node, "syncwarp", (), mask)
    return Static(None)


def _mask(k: Lowerer, node: ast.AST, value: Value) -> Expression:
    scalar = k.scalar(node, value)
    if scalar.dtype.kind not in "iu":
        raise k.refuse(node, f"a lane mask is an integer, this is {scalar.dtype.name}")
    return cast(scalar.expression, UINT32)


def shuffle(kind: str) -> Callable[[Lowerer, ast.Call, list[Value]], Value]:
    """``cuda.shfl_sync`` and the like: a value from another lane of the warp."""

    def lower(k: Lowerer, node: ast.Call, arguments: list[Value]) -> Value:
        _expect(k, node, arguments, 3)
        value = k.scalar(node, arguments[1])
        if value.dtype.name not in ("int32", "int64", "uint32", "uint64", "float32", "float64"):
            raise k.refuse(node, f"a shuffle cannot move a {value.dtype.name}", "use float32(x)")
        lane = cast(k.scalar(node, arguments[2]).expression, INT32)
        mask = _mask(k, node, arguments[0])
        (result,) = _operation(k, node, kind, (value.dtype,), mask, value.expression, lane)
        return result

    return lower


def vote(kind: str, dtype: np.dtype) -> Callable[[Lowerer, ast.Call, list[Value]], Value]:
    """``cuda.all_sync`` and the like."""

    def lower(k: Lowerer, node: ast.Call, arguments: list[Value]) -> Value:
        _expect(k, node, arguments, 2)
        mask = _mask(k, node, arguments[0])
        predicate = k.truth(node, arguments[1])
        (result,) = _operation(k, node, kind, (dtype,), mask, predicate)
        return result

    return lower


def match_any(k: Lowerer, node: ast.Call, arguments: list[Value]) -> Value:
    """``cuda.match_any_sync(mask, value)``: the lanes that hold the same value."""
    _expect(k, node, arguments, 2)
    value = k.scalar(node, arguments[1]).expression
    (result,) = _operation(k, node, "match_any_sync", (INT32,), _mask(k, node, arguments[0]), value)
    return result


def match_all(k: Lowerer, node: ast.Call, arguments: list[Value]) -> Value:
    """``cuda.match_all_sync(mask, value)``: whether all lanes hold the same value."""
    _expect(k, node, arguments, 2)
    value = k.scalar(node, arguments[1]).expression
    mask = _mask(k, node, arguments[0])
    return Tuple(tuple(_operation(k, node, "match_all_sync", (INT32, BOOL), mask, value)))


def lanes(kind: str) -> Callable[[Lowerer, ast.Call, list[Value]], Value]:
    """``cuda.activemask()`` and ``cuda.lanemask_lt()``."""

    def lower(k: Lowerer, node: ast.Call, arguments: list[Value]) -> Value:
        _expect(k, node, arguments, 0)
        (result,) = _operation(k, node, kind, (UINT32,))
        return result

    return lower


def this_grid(k: Lowerer, node: ast.Call, arguments: list[Value]) -> Value:
    """``cuda.cg.this_grid()``."""
    _expect(k, node, arguments, 0)
    return Static(GRID)


CALLS: dict[str, Callable[[Lowerer, ast.Call, list[Value]], Value]] = {
    "cuda.grid": grid,
    "cuda.gridsize": gridsize,
    "cuda.syncthreads": barrier(""),
    "cuda.syncthreads_count": barrier("count"),
    "cuda.syncthreads_and": barrier("and"),
    "cuda.syncthreads_or": barrier("or"),
    "cuda.cg.this_grid": this_grid,
    "cuda.cg.GridGroup.sync": barrier("grid"),
    "cuda.threadfence": fence("device"),
    "cuda.threadfence_block": fence("block"),
    "cuda.threadfence_system": fence("system"),
    "cuda.syncwarp": syncwarp,
    "cuda.shfl_sync": shuffle("shfl_sync"),
    "cuda.shfl_up_sync": shuffle("shfl_up_sync"),
    "cuda.shfl_down_sync": shuffle("shfl_down_sync"),
    "cuda.shfl_xor_sync": shuffle("shfl_xor_sync"),
    "cuda.all_sync": vote("all_sync", BOOL),
    "cuda.any_sync": vote("any_sync", BOOL),
    "cuda.eq_sync": vote("eq_sync", BOOL),
    "cuda.ballot_sync": vote("ballot_sync", INT32),
    "cuda.match_any_sync": match_any,
    "cuda.match_all_sync": match_all,
    "cuda.activemask": lanes("activemask"),
    "cuda.lanemask_lt": lanes("lanemask_lt"),
}
