"""Control flow as Python text: masks split and merge."""

from __future__ import annotations

from typing import Any

from gpuedu.simt.machine.codegen.expressions import text_of
from gpuedu.simt.machine.codegen.leaving import continues, may_leave, returns
from gpuedu.simt.machine.codegen.thinned import Thinned
from gpuedu.simt.machine.codegen.writer import OpenLoop, Writer, slot_name
from gpuedu.simt.machine.endless import is_stuck
from gpuedu.simt.program import ArraySlot, If, Loop, Move, Return, Statement


def write_if(w: Writer, s: If, m: str) -> None:
    """``if``: both sides under their masks, then the joins."""
    then, orelse = w.name("m"), w.name("m")
    condition = text_of(w, s.condition)
    if w.traced and s.branch is not None:
        w.put(f"{then}, {orelse} = M.branch({s.branch}, {m}, {condition})")
    else:
        w.put(f"{then}, {orelse} = narrow({m}, {condition})")
    leaves = may_leave(s)
    kept = (w.name("m"), w.name("m")) if leaves else (then, orelse)
    if leaves:
        w.put(f"{kept[0]}, {kept[1]} = {then}, {orelse}")
    for block, mask in ((s.then, then), (s.orelse, orelse)):
        if block:
            place, region = w.place, w.region
            w.put(f"if {mask} is not False:")
            w.depth += 1
            w.block(w, block, mask)
            w.depth -= 1
            w.place, w.region = place, region
    _joins(w, s, then, orelse)
    if leaves:
        unchanged = f"{then} is {kept[0]} and {orelse} is {kept[1]}"
        w.put(f"if not ({unchanged}): {m} = union({then}, {orelse})")


def _joins(w: Writer, s: If, then: str, orelse: str) -> None:
    """Each thread's value from the side it came by; a side that all left has none."""
    for slot, first, second in s.joins:
        target = slot_name(slot)
        if isinstance(slot, ArraySlot):
            one, other = slot_name(first), slot_name(second)
            w.optional |= {one, other}
            w.put(f"{target} = M.choose({then}, {orelse}, {one}, {other}, {w.constant(w.place)})")
            continue
        one, other = text_of(w, first), text_of(w, second)
        w.put(f"if {then} is False: {target} = None if {orelse} is False else {other}")
        w.put(f"elif {orelse} is False: {target} = {one}")
        w.put(f"else: {target} = np.where({then}, {one}, {other})")


def write_moves(
    w: Writer, moves: list[Move], m: str, everybody: str | None, thinned: Thinned | None = None
) -> None:
    """Parallel assignment, for all threads if ``m`` is ``everybody``, else for those in ``m``."""
    given = [(slot, value) for slot, value in moves if value is not None]
    if not given:
        return
    targets = [slot_name(slot) for slot, _ in given]
    values = [slot_name(v) if isinstance(v, ArraySlot) else text_of(w, v) for _, v in given]
    pairs = [
        (target, value) for target, value in zip(targets, values, strict=True) if target != value
    ]
    if not pairs:
        return
    plain = ", ".join(t for t, _ in pairs) + " = " + ", ".join(v for _, v in pairs)
    merged = (
        ", ".join(t for t, _ in pairs)
        + " = "
        + ", ".join(
            f"M.choose({m}, True, {v}, {t}, {w.constant(w.place)})"
            if _is_view(given, t)
            else f"merge({m}, {v}, {t})"
            for t, v in pairs
        )
    )
    if everybody is None:
        w.put(merged)
        return
    w.put(f"if {m} is {everybody}: {plain}")
    if thinned is not None and (others_left := thinned.assignment(m, pairs)):
        w.put(others_left)
    w.put(f"else: {merged}")


def _is_view(given: list[tuple[Any, Any]], target: str) -> bool:
    return any(isinstance(slot, ArraySlot) and slot_name(slot) == target for slot, _ in given)


def write_loop(w: Writer, s: Loop, m: str) -> None:
    """A loop: its head decides which threads go on, its end carries values over."""
    lanes, entry, inside = w.name("m"), w.name("m"), w.name("m")
    for slot, value in s.entry:
        if value is None:
            w.put(f"{slot_name(slot)} = None")
        else:
            made = slot_name(value) if isinstance(value, ArraySlot) else text_of(w, value)
            w.put(f"{slot_name(slot)} = {made}")
    w.put(f"{lanes} = {entry} = {m}")
    steps = _span(w, s)
    thinned = Thinned(w, s, lanes)
    if is_stuck(s):
        w.put(f"M.enter_stuck({w.constant(s)})")
    w.put("while True:")
    w.depth += 1
    place, region = w.place, w.region
    w.loops.append(OpenLoop(lanes, entry))
    write_moves(w, s.leave, lanes, None)
    w.put(f"if {lanes} is False: break")
    thinned.write_head(steps)
    _advance(w, s, steps, lanes, inside)
    thinned.write_save()
    w.put(f"if {lanes} is False: break")
    w.put(f"{inside} = {lanes}")
    w.block(w, s.body, inside)
    if not any(map(continues, s.body)) and any(map(may_leave, s.body)):
        w.put(f"{inside} = same_as({inside}, {lanes})")
    thinned.write_save(after_body=True)
    if s.again:
        w.put(f"if {inside} is not False:")
        w.depth += 1
        write_moves(w, s.again, inside, entry, thinned)
        w.put("pass")
        w.depth -= 1
    w.loops.pop()
    w.depth -= 1
    w.place, w.region = place, region
    thinned.write_end()
    if any(map(returns, [*s.body, *s.test])):
        w.put(f"{m} = {entry}")


def _span(w: Writer, s: Loop) -> str:
    if s.span is None:
        return ""
    steps = w.name("s")
    _, start, stop, step = s.span
    w.put(f"{steps} = M.span({text_of(w, start)}, {text_of(w, stop)}, {text_of(w, step)})")
    return steps


def _advance(w: Writer, s: Loop, steps: str, lanes: str, inside: str) -> None:
    """The head of a loop: who goes on, and the next index."""
    site = -1 if s.branch is None else s.branch
    w.put(f"M.tick({w.constant(s)}, {lanes})")
    if s.span is not None:
        w.put(f"{lanes}, {slot_name(s.span[0])} = {steps}.step(M, {site}, {lanes})")
    else:
        assert s.condition is not None
        w.put(f"{inside} = {lanes}")
        w.block(w, s.test, inside)
        if w.traced and s.branch is not None:
            w.put(f"{lanes}, _ = M.branch({site}, {lanes}, {text_of(w, s.condition)})")
        else:
            w.put(f"{lanes}, _ = narrow({lanes}, {text_of(w, s.condition)})")


def write_return(w: Writer, moves: list[Move], m: str) -> None:
    """``return``: the threads leave every loop of the function."""
    write_moves(w, moves, m, None)
    for loop in w.loops:
        smaller = w.name("m")
        w.put(f"{smaller} = without({loop.entry}, {m})")
        w.put(
            f"{loop.lanes} = {smaller} if {loop.lanes} is {loop.entry} "
            f"else without({loop.lanes}, {m})"
        )
        w.put(f"{loop.entry} = {smaller}")
    if w.in_kernel:
        w.put(f"M.retire({m})")
    w.put(f"{m} = False")


def write_inline(w: Writer, body: list[Statement], m: str) -> None:
    """An inlined device function: its ``return`` ends it, not the kernel."""
    inner = w.name("m")
    for slot in _results(body):
        w.put(f"{slot} = None")
    w.put(f"{inner} = {m}")
    loops, in_kernel, place = w.loops, w.in_kernel, w.place
    w.loops, w.in_kernel = [], False
    w.block(w, body, inner)
    w.loops, w.in_kernel, w.place = loops, in_kernel, place


def _results(statements: list[Statement]) -> list[str]:
    """The result slots of an inlined function."""
    for statement in statements:
        match statement:
            case Return(moves):
                if moves:
                    return [slot_name(slot) for slot, _ in moves]
            case If(then=then, orelse=orelse):
                found = _results(then) or _results(orelse)
                if found:
                    return found
            case Loop(body=body):
                found = _results(body)
                if found:
                    return found
    return []
