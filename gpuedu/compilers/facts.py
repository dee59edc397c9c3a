"""The record of one compiled kernel."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class CompiledFacts:
    """What the compiler made of one kernel for one compute capability.

    Registers, stack, spills and memories are those of the machine code. Instructions are counted
    in the PTX that it was made from: each counts once, however often it runs; and the last stage
    may still drop, merge or reorder them.

    Args:
        kernel: the function's name, or the name expression that was asked for.
        compute_capability: (major, minor).
        registers: of a thread.
        stack_bytes: of a thread: local arrays that did not fit into registers.
        spill_stores_bytes: bytes that a thread stores to spill registers.
        spill_loads_bytes: bytes that it loads to fetch them back.
        shared_bytes: static shared memory of a block.
        constant_bytes: constant memory that the kernel declares: its constant arrays and, from
            Numba, the texts that it prints; not its arguments.
        barriers: hardware barriers of a block.
        instructions: how often each opcode occurs, such as ``{"fma.rn.f32": 4}``. Loads and stores
            name their width: ``ld.shared.v4.f32``, ``ld.global.v1.f32``. Without a space, as
            ``ld.v1.f32``, they find out at run time where an address leads: Numba leaves that open
            for arguments that are arrays of any layout, and they then go to global memory.
        by_line: the same for each line of the kernel's file, or of its source in CUDA C; empty
            without line information.
        ptx: the PTX text.
        compilers: version of each tool by name.
    """

    kernel: str
    compute_capability: tuple[int, int]
    registers: int
    stack_bytes: int
    spill_stores_bytes: int
    spill_loads_bytes: int
    shared_bytes: int
    constant_bytes: int
    barriers: int
    instructions: dict[str, int]
    by_line: dict[int, dict[str, int]]
    ptx: str
    compilers: dict[str, str]

    def count(self, opcode: str, line: int | None = None) -> int:
        """Instructions whose opcode starts like ``opcode`` and has all of its parts, in order.

        ``count("fma.f32")`` counts ``fma.rn.f32``, ``count("ld.global")`` loads of every width,
        ``count("ld.global.v4")`` those of four elements; ``line`` restricts it to one line.
        """
        counts = self.instructions if line is None else self.by_line.get(line, {})
        return sum(n for found, n in counts.items() if _is_kind(found, opcode))


def _is_kind(found: str, wanted: str) -> bool:
    """Whether an opcode is of a kind.

    >>> _is_kind("fma.rn.ftz.f32", "fma.f32"), _is_kind("cvt.f64.f32", "cvt.f32.f64")
    (True, False)
    """
    have, want = found.split("."), wanted.split(".")
    rest = iter(have)
    return have[0] == want[0] and all(part in rest for part in want)


def to_plain(facts: CompiledFacts) -> dict[str, Any]:
    """The record as a tree of dictionaries, tuples, texts and numbers."""
    return asdict(facts)


def from_plain(plain: Mapping[str, Any]) -> CompiledFacts:
    """The record from what ``to_plain`` returned, even after a round trip through JSON.

    Raises:
        KeyError, TypeError, ValueError, AttributeError: it is something else.
    """
    fields = dict(plain)
    major, minor = fields["compute_capability"]
    fields |= {
        "compute_capability": (int(major), int(minor)),
        "instructions": _counts(fields["instructions"]),
        "by_line": {int(line): _counts(counts) for line, counts in fields["by_line"].items()},
    }
    return CompiledFacts(**fields)


def _counts(counts: Mapping[str, int]) -> dict[str, int]:
    return {str(opcode): int(n) for opcode, n in counts.items()}
