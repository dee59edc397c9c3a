"""Statements of a program as Python text, and the whole function."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from gpuedu.simt.intrinsics.rounding import to_integer
from gpuedu.simt.machine import masks
from gpuedu.simt.machine.codegen.expressions import text_of
from gpuedu.simt.machine.codegen.fragments import write_fragments
from gpuedu.simt.machine.codegen.leaving import may_leave
from gpuedu.simt.machine.codegen.paths import (
    write_if,
    write_inline,
    write_loop,
    write_moves,
    write_return,
)
from gpuedu.simt.machine.codegen.writer import Compiled, Writer, slot_name
from gpuedu.simt.machine.records import record
from gpuedu.simt.machine.regions import Region
from gpuedu.simt.machine.thinning import Thinning
from gpuedu.simt.program import (
    ArraySlot,
    Atomic,
    Axis,
    Barrier,
    Break,
    Cast,
    Continue,
    Expression,
    Fence,
    Fill,
    FillFragment,
    If,
    Inline,
    Load,
    Loop,
    Mark,
    MoveFragment,
    MultiplyFragments,
    Print,
    Program,
    Raise,
    Random,
    Return,
    Retype,
    Set,
    SetArray,
    Statement,
    Store,
    Undefined,
    WarpOperation,
)
from gpuedu.trace import Space

_PARTING = If | Loop | Inline | Barrier
"""What ends a region: lanes may come out differently, or have waited for others."""


def generate(program: Program, *, traced: bool) -> Compiled:
    """Compile a program to a Python function over NumPy arrays."""
    writer = Writer(traced, _block)
    body = list(program.body)
    _block(writer, body, "m")
    head = ["def kernel(M, parameters):"]
    if writer.optional:
        head.append(f"    {' = '.join(sorted(writer.optional))} = None")
    names = [slot_name(slot) for slot in program.parameters]
    if names:
        head.append(f"    ({', '.join(names)},) = parameters")
    for table, entries in (
        ("shared", program.shared),
        ("local", program.local),
        ("fixed", program.constants),
    ):
        head += [f"    {slot_name(e.slot)} = M.{table}[{n}]" for n, e in enumerate(entries)]
    text = "\n".join([*head, "    m = M.everybody", *writer.lines, "    return\n"])
    scope: dict[str, Any] = {
        "np": np,
        "narrow": masks.narrow,
        "without": masks.without,
        "union": masks.union,
        "same_as": masks.same_as,
        "merge": masks.merge,
        "record": record,
        "Thinning": Thinning,
        "to_integer": to_integer,
        **writer.constants,
    }
    exec(compile(text, f"<machine code of {program.name}>", "exec"), scope)
    return Compiled(scope["kernel"], tuple(writer.regions), text)


def _block(w: Writer, statements: list[Statement], m: str) -> None:
    """Statements under mask ``m``; what follows one that may empty the mask is guarded."""
    _begin_region(w, m)
    outer = w.depth
    for number, statement in enumerate(statements):
        _statement(w, statement, m)
        if number + 1 < len(statements) and may_leave(statement):
            w.put(f"if {m} is not False:")
            w.depth += 1
        if number + 1 < len(statements) and isinstance(statement, _PARTING):
            _begin_region(w, m)
    w.put("pass")
    w.depth = outer


def _begin_region(w: Writer, m: str) -> None:
    if not w.traced:
        return
    w.region = Region(len(w.regions))
    w.regions.append(w.region)
    w.put(f"M.count({w.region.number}, {m})")


def _statement(w: Writer, s: Statement, m: str) -> None:
    match s:
        case Mark(place):
            w.place = place
            if w.region is not None:
                w.region.add_line(place)
        case Set(slot, value):
            w.put(f"{slot_name(slot)} = {text_of(w, value)}")
        case SetArray():
            _view(w, s)
        case Retype(slot, base, at, place):
            w.put(
                f"{slot_name(slot)} = M.retype({slot_name(base)}, {w.constant(slot.type.dtype)}, "
                f"{text_of(w, at)}, {w.constant(place)}, {m})"
            )
        case Load(slot, array, index, site):
            at = _index(w, _as_it_is(array, index))
            load = f"M.load{_own(array)}({site}, {slot_name(array)}, {at}, {m})"
            w.put(f"{slot_name(slot)} = {load}")
        case Store(array, index, value, site):
            at = _index(w, _as_it_is(array, index))
            given = f"{slot_name(array)}, {at}, {text_of(w, value)}, {m}"
            w.put(f"M.store{_own(array)}({site}, {given})")
        case Fill(array, value, site):
            w.put(f"M.fill({site}, {slot_name(array)}, {text_of(w, value)}, {m})")
        case Atomic():
            _atomic(w, s, m)
        case Barrier(kind, slot, predicate, site):
            given = "None" if predicate is None else text_of(w, predicate)
            target = f"{slot_name(slot)} = " if slot is not None else ""
            w.put(f"{target}M.barrier({site}, {kind!r}, {given}, {m})")
        case WarpOperation(kind, slots, arguments, place):
            given = "".join(f", {text_of(w, argument)}" for argument in arguments)
            target = "".join(f"{slot_name(slot)}, " for slot in slots)
            call = f"M.warp({kind!r}, {w.constant(place)}, {m}{given})"
            w.put(f"{target}= {call}" if target else call)
        case FillFragment() | MoveFragment() | MultiplyFragments():
            write_fragments(w, s, m)
        case Fence(scope, _):
            w.put(f"M.fence({scope!r}, {m})")
        case Random(slot, function, array, index, load, store):
            w.put(
                f"{slot_name(slot)} = M.random({function!r}, {load}, {store}, {slot_name(array)}, "
                f"{text_of(w, index)}, {m})"
            )
        case Print(items, form):
            w.put(f"M.print([{', '.join(_printed(w, item) for item in items)}], {form!r}, {m})")
        case Undefined(name, slot, place):
            target = f"{slot_name(slot)} = " if slot is not None else ""
            dtype = "None" if slot is None else w.constant(slot.dtype)
            w.put(f"{target}M.undefined({name!r}, {w.constant(place)}, {dtype}, {m})")
        case Raise():
            w.put(f"M.raises({w.constant(s)}, {m})")
        case If():
            write_if(w, s, m)
        case Loop():
            write_loop(w, s, m)
        case Break(moves):
            write_moves(w, moves, m, None)
            loop = w.loops[-1]
            w.put(f"{loop.lanes} = without({loop.lanes}, {m})")
            w.put(f"{m} = False")
        case Continue(moves):
            write_moves(w, moves, m, None)
            w.put(f"{m} = False")
        case Return(moves):
            write_return(w, moves, m)
        case Inline(body):
            write_inline(w, body, m)
        case _:
            raise TypeError(s)


def _printed(w: Writer, item: Any) -> str:
    """An item of ``print``: a text, a number, or a tuple of items."""
    if isinstance(item, tuple):
        return "(" + "".join(f"{_printed(w, part)}, " for part in item) + ")"
    return w.constant(item) if isinstance(item, str) else text_of(w, item)


def _own(array: ArraySlot) -> str:
    """The end of a method's name for an array that each thread has for itself."""
    return "_own" if array.type.space is Space.LOCAL else ""


_NARROWER = frozenset(np.dtype(f"{kind}{size}") for kind in "iu" for size in (1, 2, 4))


def _as_it_is(array: ArraySlot, index: Sequence[Expression]) -> Sequence[Expression]:
    """The index of a thread's own array without widening it: often all threads have the same."""
    if not _own(array) or len(index) != 1:
        return index
    (at,) = index
    if isinstance(at, Cast) and at.dtype == np.int64 and at.value.dtype in _NARROWER:
        return (at.value,)
    return index


def _index(w: Writer, index: Iterable[Expression]) -> str:
    return "(" + "".join(f"{text_of(w, part)}, " for part in index) + ")"


def _atomic(w: Writer, s: Atomic, m: str) -> None:
    target = f"{slot_name(s.slot)} = " if s.slot is not None else ""
    operands = "".join(f"{text_of(w, operand)}, " for operand in s.operands)
    wants = s.slot is not None
    w.put(
        f"{target}M.atomic({s.site}, {s.operation!r}, {slot_name(s.array)}, {_index(w, s.index)}, "
        f"({operands}), {wants}, {m})"
    )


def _view(w: Writer, s: SetArray) -> None:
    base = slot_name(s.base)
    if s.field == "T" and not s.parts:
        made = f"{base}.transposed()"
    elif s.field is not None:
        made = f"{base}.field({s.field!r})"
    elif s.shape is not None:
        made = f"{base}.reshaped({_index(w, s.shape)})"
    else:
        parts = "".join(f"{_part(w, part)}, " for part in s.parts)
        made = f"{base}.part(({parts}))"
    w.put(f"{slot_name(s.slot)} = {made}")


def _part(w: Writer, part: Expression | Axis) -> str:
    if isinstance(part, Axis):
        bounds = [
            "None" if bound is None else text_of(w, bound)
            for bound in (part.start, part.stop, part.step)
        ]
        return f"slice({', '.join(bounds)})"
    return text_of(w, part)
