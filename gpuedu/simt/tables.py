"""The tables of a program under construction: accesses, conditions, barriers, arrays."""

from __future__ import annotations

from dataclasses import dataclass, field

from gpuedu.simt.program import (
    ArraySlot,
    BarrierPoint,
    Branch,
    ConstantArray,
    LocalArray,
    SharedArray,
    Site,
)
from gpuedu.simt.values import Value, numba_name
from gpuedu.trace import Finding, Source


@dataclass
class Tables:
    """Everything that a program lists besides its statements.

    A loop's body may be lowered several times until its types settle: ``mark`` and ``rewind`` take
    back what a discarded attempt added.
    """

    sites: list[Site] = field(default_factory=list)
    branches: list[Branch] = field(default_factory=list)
    barriers: list[BarrierPoint] = field(default_factory=list)
    shared: list[SharedArray] = field(default_factory=list)
    local: list[LocalArray] = field(default_factory=list)
    constants: list[ConstantArray] = field(default_factory=list)
    sources: list[Source] = field(default_factory=list)
    variables: list[tuple[str, str]] = field(default_factory=list)
    fences: list[str] = field(default_factory=list)
    notes: list[Finding] = field(default_factory=list)

    def add(self, table: str, entry: object) -> int:
        """Append to the table of that name; the entry's index."""
        entries = getattr(self, table)
        entries.append(entry)
        return len(entries) - 1

    @property
    def arrays(self) -> list[ArraySlot]:
        """The arrays that the program contains."""
        return [one.slot for one in (*self.shared, *self.local, *self.constants)]

    def note_variable(self, name: str, value: Value) -> None:
        """A source variable takes this type here."""
        type_name = numba_name(value)
        if type_name is not None:
            self.variables.append((name, type_name))

    def mark(self) -> dict[str, int]:
        """The tables' lengths now."""
        return {name: len(entries) for name, entries in vars(self).items()}

    def rewind(self, mark: dict[str, int]) -> None:
        """Forget what was added since ``mark``."""
        for name, length in mark.items():
            del getattr(self, name)[length:]
