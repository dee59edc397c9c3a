"""``memcpy`` between a thread's own variables: the bits stay, whatever the types on both sides.

The same holds for copies of structures that are aligned more widely than their numbers, which
memory sees in words. A variable is in registers or in local memory, whose numbers are kept one by
one. So what is copied is taken apart into numbers, and these are rebuilt from their bits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gpuedu.simt.cuda_c.access import read, write
from gpuedu.simt.cuda_c.conversions import convert
from gpuedu.simt.cuda_c.copies import element_of, has_array, member_of, word_of
from gpuedu.simt.cuda_c.dispatch import BUILDERS, evaluate, place_of
from gpuedu.simt.cuda_c.folding import cast, folded
from gpuedu.simt.cuda_c.lowerer import NOTHING, Lowerer, Typed, known, member
from gpuedu.simt.cuda_c.nodes import Node
from gpuedu.simt.cuda_c.operators import moved
from gpuedu.simt.cuda_c.places import (
    Element,
    Member,
    PlaceOf,
    Row,
    Temporary,
    dereference,
    is_const_place,
)
from gpuedu.simt.cuda_c.syntax import addressed, short, uncast
from gpuedu.simt.cuda_c.types import (
    VOID,
    ArrayOf,
    CType,
    Number,
    Pointer,
    Struct,
    dtype_of,
    size_of,
)
from gpuedu.simt.cuda_c.views import address
from gpuedu.simt.program import Binary, Call, Const, Expression
from gpuedu.simt.values import Scalar, Tuple
from gpuedu.trace import Space

_MOST_BYTES = 512
"""More than this is no copy of a variable, but of an array, and belongs into a loop."""

_AS_BITS = {
    "float16": "cuda.half_as_short",
    "float32": "cuda.libdevice.float_as_int",
    "float64": "cuda.libdevice.double_as_longlong",
}
_FROM_BITS = {
    "float16": "cuda.short_as_half",
    "float32": "cuda.libdevice.int_as_float",
    "float64": "cuda.libdevice.longlong_as_double",
}


@dataclass(frozen=True, eq=False)
class _Piece:
    """A number that is copied, by its first byte in the source."""

    at: int
    number: Typed

    @property
    def size_bytes(self) -> int:
        return size_of(self.number.type)


def copy_memory(k: Lowerer, node: Node, given: Sequence[Node]) -> Typed:
    """``memcpy(&to, &from, sizeof(to))``."""
    if len(given) != 3:
        raise k.refuse(node, "`memcpy` takes two addresses and a number of bytes")
    size = known(evaluate(k, given[2]))
    if size is None or not 0 <= size <= _MOST_BYTES:
        raise k.refuse(
            node,
            f"`memcpy` needs a size here that is known when it is compiled, up to {_MOST_BYTES}",
            "a loop that copies element by element",
        )
    targets = _places(k, given[0], int(size))
    pieces = [
        piece
        for at, place in _places(k, given[1], int(size))
        for piece in _taken(k, given[1], place, at, int(size))
    ]
    for at, place in targets:
        _put(k, given[0], place, at, int(size), pieces)
    return Typed(VOID, NOTHING)


@BUILDERS.enter("words")
def copy_in_words(k: Lowerer, node: Node, target: PlaceOf, source: PlaceOf) -> None:
    """``a = b`` of structures with arrays, at least one of them in global or shared memory."""
    if is_const_place(target):
        raise k.refuse(node, f"`{short(node)}`: what is `const` cannot be written")
    size = size_of(source.type)
    pieces = [
        piece for at, place in _words(k, node, source) for piece in _taken(k, node, place, at, size)
    ]
    for at, place in _words(k, node, target):
        _put(k, node, place, at, size, pieces)


def _words(k: Lowerer, node: Node, place: PlaceOf) -> list[tuple[int, PlaceOf]]:
    """Words in memory; a thread's own object as it is."""
    base = place
    while isinstance(base, Member):
        base = base.base
    assert isinstance(base, Element) and isinstance(place.type, Struct)
    if base.slot.type.space is Space.LOCAL:
        return [(0, place)]
    word = word_of(place.type)
    assert word is not None
    first, step = convert(k, node, address(k, node, place), Pointer(word)), size_of(word)
    return [
        (at, dereference(k, node, moved(first, Const(np.int64(at // step)))))
        for at in range(0, size_of(place.type), step)
    ]


def _places(k: Lowerer, node: Node, size: int) -> list[tuple[int, PlaceOf]]:
    """The places that lie behind an address one after the other, by their first bytes."""
    inner = addressed(node)
    place = None if inner is None else place_of(k, inner)
    if place is not None and size <= size_of(place.type):
        return [(0, _own(k, node, place))]
    pointer = evaluate(k, uncast(node)) if place is None else address(k, node, place)
    if not isinstance(pointer.type, Pointer) or pointer.type.target == VOID:
        raise k.refuse(
            node, f"`{short(node)}`: `memcpy` needs to know the type that an address points to"
        )
    step = size_of(pointer.type.target)
    return [
        (
            at * step,
            _own(k, node, dereference(k, node, moved(pointer, Const(np.int64(at))))),
        )
        for at in range(-(-size // step))
    ]


def _own(k: Lowerer, node: Node, place: PlaceOf) -> PlaceOf:
    """The place, which must be the thread's own."""
    base = place
    while isinstance(base, Member):
        base = base.base
    if isinstance(base, Temporary):
        raise k.refuse(node, f"`{short(node)}` has no address")
    if isinstance(base, Element | Row) and base.slot.type.space is not Space.LOCAL:
        raise k.refuse(
            node,
            "`memcpy` of shared or global memory is not covered: the number of accesses "
            "depends on what the compiler knows about the address",
            "assign the elements, or one `int4` for sixteen bytes",
        )
    return place


def _taken(k: Lowerer, node: Node, place: PlaceOf, at: int, end: int) -> list[_Piece]:
    """The numbers at a place that begin before ``end``."""
    inner = _inside(k, place)
    if inner is not None:
        return [
            piece
            for offset, part in inner
            if at + offset < end
            for piece in _taken(k, node, part, at + offset, end)
        ]
    typed = read(k, node, place)
    return _apart(k, node, Typed(typed.type, k.builder.hold(typed.value)), at)


def _inside(k: Lowerer, place: PlaceOf) -> list[tuple[int, PlaceOf]] | None:
    """The parts of what cannot be read as a whole; None of a number or a plain structure."""
    type_ = place.type
    if isinstance(place, Row):
        assert isinstance(type_, ArrayOf)
        step = size_of(type_.element)
        return [(at * step, element_of(place, at)) for at in range(type_.length or 0)]
    if isinstance(type_, Struct) and has_array(type_):
        return [
            (offset, member_of(k, place, name, inner)) for offset, name, inner in _fields(type_)
        ]
    return None


def _fields(type_: Struct) -> list[tuple[int, str, CType]]:
    layout = dtype_of(type_).fields or {}
    return [(layout[name][1], name, inner) for name, inner in type_.fields]


def _apart(k: Lowerer, node: Node, typed: Typed, at: int) -> list[_Piece]:
    if isinstance(typed.type, Number):
        return [_Piece(at, typed)]
    if not isinstance(typed.type, Struct):
        raise k.refuse(node, f"the bytes of a `{typed.type}` are not covered")
    return [
        piece
        for offset, name, _ in _fields(typed.type)
        for piece in _apart(k, node, member(typed, name), at + offset)
    ]


def _put(
    k: Lowerer, node: Node, place: PlaceOf, at: int, end: int, pieces: Sequence[_Piece]
) -> None:
    """Set a place from its byte ``at`` of the copied ones on, up to ``end``."""
    type_ = place.type
    inner = _inside(k, place)
    if inner is None and at + size_of(type_) > end and isinstance(type_, Struct):
        inner = [(offset, Member(place, name, kind)) for offset, name, kind in _fields(type_)]  # type: ignore[arg-type]
    if inner is not None:
        for offset, part in inner:
            if at + offset < end:
                _put(k, node, part, at + offset, end, pieces)
        return
    if at + size_of(type_) > end:
        raise k.refuse(node, f"`memcpy` of {end} bytes ends inside a `{type_}`: not covered")
    write(k, node, place, _together(k, node, type_, at, pieces))


def _together(k: Lowerer, node: Node, type_: CType, at: int, pieces: Sequence[_Piece]) -> Typed:
    if isinstance(type_, Number):
        return Typed(type_, Scalar(_number(k, node, type_, at, pieces)))
    if not isinstance(type_, Struct):
        raise k.refuse(node, f"the bytes of a `{type_}` are not covered")
    items = [
        _together(k, node, inner, at + offset, pieces).value for offset, _, inner in _fields(type_)
    ]
    return Typed(type_, Tuple(tuple(items), tuple(name for name, _ in type_.fields)))


def _number(k: Lowerer, node: Node, type_: Number, at: int, pieces: Sequence[_Piece]) -> Expression:
    """A number from the bytes ``at`` and after it."""
    size = type_.dtype.itemsize
    touched = [piece for piece in pieces if at - piece.size_bytes < piece.at < at + size]
    if touched and touched[0].number.type == type_ and touched[0].at == at:
        return touched[0].number.expression
    covered = sum(min(p.at + p.size_bytes, at + size) - max(p.at, at) for p in touched)
    if covered != size:
        raise k.refuse(node, f"`memcpy`: a `{type_}` would get bytes that lie between members")
    wide = np.dtype(np.uint64 if any(p.size_bytes > 4 for p in touched) or size > 4 else np.uint32)
    found: Expression | None = None
    for piece in touched:
        bits = cast(_as_bits(piece.number), wide)
        if piece.at < at:
            bits = folded(Binary(">>", bits, Const(wide.type(8 * (at - piece.at))), wide))
        elif piece.at > at:
            bits = folded(Binary("<<", bits, Const(wide.type(8 * (piece.at - at))), wide))
        found = bits if found is None else folded(Binary("|", found, bits, wide))
    assert found is not None
    return _from_bits(found, type_.dtype)


def _as_bits(number: Typed) -> Expression:
    assert isinstance(number.type, Number)
    dtype, value = number.type.dtype, number.expression
    whole = np.dtype(f"u{dtype.itemsize}")
    if dtype.name in _AS_BITS:
        value = Call(_AS_BITS[dtype.name], (value,), np.dtype(f"i{dtype.itemsize}"))
    return cast(value, whole)


def _from_bits(bits: Expression, dtype: np.dtype) -> Expression:
    if dtype.kind == "b":
        return cast(cast(bits, np.dtype(np.uint8)), dtype)
    if dtype.name in _FROM_BITS:
        whole = cast(cast(bits, np.dtype(f"u{dtype.itemsize}")), np.dtype(f"i{dtype.itemsize}"))
        return Call(_FROM_BITS[dtype.name], (whole,), dtype)
    return cast(bits, dtype)
