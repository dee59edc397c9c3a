"""The costs of eight kernels, counted on the machine: from these the roofline is drawn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cache
from typing import Any

import numpy as np

from gpuedu.exercises.tiling import counted_kernels
from gpuedu.lens import lens
from gpuedu.lens.report import PASS_BYTES
from gpuedu.simt import simulate

SIZE, SIDE, ROWS, COLUMNS, DEGREE = 4096, 96, 256, 64, 200
"""Elements of the vectors, M = N = K of the products, the summed matrix, the series' last power."""


@dataclass(frozen=True)
class LaunchCounts:
    """What one launch does, in counts.

    ``multiply_adds`` are those that one instruction does (a product and a sum: two FLOP each),
    ``other_flop`` the rest. ``lane_bytes`` is what the lanes ask global memory for, ``sectors``
    what their requests come to. ``wavefronts`` are the passes of shared memory, ``passes`` those
    and the ones of global memory. ``read_bytes`` and ``written_bytes`` count each sector of global
    memory once.
    """

    multiply_adds: int
    other_flop: int
    lane_bytes: int
    sectors: int
    wavefronts: int
    passes: int
    read_bytes: int
    written_bytes: int

    @property
    def flop(self) -> int:
        """Floating-point operations.

        >>> LaunchCounts(3, 1, 0, 0, 0, 0, 0, 0).flop
        7
        """
        return 2 * self.multiply_adds + self.other_flop

    @property
    def l1_bytes(self) -> int:
        """Bytes on the data path of L1 and shared memory: 128 a pass."""
        return PASS_BYTES * self.passes

    @property
    def memory_bytes(self) -> int:
        """The least that device memory gives and takes: each sector once."""
        return self.read_bytes + self.written_bytes


@dataclass(frozen=True)
class _Launch:
    """A kernel's name in ``kernels``, what a thread does in words, and its launch."""

    kernel: str
    does: str
    grid: Any
    block: Any
    multiply_adds: int
    arrays: tuple[tuple[int, ...], ...]
    before: tuple[Any, ...] = ()
    behind: tuple[Any, ...] = ()


_BLOCKS = SIZE // 128
_SQUARE = ((SIDE // 32, SIDE // 32), (32, 32), SIDE**3, ((SIDE, SIDE),) * 3)
_LAUNCHES: Mapping[str, _Launch] = {
    "saxpy": _Launch(
        "saxpy",
        "y[i] = a * x[i] + y[i]",
        _BLOCKS,
        128,
        SIZE,
        ((SIZE,), (SIZE,)),
        before=(np.float32(1.5),),
    ),
    "speed-of-rows": _Launch(
        "speed_of_rows",
        "vx*vx + vy*vy + vz*vz of row i: x, y, z, vx, vy, vz",
        _BLOCKS,
        128,
        2 * SIZE,
        ((SIZE, 6), (SIZE,)),
    ),
    "sum-of-rows": _Launch(
        "sum_of_rows",
        f"the sum of row i, {COLUMNS} long: a thread a row",
        ROWS // 128,
        128,
        0,
        ((ROWS, COLUMNS), (ROWS,)),
    ),
    "stencil": _Launch(
        "stencil",
        "the sum of w[k] * x[i + k], 7 weights, no tile",
        _BLOCKS,
        128,
        7 * SIZE,
        ((SIZE + 6,), (7,), (SIZE,)),
    ),
    "power-series": _Launch(
        "power_series",
        f"1 + x[i] + ... + x[i]**{DEGREE}",
        _BLOCKS,
        128,
        DEGREE * SIZE,
        ((SIZE,), (SIZE,)),
        behind=(DEGREE,),
    ),
    "matmul-by-columns": _Launch("by_columns", "c[i, j], x along i", *_SQUARE),
    "matmul-naive": _Launch("naive", "c[i, j], x along j", *_SQUARE),
    "matmul-tiled": _Launch("tiled", "c[i, j], 32 x 32 tiles in shared memory", *_SQUARE),
}
NAMES = tuple(_LAUNCHES)


@cache
def kernel_counts() -> Mapping[str, LaunchCounts]:
    """The counts of all eight; each is launched once in a process."""
    return {name: _count(launch) for name, launch in _LAUNCHES.items()}


def describe_counts() -> str:
    """A table of the counts, as a notebook prints it."""
    head = ("", "multiply-", "other", "bytes of", "", "wave-", "", "bytes", "bytes")
    second = ("kernel", "adds", "FLOP", "lanes", "sectors", "fronts", "passes", "read", "written")
    body = [
        (name, *(f"{value:,}" for value in asdict(work).values()))
        for name, work in kernel_counts().items()
    ]
    table = [head, second, *body]
    widths = [max(len(row[at]) for row in table) for at in range(len(head))]
    lines = [
        "  ".join(
            cell.rjust(width) if at else cell.ljust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in table
    ]
    told = [f"  {name.ljust(widths[0])}  {launch.does}" for name, launch in _LAUNCHES.items()]
    sizes = (
        f"What a thread computes; vectors have {SIZE:,} elements, M = N = K = {SIDE} in a matmul:"
    )
    return "\n".join([*lines, "", sizes, *told])


def _count(launch: _Launch) -> LaunchCounts:
    arrays = [np.full(shape, 0.5, np.float32) for shape in launch.arrays]
    function = getattr(counted_kernels, launch.kernel)
    trace = simulate(function, launch.grid, launch.block, *launch.before, *arrays, *launch.behind)
    report = lens(trace)
    return LaunchCounts(
        multiply_adds=launch.multiply_adds,
        other_flop=report.totals.flop - 2 * launch.multiply_adds,
        lane_bytes=report.totals.global_bytes,
        sectors=report.totals.sectors,
        wavefronts=report.totals.wavefronts,
        passes=report.passes,
        read_bytes=report.read_bytes,
        written_bytes=report.written_bytes,
    )
