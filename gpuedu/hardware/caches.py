"""The CPU's caches, as the system reports them. Nothing here raises."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from pathlib import Path

from gpuedu.units import KIB, MIB

SYSTEM = Path("/sys/devices/system/cpu")
_FACTORS = {"K": KIB, "M": MIB}


@dataclass(frozen=True)
class Cache:
    """One level of the CPU's caches for data: all copies of it together, in bytes."""

    level: int
    copies: int
    size_bytes: int


def find_caches(system: Path = SYSTEM) -> tuple[Cache, ...]:
    """The caches that hold data, nearest to the core first; none if the system keeps no list.

    A cache that several cores share is counted once. Linux has the list. A virtual machine may
    report the caches of the whole processor, of which it gets a share.
    """
    found: dict[tuple[int, str], int] = {}
    for folder in sorted(system.glob("cpu[0-9]*/cache/index[0-9]*")):
        with contextlib.suppress(OSError, ValueError, KeyError, IndexError):
            if _text(folder / "type") == "Instruction":
                continue
            shared = _text(folder / "shared_cpu_list")
            found[int(_text(folder / "level")), shared] = _size_bytes(_text(folder / "size"))
    levels = sorted({level for level, _ in found})
    sizes = {level: [size for (own, _), size in found.items() if own == level] for level in levels}
    return tuple(Cache(level, len(sizes[level]), sum(sizes[level])) for level in levels)


def _text(path: Path) -> str:
    return path.read_text("utf-8").strip()


def _size_bytes(text: str) -> int:
    """Bytes of a size as the system writes it.

    >>> _size_bytes("48K"), _size_bytes("32768")
    (49152, 32768)
    """
    return int(text[:-1]) * _FACTORS[text[-1]] if text[-1] in _FACTORS else int(text)
