"""Random kernels whose threads may race: accesses, barriers and guards in any order.

What is written never depends on what was read, so whether two threads race does not depend on the
order in which they run, and a scalar interpreter's verdict is the verdict.
"""

from __future__ import annotations

import numpy as np

from tests.simt.kernels_generated.choices import Choices, chance, pick
from tests.simt.kernels_generated.kernels import GeneratedKernel

BLOCKS = (40, 32, 64, 33)
HEADER = """from numba import cuda, int32

BLOCK = {block}
FULL, LOW_HALF, HIGH_HALF = 0xFFFFFFFF, 0x0000FFFF, 0xFFFF0000
"""
INDICES = (
    "t",
    "(t + 1) % BLOCK",
    "BLOCK - 1 - t",
    "t // 2",
    "min(t ^ 1, BLOCK - 1)",
    "t % 8",
    "3",
    "where[t]",
    "(t + r) % BLOCK",
    "t // 32",
)
CARELESS = ("t + 1", "t - 1", "r - 1", "t + r", "2 * t - 5")
VALUES = ("t", "7", "t // 2", "r", "int32(t == 5)")
GUARDS = (
    "t < 20",
    "t % 2 == 0",
    "t // 32 == 0",
    "t == 5",
    "t >= BLOCK - 2",
    "cuda.blockIdx.x == 0",
)

WARP_STEPS = (
    ("cuda.syncwarp()",),
    ("if t % 32 < 16:", "    cuda.syncwarp(LOW_HALF)"),
    ("if t % 32 < 16:", "    cuda.syncwarp(LOW_HALF)", "else:", "    cuda.syncwarp(HIGH_HALF)"),
    ("v += cuda.shfl_xor_sync(FULL, t, 3)",),
    ("v += cuda.ballot_sync(FULL, t > 3)",),
    ("if t % 32 >= 16:", "    v += cuda.shfl_xor_sync(HIGH_HALF, t, 1)"),
)
FLAG_STEPS = (
    ("cuda.threadfence()",),
    ("cuda.threadfence()", "cuda.atomic.add(flag, 0, 1)"),
    ("if t == 0:", "    cuda.threadfence()", "    cuda.atomic.add(flag, 0, 1)"),
    (
        "cuda.syncthreads()",
        "if t == 0:",
        "    cuda.threadfence()",
        "    cuda.atomic.add(flag, 0, 1)",
    ),
    ("if t == 0:", "    cuda.atomic.add(flag, 0, 0)", "cuda.syncthreads()"),
    ("cuda.atomic.max(flag, 1, t)",),
)


def generate_conflicts(c: Choices) -> GeneratedKernel:
    """A kernel that may race or not; some also leave bounds, or read what nobody wrote."""
    block = pick(c, BLOCKS)
    grid = c.number(1, 2)
    lines = [
        "def kernel(where, cells, flag, out):",
        "    tile = cuda.shared.array(BLOCK, int32)",
        "    t = cuda.threadIdx.x",
        "    i = cuda.grid(1)",
        "    v = 0",
        "    r = 0",
    ]
    careless = chance(c, 3)
    if not careless:
        lines += ["    tile[t] = 0", "    cuda.syncthreads()"]
    indices = INDICES + CARELESS if careless else INDICES
    warps = block % 32 == 0 and chance(c, 3)
    flags = grid > 1 and chance(c, 2)
    for _ in range(c.number(1, 3)):
        _phase(c, lines, indices, warps=warps, flags=flags)
    lines.append("    out[i] = v")
    source = HEADER.format(block=block) + "\n\n" + "\n".join(lines) + "\n"
    duplicate = chance(c, 2)
    return GeneratedKernel(
        source, (grid,), (block,), lambda: _arguments(block, grid, duplicate=duplicate)
    )


def _arguments(block: int, grid: int, *, duplicate: bool) -> tuple[np.ndarray, ...]:
    where = np.random.default_rng(block).permutation(block).astype(np.int32)
    if duplicate:
        where[-1] = where[2]
    cells, out = (np.zeros(block * grid, np.int32) for _ in range(2))
    return where, cells, np.zeros(2, np.int32), out


def _phase(
    c: Choices, lines: list[str], indices: tuple[str, ...], *, warps: bool, flags: bool
) -> None:
    in_loop = chance(c, 3)
    if in_loop:
        lines.append(f"    for r in range({c.number(2, 3)}):")
    indent = "        " if in_loop else "    "
    for _ in range(c.number(1, 4)):
        if warps and chance(c, 2):
            lines += [indent + line for line in pick(c, WARP_STEPS)]
        elif flags and chance(c, 2):
            lines += [indent + line for line in pick(c, FLAG_STEPS)]
        else:
            _step(c, lines, indent, indices)


def _step(c: Choices, lines: list[str], indent: str, indices: tuple[str, ...]) -> None:
    if chance(c, 3):
        lines.append(indent + "cuda.syncthreads()")
        return
    if chance(c, 10):
        lines.append(indent + pick(c, ("cuda.syncwarp()", "cuda.threadfence()")))
        return
    if chance(c, 3):
        lines.append(f"{indent}if {pick(c, GUARDS)}:")
        indent += "    "
        if chance(c, 2):
            lines.append(indent + _access(c, indices))
    lines.append(indent + _access(c, indices))


def _access(c: Choices, indices: tuple[str, ...]) -> str:
    at, value = pick(c, indices), pick(c, VALUES)
    array = "tile"
    if chance(c, 3):
        array, at = "cells", pick(c, ("i", "i ^ 1", "cells.size - 1 - i", at))
        if at == "i ^ 1":
            at = "min(i ^ 1, cells.size - 1)"
    kind = c.number(0, 4)
    if kind <= 1:
        return f"{array}[{at}] = {value}"
    if kind <= 3:
        return f"v += {array}[{at}]"
    return f"cuda.atomic.add({array}, {at}, 1)"
