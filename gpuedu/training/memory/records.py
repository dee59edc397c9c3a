"""Where the bytes of a training step are, as plain records: made once, read by every figure.

A trace is the same for a CPU and a GPU. Its blocks are storages, each counted once, however many
views of it there are. Time is in ticks: one for each storage that comes or goes.
"""

from __future__ import annotations

from dataclasses import dataclass, field

KINDS = (
    "weights",
    "buffers",
    "gradients",
    "optimizer",
    "batch",
    "activations",
    "other",
)
"""What a block can be: a parameter; a model's other state, such as running means; a gradient of a
parameter; an optimizer's state; what was loaded; what was saved for the backward pass; anything
else, such as gradients of activations, results that a variable holds, and intermediate steps."""


@dataclass(frozen=True)
class Block:
    """A storage: its kind, its size, and its life from tick ``born`` until before tick ``freed``.

    ``freed`` is None if it outlives the trace. ``layer`` is the layer in which it was saved, or
    else made, or the name of the parameter that it belongs to; empty outside the model. ``line`` is
    the line of code that saved it, as ``file:number``.
    """

    kind: str
    size_bytes: int
    born: int
    freed: int | None = None
    layer: str = ""
    line: str = ""


@dataclass(frozen=True)
class Mark:
    """A phase of a step, such as ``forward``, began at this tick."""

    tick: int
    phase: str


@dataclass(frozen=True)
class Reading:
    """What the device's allocator reported for everything live at this tick, in bytes."""

    tick: int
    live_bytes: int


@dataclass(frozen=True)
class MemoryTrace:
    """A part of a training run, as its memory saw it.

    Attributes:
        blocks: every storage that was counted, in the order of their birth.
        marks: the phases, in order.
        ticks: how many there were.
        device: such as ``"cpu"`` or ``"cuda:0"``.
        readings: on a GPU, the allocator's totals; empty if blocks are all that is known.
        highest_reading_bytes: on a GPU, the allocator's own peak, between the ticks too.
        workspace_bytes: on a GPU, what libraries kept for themselves; in no other number here.
        budget_bytes: the budget that was enforced, if there was one.
    """

    blocks: tuple[Block, ...]
    marks: tuple[Mark, ...]
    ticks: int
    device: str = "cpu"
    readings: tuple[Reading, ...] = ()
    highest_reading_bytes: int | None = None
    workspace_bytes: int = 0
    budget_bytes: int | None = None


@dataclass(frozen=True)
class MemoryPoint:
    """What was live at one tick, in bytes by kind; every kind of ``KINDS`` is there."""

    tick: int
    phase: str
    by_kind: dict[str, int] = field(hash=False)

    @property
    def live_bytes(self) -> int:
        """All kinds together."""
        return sum(self.by_kind.values())


@dataclass(frozen=True)
class LedgerRow:
    """Bytes of one kind in one layer; ``lines`` are those that saved or made them."""

    kind: str
    layer: str
    size_bytes: int
    blocks: int
    lines: tuple[str, ...] = ()


@dataclass(frozen=True)
class Ledger:
    """Who holds what at one moment: rows by kind, and by layer in order of appearance.

    ``source`` is ``"counted"`` if every byte is a block's, ``"allocator"`` if the total is what a
    GPU's allocator said, with what no block accounts for in a row of kind ``other``.
    """

    tick: int
    phase: str
    rows: tuple[LedgerRow, ...]
    device: str = "cpu"
    source: str = "counted"

    @property
    def total_bytes(self) -> int:
        """All rows together."""
        return sum(row.size_bytes for row in self.rows)

    def of_kind(self, kind: str) -> int:
        """Bytes of one kind.

        >>> rows = (LedgerRow("weights", "0", 8, 1), LedgerRow("activations", "0", 4, 1))
        >>> Ledger(0, "forward", rows).of_kind("weights")
        8
        """
        return sum(row.size_bytes for row in self.rows if row.kind == kind)
