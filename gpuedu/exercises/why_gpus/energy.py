"""Energy of one operation or one read on a chip, as published: data with its source.

The values are for a 45 nm process at about 0.9 V, from 2014. Chips made since need less for all of
them, arithmetic more so than memory; the order, and the distance to memory, remained.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Energy:
    """Energy in picojoules; ``most_pj`` where a range is published. ``is_read`` for memory."""

    name: str
    pj: float
    is_read: bool = False
    most_pj: float | None = None


@dataclass(frozen=True)
class Source:
    """The publication that has the values."""

    author: str
    title: str
    where: str
    url: str


SOURCE = Source(
    author="M. Horowitz",
    title="Computing's energy problem (and what we can do about it)",
    where="ISSCC 2014, pages 10-14",
    url="https://doi.org/10.1109/ISSCC.2014.6757323",
)

ENERGIES: tuple[Energy, ...] = (
    Energy("add, 32-bit integer", 0.1),
    Energy("add, 16-bit float", 0.4),
    Energy("add, 32-bit float", 0.9),
    Energy("multiply, 16-bit float", 1.1),
    Energy("multiply, 32-bit float", 3.7),
    Energy("read 64 bits, 8 KB cache", 10.0, is_read=True),
    Energy("read 64 bits, 32 KB cache", 20.0, is_read=True),
    Energy("read 64 bits, 1 MB cache", 100.0, is_read=True),
    Energy("read 64 bits, DRAM", 1300.0, is_read=True, most_pj=2600.0),
)
"""From the least to the greatest."""
