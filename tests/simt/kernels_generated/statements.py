"""Statements with nested, divergent control flow, over variables that a scope knows."""

from __future__ import annotations

from dataclasses import dataclass, field

from tests.simt.kernels_generated.choices import Choices, chance, pick
from tests.simt.kernels_generated.expressions import (
    LOCAL,
    Scope,
    condition,
    index,
    real,
    signed,
    whole,
)

INDENT = "    "


@dataclass
class Writer:
    """Lines of a function body, and the names that are free for the next loop.

    ``outputs`` are statements' templates that store a value of the thread's own; ``atomics`` are
    integer arrays that any thread may update atomically.
    """

    choices: Choices
    scope: Scope
    outputs: tuple[tuple[str, str], ...] = ()
    atomics: tuple[str, ...] = ()
    may_return: bool = False
    lines: list[str] = field(default_factory=list)
    depth: int = 1
    loops: int = 0

    def add(self, text: str) -> None:
        self.lines.append(INDENT * self.depth + text)

    def fresh(self, prefix: str) -> str:
        self.loops += 1
        return f"{prefix}{self.loops}"


def body(w: Writer, count: int, *, in_loop: bool = False) -> None:
    """Between one and ``count`` statements."""
    for _ in range(w.choices.number(1, count)):
        statement(w, in_loop=in_loop)


def statement(w: Writer, *, in_loop: bool) -> None:
    """One statement; nested ones only so deep."""
    simple = (_assign, _assign, _augment, _swap, _store, _atomic, _local, _chain)
    nested = (_branch, _branch, _for, _while, _walk, _match)
    if in_loop and chance(w.choices, 8):
        _leave(w)
    elif w.may_return and chance(w.choices, 14):
        _return(w)
    else:
        make = pick(w.choices, simple if w.depth > 3 else (*simple, *nested))
        make(w, in_loop) if make in (_branch, _match) else make(w)


def _assign(w: Writer) -> None:
    c, s = w.choices, w.scope
    kind = c.number(0, 4)
    if kind <= 1 and s.ints:
        w.add(f"{pick(c, _own(s.ints))} = {whole(c, s, 2)}")
    elif kind <= 3 and s.floats:
        w.add(f"{pick(c, _own(s.floats))} = {real(c, s, 2)}")
    elif s.bools:
        w.add(f"{pick(c, s.bools)} = bool({condition(c, s, 2)})")


def _own(names: list[str]) -> list[str]:
    """Variables that may be assigned: loop counters and indices are not among them."""
    return [n for n in names if n[0] in "uvfg"]


def _augment(w: Writer) -> None:
    c, s = w.choices, w.scope
    if chance(c, 2):
        w.add(f"{pick(c, _own(s.floats))} {pick(c, ('+=', '-=', '*='))} {real(c, s, 2)}")
        return
    target = pick(c, _own(s.ints))
    kind = c.number(0, 3)
    if kind == 0:
        w.add(f"{target} {pick(c, ('//=', '%='))} {pick(c, ('3', '5', '-2'))}")
    elif kind == 1:
        w.add(f"{target} {pick(c, ('<<=', '>>='))} {c.number(0, 4)}")
    else:
        w.add(f"{target} {pick(c, ('+=', '-=', '*=', '&=', '|=', '^='))} {whole(c, s, 2)}")


def _swap(w: Writer) -> None:
    c, s = w.choices, w.scope
    one, two = pick(c, _own(s.ints)), pick(c, _own(s.floats))
    if chance(c, 2):
        w.add(f"{one}, {two} = {whole(c, s, 1)}, {real(c, s, 1)}")
    elif len(_own(s.floats)) > 1:
        a, b = _own(s.floats)[:2]
        w.add(f"{a}, {b} = {b}, {a} + {real(c, s, 1)}")


def _chain(w: Writer) -> None:
    c, s = w.choices, w.scope
    if s.pair_functions and chance(c, 2):
        call = f"{pick(c, s.pair_functions)}({whole(c, s, 1)}, {real(c, s, 1)})"
        w.add(f"{pick(c, _own(s.ints))}, {pick(c, _own(s.floats))} = {call}")
    elif len(_own(s.ints)) > 1:
        one, two = _own(s.ints)[:2]
        w.add(f"{one} = {two} = {whole(c, s, 2)}")


def _store(w: Writer) -> None:
    if w.outputs:
        target, kind = pick(w.choices, w.outputs)
        value = whole if kind == "int" else real
        w.add(f"{target} {pick(w.choices, ('=', '='))} {value(w.choices, w.scope, 2)}")


def _atomic(w: Writer) -> None:
    c = w.choices
    if w.atomics:
        array = pick(c, w.atomics)
        name = {"sums": "add", "tops": "max", "lows": "min", "bits": "xor"}[array]
        w.add(f"cuda.atomic.{name}({array}, {index(c, w.scope, 1, 8)}, {signed(c, w.scope, 1)})")


def _local(w: Writer) -> None:
    c, s = w.choices, w.scope
    if s.local_floats:
        operator = pick(c, ("=", "+=", "*="))
        w.add(f"{s.local_floats[0]}[{index(c, s, 1, LOCAL)}] {operator} {real(c, s, 1)}")
    elif s.local_ints:
        w.add(f"{s.local_ints[0]}[{index(c, s, 1, LOCAL)}] = {whole(c, s, 1)}")


def _branch(w: Writer, in_loop: bool) -> None:
    c = w.choices
    w.add(f"if {condition(c, w.scope, 2)}:")
    _inside(w, 2, in_loop=in_loop)
    for _ in range(c.number(0, 2) if chance(c, 3) else 0):
        w.add(f"elif {condition(c, w.scope, 1)}:")
        _inside(w, 2, in_loop=in_loop)
    if chance(c, 2):
        w.add("else:")
        _inside(w, 2, in_loop=in_loop)


def _for(w: Writer) -> None:
    c, s = w.choices, w.scope
    name = w.fresh("k")
    w.add(f"for {name} in range({_bounds(c, s)}):")
    s.ints.append(name)
    _inside(w, 3, in_loop=True)
    s.ints.remove(name)
    if chance(c, 4):
        w.add("else:")
        _inside(w, 1, in_loop=False)


def _walk(w: Writer) -> None:
    """A loop over a tuple, an array, or an array with a count."""
    c, s = w.choices, w.scope
    name, item = w.fresh("k"), w.fresh("y")
    kind = c.number(0, 3)
    arrays = s.int_arrays or [""]
    if kind == 0 or not s.int_arrays:
        w.add(f"for {name} in ({signed(c, s, 1)}, {signed(c, s, 1)}, int64(2)):")
        names = [name]
    elif kind == 1:
        w.add(f"for {name} in {pick(c, arrays)}:")
        names = [name]
    elif kind == 2:
        w.add(f"for {name}, {item} in enumerate({pick(c, arrays)}):")
        names = [name, item]
    else:
        w.add(f"for {name}, {item} in zip({pick(c, arrays)}, {pick(c, arrays)}):")
        names = [name, item]
    s.ints.extend(names)
    _inside(w, 1, in_loop=True)
    for n in names:
        s.ints.remove(n)


def _match(w: Writer, in_loop: bool) -> None:
    c, s = w.choices, w.scope
    w.add(f"match {signed(c, s, 1)} % 4:")
    w.depth += 1
    for pattern in ("0", "1 | 2", "_")[c.number(0, 1) :]:
        w.add(f"case {pattern}:")
        _inside(w, 1, in_loop=in_loop)
    w.depth -= 1


def _bounds(c: Choices, s: Scope) -> str:
    kind = c.number(0, 4)
    if kind <= 1:
        return f"{signed(c, s, 1)} % 4"
    if kind == 2:
        return f"{c.number(-2, 2)}, {signed(c, s, 1)} % 5"
    if kind == 3:
        return f"{signed(c, s, 1)} % 6, {c.number(-2, 2)}, {pick(c, ('-1', '-2'))}"
    return f"0, {c.number(1, 7)}, {pick(c, ('1', '2', '3'))}"


def _while(w: Writer) -> None:
    c, s = w.choices, w.scope
    name = w.fresh("w")
    w.add(f"{name} = {signed(c, s, 1)} % 5")
    more = f" and {condition(c, s, 1)}" if chance(c, 2) else ""
    w.add(f"while {name} > 0{more}:")
    w.depth += 1
    w.add(f"{name} -= 1")
    w.depth -= 1
    _inside(w, 2, in_loop=True)
    if chance(c, 5):
        w.add("else:")
        _inside(w, 1, in_loop=False)


def _leave(w: Writer) -> None:
    w.add(f"if {condition(w.choices, w.scope, 1)}:")
    w.depth += 1
    w.add(pick(w.choices, ("break", "continue")))
    w.depth -= 1


def _return(w: Writer) -> None:
    w.add(f"if {condition(w.choices, w.scope, 1)}:")
    w.depth += 1
    w.add("return")
    w.depth -= 1


def _inside(w: Writer, count: int, *, in_loop: bool) -> None:
    w.depth += 1
    before = len(w.lines)
    body(w, count, in_loop=in_loop)
    if len(w.lines) == before:
        w.add("pass")
    w.depth -= 1
