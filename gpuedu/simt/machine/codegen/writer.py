"""The text of a program's function while it is written."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from gpuedu.simt.machine.regions import Region
from gpuedu.simt.program import ArraySlot, Slot, Statement
from gpuedu.trace import Place


@dataclass(frozen=True)
class Compiled:
    """A program's function ``(M, parameters) -> None`` and the regions that it counts."""

    function: Callable[[Any, list[Any]], None]
    regions: tuple[Region, ...]
    text: str


@dataclass
class OpenLoop:
    """A loop being written: the variables of the lanes in it, and of those that entered."""

    lanes: str
    entry: str


@dataclass
class Writer:
    """The text so far; ``traced`` adds the calls that count.

    ``block`` writes nested statements under a mask: control flow and statements need each other.
    """

    traced: bool
    block: Callable[[Writer, list[Statement], str], None]
    lines: list[str] = field(default_factory=list)
    constants: dict[str, Any] = field(default_factory=dict)
    regions: list[Region] = field(default_factory=list)
    loops: list[OpenLoop] = field(default_factory=list)
    optional: set[str] = field(default_factory=set)
    place: Place | None = None
    region: Region | None = None
    depth: int = 1
    count: int = 0
    in_kernel: bool = True

    def put(self, line: str) -> None:
        """Add a line."""
        self.lines.append("    " * self.depth + line)

    def name(self, prefix: str) -> str:
        """A new variable of the generated code."""
        self.count += 1
        return f"{prefix}{self.count}"

    def constant(self, value: Any) -> str:
        """The variable that holds an object passed in."""
        name = f"c{len(self.constants)}"
        self.constants[name] = value
        return name


def slot_name(slot: Slot | ArraySlot) -> str:
    """The variable of the generated code that holds a slot."""
    return variable(slot.name)


def variable(name: str) -> str:
    """The variable of the generated code that holds the slot of a name."""
    return "v_" + "".join(c if c.isalnum() or c == "_" else "q" for c in name)
