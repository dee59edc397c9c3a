"""Cooperative groups: their functions, in terms of barriers and warp functions.

A tile's functions are those of its warp with the mask of its threads, so a missing ``sync`` is
found like a missing ``__syncwarp``.

Sources: CUDA C++ Programming Guide 12.9, "Cooperative Groups"; cooperative_groups.h of CUDA 12.9
for the types of results and for the order in which ``reduce`` adds.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from gpuedu.simt.cuda_c import threads
from gpuedu.simt.cuda_c.conversions import convert
from gpuedu.simt.cuda_c.declarations import UnknownTypeError
from gpuedu.simt.cuda_c.group_types import BLOCK, GRID, Group, Reducer, tile, tile_size
from gpuedu.simt.cuda_c.lowerer import Lowerer, Typed, constant, known
from gpuedu.simt.cuda_c.nodes import Node
from gpuedu.simt.cuda_c.operators import binary
from gpuedu.simt.cuda_c.syntax import field, short, text_of
from gpuedu.simt.cuda_c.types import FLOAT, INT, UNSIGNED, UNSIGNED_LONG, VECTORS, Number
from gpuedu.simt.program import BOOL, INT32, Binary, Select, Special
from gpuedu.simt.values import Scalar, Tuple

Arguments = Sequence[Typed]
_WARP = 32


def _nothing(type_: Group) -> Typed:
    return Typed(type_, Tuple((), ()))


# Ranks


def _unsigned(owner: str, axis: str) -> Typed:
    found = threads.member(owner, axis)
    assert found is not None
    return found


def _linear(k: Lowerer, node: Node, index: str, extent: str, type_: Number = UNSIGNED) -> Typed:
    """``z * ny * nx + y * nx + x``."""
    found = convert(k, node, _unsigned(index, "z"), type_)
    for axis in "yx":
        found = binary(k, node, "*", found, convert(k, node, _unsigned(extent, axis), type_))
        found = binary(k, node, "+", found, convert(k, node, _unsigned(index, axis), type_))
    return found


def _count(k: Lowerer, node: Node, extent: str, type_: Number = UNSIGNED) -> Typed:
    found = convert(k, node, _unsigned(extent, "x"), type_)
    for axis in "yz":
        found = binary(k, node, "*", found, convert(k, node, _unsigned(extent, axis), type_))
    return found


def _lane() -> Typed:
    return Typed(INT, Scalar(Special("lane", INT32)))


def _lane_in(k: Lowerer, node: Node, size: int) -> Typed:
    """The rank of a thread in its tile."""
    return convert(k, node, binary(k, node, "&", _lane(), constant(INT, size - 1)), UNSIGNED)


def _first_lane(k: Lowerer, node: Node, size: int) -> Typed:
    """The lane of the warp with which a tile begins."""
    return binary(k, node, "&", _lane(), constant(INT, ~(size - 1)))


def mask_of(k: Lowerer, node: Node, size: int) -> Typed:
    """The lanes of the tile that a thread is in."""
    if size == _WARP:
        return constant(UNSIGNED, 0xFFFFFFFF)
    return binary(k, node, "<<", constant(UNSIGNED, (1 << size) - 1), _first_lane(k, node, size))


def _rank(k: Lowerer, node: Node, group: Group) -> Typed:
    if group.kind == "tile":
        return _lane_in(k, node, group.size)
    own = _linear(k, node, "threadIdx", "blockDim")
    if group.kind == "block":
        return own
    block = _linear(k, node, "blockIdx", "gridDim", UNSIGNED_LONG)
    size = _count(k, node, "blockDim", UNSIGNED_LONG)
    return binary(k, node, "+", binary(k, node, "*", block, size), own)


def _size(k: Lowerer, node: Node, group: Group) -> Typed:
    if group.kind == "tile":
        return constant(UNSIGNED, group.size)
    own = _count(k, node, "blockDim")
    if group.kind == "block":
        return own
    wide = convert(k, node, own, UNSIGNED_LONG)
    return binary(k, node, "*", _count(k, node, "gridDim", UNSIGNED_LONG), wide)


def _parent(group: Group) -> Group:
    return BLOCK if not group.parent else tile(group.parent, 0)


def _meta_rank(k: Lowerer, node: Node, group: Group) -> Typed:
    rank = _rank(k, node, _parent(group))
    return binary(k, node, "/", rank, constant(UNSIGNED, group.size))


def _meta_size(k: Lowerer, node: Node, group: Group) -> Typed:
    size = _size(k, node, _parent(group))
    rounded = binary(k, node, "+", size, constant(UNSIGNED, group.size - 1))
    return binary(k, node, "/", rounded, constant(UNSIGNED, group.size))


def _axes(k: Lowerer, name: str) -> Typed:
    found = threads.variable(name)
    assert found is not None
    return Typed(VECTORS["dim3"], found.value)


# Threads together


def synchronize(k: Lowerer, node: Node, group: Group) -> Typed:
    """``group.sync()``."""
    if group.kind in ("grid", "block"):
        return threads.barrier("grid" if group.kind == "grid" else "")(k, node, [])
    return threads.syncwarp(k, node, [mask_of(k, node, group.size)])


def _shuffled(kind: str) -> Callable[[Lowerer, Node, Group, Arguments], Typed]:
    def lower(k: Lowerer, node: Node, group: Group, given: Arguments) -> Typed:
        value, by = given
        type_ = value.type
        if not isinstance(type_, Number):
            raise k.refuse(node, f"a shuffle cannot move a `{type_}` here", "move its members")
        carried = _carrier(type_)
        arguments = [mask_of(k, node, group.size), convert(k, node, value, carried), by]
        if group.size != _WARP:
            arguments.append(constant(INT, group.size))
        return convert(k, node, threads.shuffle(kind)(k, node, arguments), type_)

    return lower


def _carrier(type_: Number) -> Number:
    """The type as which a shuffle moves a number, with nothing lost."""
    if type_.dtype.itemsize >= 4:
        return type_
    return FLOAT if type_.dtype.kind == "f" else INT


def _ballot(k: Lowerer, node: Node, group: Group, given: Arguments) -> Typed:
    mask = mask_of(k, node, group.size)
    predicate = convert(k, node, given[0], INT)
    return threads.FUNCTIONS["__ballot_sync"](k, node, [mask, predicate])


def _in_tile(k: Lowerer, node: Node, group: Group, bits: Typed) -> Typed:
    if group.size == _WARP:
        return bits
    return binary(k, node, ">>", bits, _first_lane(k, node, group.size))


def _voted(k: Lowerer, node: Node, group: Group, given: Arguments) -> Typed:
    return _in_tile(k, node, group, _ballot(k, node, group, given))


def _any(k: Lowerer, node: Node, group: Group, given: Arguments) -> Typed:
    found = binary(k, node, "!=", _ballot(k, node, group, given), constant(UNSIGNED, 0))
    return convert(k, node, found, INT)


def _all(k: Lowerer, node: Node, group: Group, given: Arguments) -> Typed:
    """Of a warp that the block does not fill, the lanes that are missing count as no."""
    votes = _ballot(k, node, group, given)
    return convert(k, node, binary(k, node, "==", votes, mask_of(k, node, group.size)), INT)


def _matched(k: Lowerer, node: Node, group: Group, given: Arguments) -> Typed:
    bits = threads.match_any(k, node, [mask_of(k, node, group.size), given[0]])
    return _in_tile(k, node, group, bits)


_LANES = {
    "shfl": (2, _shuffled("shfl_sync")),
    "shfl_up": (2, _shuffled("shfl_up_sync")),
    "shfl_down": (2, _shuffled("shfl_down_sync")),
    "shfl_xor": (2, _shuffled("shfl_xor_sync")),
    "ballot": (1, _voted),
    "any": (1, _any),
    "all": (1, _all),
    "match_any": (1, _matched),
}
"""A tile's own functions: how many arguments they take, and how they are lowered."""


def method(k: Lowerer, node: Node, group: Group, name: str, given: Arguments) -> Typed:
    """``group.name(...)``."""
    if group.kind == "tile" and not group.wide and name in _LANES:
        count, lower = _LANES[name]
        if len(given) != count:
            raise k.refuse(node, f"`{name}` takes {count} arguments, got {len(given)}")
        return lower(k, node, group, given)
    found = None if given else _told(k, node, group, name)
    if found is None:
        raise k.refuse(node, f"`{short(node)}`: `{group}` has no such function here")
    return found


def _told(k: Lowerer, node: Node, group: Group, name: str) -> Typed | None:
    """What a group tells about itself, and ``sync``."""
    wide = UNSIGNED_LONG if group.wide else UNSIGNED
    match group.kind, name:
        case _, "sync":
            return synchronize(k, node, group)
        case _, "thread_rank":
            return convert(k, node, _rank(k, node, group), wide)
        case _, "size" | "num_threads":
            return convert(k, node, _size(k, node, group), wide)
        case "block" | "grid", "group_index" | "block_index":
            if (group.kind == "block") == (name == "group_index"):
                return _axes(k, "blockIdx")
        case "block", "thread_index":
            return _axes(k, "threadIdx")
        case "block", "group_dim" | "dim_threads":
            return _axes(k, "blockDim")
        case "grid", "group_dim" | "dim_blocks":
            return _axes(k, "gridDim")
        case "grid", "num_blocks":
            return _count(k, node, "gridDim", UNSIGNED_LONG)
        case "grid", "block_rank":
            return _linear(k, node, "blockIdx", "gridDim", UNSIGNED_LONG)
        case "tile", "meta_group_rank" if not group.wide:
            return _meta_rank(k, node, group)
        case "tile", "meta_group_size" if not group.wide:
            return _meta_size(k, node, group)
    return None


# Functions outside of the groups


def parted(k: Lowerer, node: Node, given: Arguments, size: int, *, wide: bool) -> Typed:
    """``tiled_partition<size>(group)``, or with ``wide`` ``tiled_partition(group, size)``."""
    group = given[0].type if given else None
    if not isinstance(group, Group) or group.kind not in ("block", "tile"):
        raise k.refuse(node, "`tiled_partition` divides a block or a tile")
    try:
        tile_size(node, size)
    except UnknownTypeError as fault:
        raise k.refuse(node, fault.told) from None
    if group.kind == "tile" and size > group.size:
        raise k.refuse(node, f"a tile of {group.size} threads has no tiles of {size}")
    parent = group.size if group.kind == "tile" else 0
    return _nothing(tile(size, parent, wide=wide))


def call(k: Lowerer, node: Node, name: str, given: Arguments) -> Typed:
    """``cg::name(...)``."""
    if name in ("this_thread_block", "this_grid") and not given:
        return _nothing(BLOCK if name == "this_thread_block" else GRID)
    group = given[0].type if given else None
    if name == "tiled_partition" and len(given) == 2:
        size = known(given[1])
        if size is None:
            raise k.refuse(
                node, "the size of a tile must be known when the kernel is compiled here"
            )
        return parted(k, node, given, int(size), wide=True)
    if not isinstance(group, Group):
        raise k.refuse(node, f"`{name}` needs a group that is covered here")
    if name == "reduce":
        return _reduced(k, node, group, given)
    told = {"sync": "sync", "thread_rank": "thread_rank", "group_size": "size"}
    return method(k, node, group, told[name], given[1:])


FUNCTIONS = frozenset(
    {"this_thread_block", "this_grid", "tiled_partition", "reduce", "sync", "thread_rank"}
    | {"group_size"}
)
"""Functions in the namespace of cooperative groups."""

REFUSED = frozenset(
    {"coalesced_threads", "labeled_partition", "binary_partition", "memcpy_async", "wait"}
    | {"wait_prior", "inclusive_scan", "exclusive_scan", "this_cluster", "this_multi_grid"}
    | {"reduce_store_async", "reduce_update_async", "invoke_one", "invoke_one_broadcast"}
)


def functions_here(k: Lowerer) -> frozenset[str]:
    """The functions of cooperative groups, if their header is included."""
    is_there = k.module.types.get("thread_block") is BLOCK
    return FUNCTIONS | REFUSED if is_there else frozenset()


def is_named(k: Lowerer, callee: Node) -> bool:
    """Whether a name is ``cg::reduce``; the source may have its own ``reduce``."""
    scope, name = callee.child_by_field_name("scope"), text_of(field(callee, "name"))
    if scope is None or name not in functions_here(k):
        return False
    known_as = re.findall(r"\bnamespace\s+(\w+)\s*=\s*cooperative_groups\b", k.module.text)
    return text_of(scope) in ("cooperative_groups", *known_as)


# Reductions

_REDUX = {
    "plus": "add",
    "less": "min",
    "greater": "max",
    "bit_and": "and",
    "bit_or": "or",
    "bit_xor": "xor",
}
_SIGNS = {"plus": "+", "bit_and": "&", "bit_or": "|", "bit_xor": "^"}


def _reduced(k: Lowerer, node: Node, group: Group, given: Arguments) -> Typed:
    """``cg::reduce``: 32-bit integers by one operation of the warp, others by shuffles."""
    if len(given) != 3 or group.kind != "tile" or group.wide:
        raise k.refuse(node, "`reduce` takes a tile, a value and an operation such as `cg::plus`")
    _, value, operation = given
    if not isinstance(operation.type, Reducer):
        raise k.refuse(
            node,
            "`reduce` with your own operation is not covered",
            "`cg::plus<T>()`, `cg::less<T>()`, `cg::greater<T>()`, or shuffles",
        )
    type_ = operation.type.element
    if not isinstance(type_, Number) or value.type != type_:
        raise k.refuse(node, f"`{operation.type}` does not fit a value of type `{value.type}`")
    name = operation.type.operation
    if type_.dtype.kind in "iub" and type_.dtype.itemsize <= 4:
        wide = INT if type_.dtype.kind == "i" else UNSIGNED
        mask = mask_of(k, node, group.size)
        found = threads.reduction(f"reduce_{_REDUX[name]}_sync")(
            k, node, [mask, convert(k, node, value, wide)]
        )
        return convert(k, node, found, type_)
    found, step = value, group.size // 2
    while step:
        found = _held(k, found)
        other = _LANES["shfl_xor"][1](k, node, group, [found, constant(UNSIGNED, step)])
        found = _combined(k, node, name, found, other, type_)
        step //= 2
    return found


def _held(k: Lowerer, value: Typed) -> Typed:
    return Typed(value.type, k.builder.hold(value.value))


def _combined(k: Lowerer, node: Node, name: str, left: Typed, right: Typed, type_: Number) -> Typed:
    if name in _SIGNS:
        return convert(k, node, binary(k, node, _SIGNS[name], left, right), type_)
    one, other = (k.builder.keep(side.expression) for side in (left, right))
    test = Binary("<", other, one, BOOL) if name == "less" else Binary("<", one, other, BOOL)
    return Typed(type_, Scalar(Select(test, other, one, type_.dtype)))


__all__ = ["FUNCTIONS", "REFUSED", "call", "mask_of", "method", "parted", "synchronize"]
