"""Which loops go on without the warps that left them, and the code for that (see ``thinning``)."""

from __future__ import annotations

from collections.abc import Iterator

from gpuedu.simt.machine.codegen.leaving import returns
from gpuedu.simt.machine.codegen.writer import Writer, variable
from gpuedu.simt.machine.endless import waits
from gpuedu.simt.program import (
    ArraySlot,
    Atomic,
    Break,
    Const,
    Continue,
    If,
    Inline,
    Load,
    Loop,
    Mark,
    Random,
    Return,
    Set,
    SetArray,
    Slot,
    Statement,
    Store,
    Undefined,
    walk,
)
from gpuedu.simt.prune import joins_of, names_in, read_by
from gpuedu.trace import Space

_ALONE = (
    Mark | Set | SetArray | Load | Store | Atomic | Random | Undefined
    | If | Loop | Break | Continue | Inline | Return
)  # fmt: skip
"""What a thread does by itself: no barrier or warp operation, no fence, nothing that is printed."""


class Thinned:
    """The text of a loop around its iterations; nothing for a loop that keeps all warps."""

    def __init__(self, w: Writer, loop: Loop, lanes: str) -> None:
        self._w, self._lanes, self._name = w, lanes, ""
        if not may_thin(loop):
            return
        self._name = w.name("t")
        self._breaks = any(isinstance(s, Break) for s in walk(loop.body))
        carried = {slot.name for slot, _ in loop.entry}
        self._carried = _tuple(carried)
        self._given = _tuple(_read(loop) - _made(loop) - carried)
        w.put(f"{self._name} = Thinning(M, {lanes})")

    def write_head(self, span: str) -> None:
        """Before an iteration: go on with fewer warps if that pays."""
        if self._name:
            values = f"{self._given}, {self._carried}"
            self._w.put(f"if {self._name}.pays():")
            self._w.put(
                f"    M, {self._lanes}, {span or '_'}, {values} = "
                f"{self._name}.thin({span or None}, {values})"
            )

    def write_save(self, *, after_body: bool = False) -> None:
        """Threads may have left: keep what they have."""
        if self._name and (self._breaks or not after_body):
            left = f"{self._name}.saves and {self._lanes} is not {self._name}.lanes"
            self._w.put(f"if {left}: {self._name}.save({self._lanes}, {self._carried})")

    def assignment(self, inside: str, pairs: list[tuple[str, str]]) -> str:
        """The moves to the next iteration, if all threads still in the loop make them."""
        if not self._name:
            return ""
        targets = ", ".join(target for target, _ in pairs)
        values = ", ".join(f"{self._name}.wide({value})" for _, value in pairs)
        return f"elif {self._name}.saves and {inside} is {self._lanes}: {targets} = {values}"

    def write_end(self) -> None:
        """After the loop: all warps are back."""
        if self._name:
            made = f"M, {self._given}, {self._carried} = {self._name}.whole({self._given})"
            self._w.put(f"if {self._name}.parted: {made}")


def may_thin(loop: Loop) -> bool:
    """Whether a loop's threads may leave it one by one, and do not interact inside."""
    inside = [*loop.test, *loop.body]
    return (
        _may_part(loop)
        and not waits(loop)
        and not any(map(returns, inside))
        and not any(isinstance(slot, ArraySlot) for slot, _ in loop.entry)
        and all(map(_is_alone, walk(inside)))
    )


def _may_part(loop: Loop) -> bool:
    """False for a range that is the same for all, which nobody leaves early."""
    bounds = loop.span[1:] if loop.span else ()
    jumps = any(isinstance(statement, Break) for statement in walk(loop.body))
    return jumps or not bounds or not all(isinstance(bound, Const) for bound in bounds)


def _is_alone(statement: Statement) -> bool:
    """Whether a statement needs no other thread of its block, nor memory that only they share."""
    if isinstance(statement, Loop) and waits(statement):
        return False
    return isinstance(statement, _ALONE) and all(
        slot.type.space in (Space.GLOBAL, Space.CONSTANT) for slot in _arrays(statement)
    )


def _arrays(statement: Statement) -> Iterator[ArraySlot]:
    """The arrays that a statement reads, writes or makes views of."""
    match statement:
        case Load(array=array) | Store(array=array) | Atomic(array=array) | Random(array=array):
            yield array
        case SetArray(slot=slot, base=base):
            yield from (slot, base)


def _read(loop: Loop) -> set[str]:
    """The names that turns of a loop read."""
    found = names_in(loop.condition)
    for _, value in (*loop.again, *loop.leave):
        found |= names_in(value)
    for statement in walk([*loop.test, *loop.body]):
        for part in read_by(statement):
            found |= names_in(part)
        for _, sources in joins_of(statement):
            found |= names_in(sources)
    return found


def _made(loop: Loop) -> set[str]:
    """The names that each turn of a loop sets anew."""
    found = {loop.span[0].name} if loop.span else set()
    for statement in walk([*loop.test, *loop.body]):
        found |= {target.name for target, _ in joins_of(statement)}
        slot = getattr(statement, "slot", None)
        if isinstance(slot, Slot | ArraySlot):
            found.add(slot.name)
        if isinstance(statement, Loop) and statement.span:
            found.add(statement.span[0].name)
    return found


def _tuple(names: set[str]) -> str:
    return "(" + "".join(f"{variable(name)}, " for name in sorted(names)) + ")"
