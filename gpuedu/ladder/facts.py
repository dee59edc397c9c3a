"""What the real compiler makes of every rung, kept in ``facts.toml`` for machines without it.

``python -m gpuedu.ladder.facts`` rewrites it; a test recomputes it.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import cache
from importlib import resources
from pathlib import Path

from gpuedu.compilers import CompiledFacts
from gpuedu.errors import CatalogError
from gpuedu.ladder.rung import Rung
from gpuedu.ladder.rungs import rungs
from gpuedu.syllabus import unknown

SIZE = 4096
"""M, N and K for which the kernels are compiled: whole tiles of every rung."""

DEVICES = ((7, 5), (9, 0))
"""Compute capabilities: of a T4, which hosted notebooks lend, and of an H100 or H200."""

_HEAD = """\
# What NVIDIA's compilers make of each rung for a product of 4096 x 4096 x 4096, by compute
# capability. Written by `python -m gpuedu.ladder.facts`; a test recomputes it. Registers, spills
# and bytes are of the machine code; instructions are counted in the PTX that it is made from, each
# once, however often it runs.

"""


@dataclass(frozen=True)
class RungFacts:
    """What one rung became for one compute capability.

    ``registers``, ``spilled_bytes`` (stores and loads) and ``stack_bytes`` are a thread's,
    ``shared_bytes`` a block's. Instructions are counted in the PTX, each once, however often it
    runs: all of them, ``fma`` in float32, loads from global and from shared memory, and how many of
    those move 16 bytes.
    """

    registers: int
    spilled_bytes: int
    stack_bytes: int
    shared_bytes: int
    instructions: int
    fma: int
    global_loads: int
    wide_global_loads: int
    shared_loads: int
    wide_shared_loads: int


def pinned_facts(rung: str, compute_capability: tuple[int, int] = (9, 0)) -> RungFacts:
    """The facts of a rung from the table.

    Raises:
        UnknownNameError: The table has no such rung or no such compute capability.

    >>> pinned_facts("c-warp-tile").spilled_bytes
    0
    """
    table = _table()
    capability = ".".join(map(str, compute_capability))
    if capability not in table:
        raise unknown("compute capability of the table", capability, table)
    if rung not in table[capability]:
        raise unknown("rung", rung, table[capability])
    return table[capability][rung]


def recompute(own: Rung, compute_capability: tuple[int, int] = (9, 0)) -> RungFacts:
    """The facts of a rung from the compiler.

    Raises:
        CompilerMissingError: A part of the compiler is not installed.
    """
    return shortened(own.compiled(SIZE, SIZE, SIZE, compute_capability))


def shortened(facts: CompiledFacts) -> RungFacts:
    """What the table keeps from a kernel's facts."""
    # Loads of which the compiler does not know the memory go to arrays of any layout: global ones.
    unnamed = sum(n for op, n in facts.instructions.items() if op.startswith("ld.v"))
    return RungFacts(
        registers=facts.registers,
        spilled_bytes=facts.spill_stores_bytes + facts.spill_loads_bytes,
        stack_bytes=facts.stack_bytes,
        shared_bytes=facts.shared_bytes,
        instructions=sum(facts.instructions.values()),
        fma=facts.count("fma.f32"),
        global_loads=facts.count("ld.global") + unnamed,
        wide_global_loads=facts.count("ld.global.v4"),
        shared_loads=facts.count("ld.shared"),
        wide_shared_loads=facts.count("ld.shared.v4"),
    )


@cache
def _table() -> dict[str, dict[str, RungFacts]]:
    text = resources.files("gpuedu.ladder").joinpath("facts.toml").read_text("utf-8")
    return parse(text)


def parse(text: str) -> dict[str, dict[str, RungFacts]]:
    """By compute capability and rung; CatalogError for anything but a table of facts."""
    try:
        return {
            capability: {name: RungFacts(**row) for name, row in rows.items()}
            for capability, rows in tomllib.loads(text).items()
        }
    except (tomllib.TOMLDecodeError, TypeError, AttributeError) as fault:
        raise CatalogError(f"facts.toml: {fault}") from fault


def table_text() -> str:
    """The table as it should be, from the compiler."""
    return _HEAD + "\n".join(_lines())


def _lines() -> Iterator[str]:
    for capability in DEVICES:
        for own in rungs():
            major, minor = capability
            yield f'["{major}.{minor}".{own.name}]'
            row = asdict(recompute(own, capability))
            yield from (f"{name} = {value}" for name, value in row.items())
            yield ""


if __name__ == "__main__":
    path = Path(__file__).with_name("facts.toml")
    path.write_text(table_text(), "utf-8")
    print(f"wrote {path.name}")
