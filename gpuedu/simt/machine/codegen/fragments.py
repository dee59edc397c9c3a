"""Statements about warp matrices as Python text."""

from __future__ import annotations

from gpuedu.simt.intrinsics.matrices import LANES
from gpuedu.simt.machine.codegen.expressions import text_of
from gpuedu.simt.machine.codegen.writer import Writer, slot_name
from gpuedu.simt.program import FillFragment, MoveFragment, MultiplyFragments

TENSOR = "tensor "
"""What precedes the type in the account of tensor cores' operations."""


def write_fragments(w: Writer, s: FillFragment | MoveFragment | MultiplyFragments, m: str) -> None:
    """A fragment filled, moved or multiplied; the work of a product is entered by its lanes."""
    match s:
        case FillFragment(fragment, value):
            w.put(
                f"M.fill_fragment({w.constant(s)}, {slot_name(fragment.slot)}, "
                f"{text_of(w, value)}, {m})"
            )
        case MoveFragment(fragment=fragment, array=array, index=index, stride=stride):
            w.put(
                f"M.move_fragment({w.constant(s)}, {slot_name(fragment.slot)}, {slot_name(array)}, "
                f"{text_of(w, index)}, {text_of(w, stride)}, {m})"
            )
        case MultiplyFragments(result, left, right, start):
            views = ", ".join(slot_name(part.slot) for part in (result, left, right, start))
            w.put(f"M.multiply_fragments({w.constant(s)}, {views}, {m})")
            _work(w, s)


def _work(w: Writer, s: MultiplyFragments) -> None:
    rows, depth = s.left.shape
    each = 2 * rows * depth * s.right.shape[1] // LANES
    if w.region is not None and w.place is not None:
        w.region.add_flop(w.place, TENSOR + s.left.slot.type.dtype.name, each)
