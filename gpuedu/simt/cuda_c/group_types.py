"""The types of cooperative groups: which threads a group holds, and how it was made.

A group is known when the kernel is compiled, so its value holds nothing: only its type counts. A
group that is passed as a more general one, such as ``thread_group``, keeps its own type.

Source: CUDA C++ Programming Guide 12.9, "Cooperative Groups".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gpuedu.simt.cuda_c.declarations import Length, Names, UnknownTypeError, described
from gpuedu.simt.cuda_c.nodes import Node
from gpuedu.simt.cuda_c.syntax import parts, short
from gpuedu.simt.cuda_c.types import CType, Struct, TypeTemplate

HEADERS = frozenset({"cooperative_groups.h", "cooperative_groups/reduce.h"})
SIZES = (1, 2, 4, 8, 16, 32)
"""How many threads a tile can have: at most those of a warp."""


@dataclass(frozen=True)
class Group(Struct):
    """``kind`` is "block", "grid" or "tile"; a tile has ``size`` threads of its ``parent``.

    ``parent`` is 0 for a block, else the threads of the tile that was divided, or None if a type
    leaves it open. ``wide`` says that its counts are unsigned long long, as those of thread_group.
    """

    kind: str = ""
    size: int = 0
    parent: int | None = None
    wide: bool = False


@dataclass(frozen=True)
class Reducer(Struct):
    """``cg::plus<float>`` and its kin: ``operation`` of two numbers."""

    operation: str = ""
    element: CType | None = None


BLOCK = Group("thread_block", (), kind="block")
GRID = Group("grid_group", (), kind="grid", wide=True)
ANY = Group("thread_group", (), kind="", wide=True)


def tile(size: int, parent: int | None, *, wide: bool = False) -> Group:
    """A tile of consecutive threads in a block."""
    name = "thread_group" if wide else f"thread_block_tile<{size}>"
    return Group(name, (), kind="tile", size=size, parent=parent, wide=wide)


def fits(given: CType, wanted: CType) -> bool:
    """Whether a group can be passed as another."""
    if not isinstance(given, Group) or not isinstance(wanted, Group):
        return False
    if not wanted.kind:
        return True
    if given.kind != wanted.kind or given.size != wanted.size:
        return False
    return given.kind != "tile" or wanted.parent in (None, given.parent)


def settled(given: Group, wanted: Group) -> Group:
    """What a group is as a variable of a more general type."""
    if wanted.kind or given.wide:
        return given
    return Group("thread_group", (), 0, given.kind, given.size, given.parent, True)


def _tile(node: Node, given: Sequence[Node], names: Names, length: Length) -> CType:
    """``thread_block_tile<32>`` and ``thread_block_tile<16, thread_block>``."""
    if len(given) not in (1, 2):
        raise UnknownTypeError(node, f"the type `{short(node)}`")
    size = tile_size(node, length(_expression(given[0])))
    if len(given) == 1:
        return tile(size, None)
    parent = described(given[1], names, length)
    if not isinstance(parent, Group):
        raise UnknownTypeError(node, f"the type `{short(node)}`")
    return tile(size, 0 if parent.kind == "block" else parent.size)


def tile_size(node: Node, size: int) -> int:
    """The size of a tile, which must exist here."""
    if size not in SIZES:
        raise UnknownTypeError(
            node, f"a tile of {size} threads", " is not covered: it has 1, 2, 4, 8, 16 or 32 here"
        )
    return size


def _expression(node: Node) -> Node:
    return parts(node)[0] if node.type == "type_descriptor" else node


def _reducer(operation: str) -> TypeTemplate:
    def make(node: Node, given: Sequence[Node], names: Names, length: Length) -> CType:
        if len(given) != 1:
            raise UnknownTypeError(node, f"the type `{short(node)}`")
        element = described(given[0], names, length)
        return Reducer(f"{operation}<{element}>", (), operation=operation, element=element)

    return TypeTemplate(operation, make)


TYPES: dict[str, CType] = {
    "thread_block": BLOCK,
    "thread_group": ANY,
    "grid_group": GRID,
    "thread_block_tile": TypeTemplate("thread_block_tile", _tile),
    **{
        name: _reducer(name) for name in ("plus", "less", "greater", "bit_and", "bit_or", "bit_xor")
    },
}
"""What the headers of cooperative groups add to the names of types."""
