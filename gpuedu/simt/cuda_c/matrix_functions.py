"""CUDA's warp matrix functions: ``wmma::load_matrix_sync`` and its kin.

Not covered: fragments of other numbers than half, assigned or passed as a whole, and the saturating
form of ``mma_sync``. A fragment's own elements are ``x[0]`` to ``x[num_elements - 1]``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from gpuedu.simt.cuda_c import fragments
from gpuedu.simt.cuda_c.conversions import convert
from gpuedu.simt.cuda_c.dispatch import evaluate, place_of
from gpuedu.simt.cuda_c.folding import cast
from gpuedu.simt.cuda_c.lowerer import NOTHING, Lowerer, Typed, known, pointer_parts
from gpuedu.simt.cuda_c.nodes import Node
from gpuedu.simt.cuda_c.places import Member, Row, is_const_place, is_in_memory
from gpuedu.simt.cuda_c.preprocess import includes
from gpuedu.simt.cuda_c.syntax import short
from gpuedu.simt.cuda_c.types import UNSIGNED, VOID, Number, Pointer
from gpuedu.simt.cuda_c.views import array_member, base_name
from gpuedu.simt.intrinsics import matrices
from gpuedu.simt.program import (
    INT64,
    ArraySlot,
    FillFragment,
    Fragment,
    MoveFragment,
    MultiplyFragments,
    Site,
)
from gpuedu.trace import Operation, Space

_LINES = "the elements from the start of one row to the next, or of one column for col_major"


def call(k: Lowerer, node: Node, name: str, given: Sequence[Node]) -> Typed:
    """The call of a warp matrix function."""
    if not includes(k.module.code, fragments.HEADER):
        raise k.refuse(node, f"`{name}` needs its header", "`#include <mma.h>`")
    FUNCTIONS[name](k, node, given)
    return Typed(VOID, NOTHING)


def _fill(k: Lowerer, node: Node, given: Sequence[Node]) -> None:
    """``fill_fragment(fragment, value)``."""
    _expect(k, node, given, 2, "a fragment and a value")
    kind, fragment = _fragment(k, given[0], Operation.STORE)
    value = convert(k, given[1], evaluate(k, given[1]), kind.element).expression
    k.builder.emit(FillFragment(fragment, k.builder.keep(value), k.place(node)))


def _load(k: Lowerer, node: Node, given: Sequence[Node]) -> None:
    """``load_matrix_sync(fragment, pointer, leading dimension[, layout])``."""
    if len(given) == 2:
        raise k.refuse(node, "`load_matrix_sync` lacks the leading dimension", _LINES)
    _expect(k, node, given, (3, 4), "a fragment, a pointer and the leading dimension")
    kind, fragment = _fragment(k, given[0], Operation.STORE)
    if (kind.use == "accumulator") != (len(given) == 4):
        raise k.refuse(
            node,
            "an accumulator is loaded with its layout, a fragment of matrix_a or matrix_b has its "
            "own",
            "`wmma::mem_row_major` as the fourth argument, for an accumulator only",
        )
    by_columns = _by_columns(k, given[3]) if len(given) == 4 else kind.by_columns
    _move(k, node, "load", kind, fragment, given[1], given[2], by_columns)


def _store(k: Lowerer, node: Node, given: Sequence[Node]) -> None:
    """``store_matrix_sync(pointer, fragment, leading dimension, layout)``."""
    if len(given) in (2, 3):
        raise k.refuse(
            node,
            "`store_matrix_sync` takes the leading dimension and the layout, too",
            f"{_LINES}; then `wmma::mem_row_major`",
        )
    _expect(k, node, given, 4, "a pointer, a fragment, the leading dimension and the layout")
    kind, fragment = _fragment(k, given[1], Operation.LOAD)
    if kind.use != "accumulator":
        raise k.refuse(node, f"only an accumulator is stored, `{short(given[1])}` is a {kind.use}")
    _move(k, node, "store", kind, fragment, given[0], given[2], _by_columns(k, given[3]))


def _multiply(k: Lowerer, node: Node, given: Sequence[Node]) -> None:
    """``mma_sync(d, a, b, c)``: d = a @ b + c."""
    if len(given) == 5:
        raise k.refuse(given[4], "the saturating form of `mma_sync` is not covered", "four of them")
    _expect(k, node, given, 4, "the fragments d, a, b and c, for d = a @ b + c")
    uses = ("accumulator", "matrix_a", "matrix_b", "accumulator")
    operations = (Operation.STORE, Operation.LOAD, Operation.LOAD, Operation.LOAD)
    found = [_fragment(k, part, does) for part, does in zip(given, operations, strict=True)]
    for part, (kind, _), use in zip(given, found, uses, strict=True):
        if kind.use != use:
            raise k.refuse(
                part,
                f"`{short(part)}` is a {kind.use}, where a {use} is needed",
                "`mma_sync(d, a, b, c)` with accumulators d and c, a of matrix_a, b of matrix_b",
            )
    sizes = {kind.size for kind, _ in found}
    if len(sizes) > 1:
        shown = " and ".join("x".join(map(str, size)) for size in sorted(sizes))
        raise k.refuse(node, f"fragments of {shown} in one product", "one M, N and K for all")
    k.builder.emit(MultiplyFragments(*(fragment for _, fragment in found), k.place(node)))


FUNCTIONS: dict[str, Callable[[Lowerer, Node, Sequence[Node]], None]] = {
    "fill_fragment": _fill,
    "load_matrix_sync": _load,
    "store_matrix_sync": _store,
    "mma_sync": _multiply,
}
"""The functions by their names in ``nvcuda::wmma``."""


def _expect(
    k: Lowerer, node: Node, given: Sequence[Node], count: int | tuple[int, ...], what: str
) -> None:
    counts = count if isinstance(count, tuple) else (count,)
    if len(given) not in counts:
        raise k.refuse(node, f"`{short(node)}` takes {what}, got {len(given)} arguments")


def _fragment(k: Lowerer, node: Node, operation: Operation) -> tuple[fragments.Fragment, Fragment]:
    """A fragment by its name, and the elements of a thread."""
    place = place_of(k, node)
    kind = place.type
    if not isinstance(kind, fragments.Fragment) or not is_in_memory(place):
        raise k.refuse(node, f"`{short(node)}` is `{kind}`, where a fragment is needed")
    if operation is Operation.STORE and is_const_place(place):
        raise k.refuse(node, f"`{short(node)}` is `const`: it cannot be written")
    assert not isinstance(place, Row)
    row = array_member(k, Member(place, "x", kind.fields[0][1]))  # type: ignore[arg-type]
    site = k.site(node, operation, row.slot)
    return kind, Fragment(row.slot, kind.shape, kind.length, site)


def _move(
    k: Lowerer,
    node: Node,
    operation: str,
    kind: fragments.Fragment,
    fragment: Fragment,
    where: Node,
    lines: Node,
    by_columns: bool,
) -> None:
    """A fragment to or from memory."""
    pointer = evaluate(k, where)
    if not isinstance(pointer.type, Pointer) or pointer.type.target != kind.element:
        raise k.refuse(
            where, f"`{short(where)}` is `{pointer.type}`: the fragment holds {kind.element}"
        )
    if operation == "store" and pointer.type.const:
        raise k.refuse(where, f"`{short(where)}` is `const`: it cannot be written")
    slot, index = pointer_parts(pointer)
    if slot.type.space is Space.LOCAL:
        raise k.refuse(
            where,
            f"`{short(where)}` is an array of one thread: a warp's matrix is in shared or global "
            "memory",
        )
    stride = evaluate(k, lines)
    if not isinstance(stride.type, Number) or stride.type.dtype.kind not in "iu":
        raise k.refuse(lines, f"the leading dimension is an integer, `{short(lines)}` is not")
    role = _role(kind, slot)
    site = _site(k, node, Operation(operation), slot, kind, role, by_columns)
    unsigned = convert(k, lines, stride, UNSIGNED).expression
    begin, step = (k.builder.keep(cast(part, INT64)) for part in (index, unsigned))
    k.builder.emit(MoveFragment(operation, fragment, slot, begin, step, by_columns, role, site))


def _role(kind: fragments.Fragment, slot: ArraySlot) -> str:
    if kind.use == "accumulator":
        return "accumulator"
    return "ldmatrix" if slot.type.space is Space.SHARED else "multiplicand"


def _site(
    k: Lowerer,
    node: Node,
    operation: Operation,
    slot: ArraySlot,
    kind: fragments.Fragment,
    role: str,
    by_columns: bool,
) -> int:
    """The access of a whole matrix, whose elements are the words that lanes ask for."""
    dtype = kind.element.dtype
    width = matrices.width_of(dtype, kind.shape, role, by_columns=by_columns)
    entry = Site(
        k.place(node),
        node.start_point.column,
        short(node),
        operation,
        slot.type.space,
        base_name(slot),
        matrices.word(dtype, width),
    )
    return k.tables.add("sites", entry)


def _by_columns(k: Lowerer, node: Node) -> bool:
    """What ``mem_row_major`` or ``mem_col_major`` says."""
    value = known(evaluate(k, node))
    if value is None:
        raise k.refuse(
            node, "the layout must be known when the kernel is compiled", "`wmma::mem_row_major`"
        )
    return bool(value)
