"""Atomics under contention: the same updates on fewer and fewer addresses."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gpuedu.recording.bench import GpuBench
from gpuedu.recording.comparing import difference
from gpuedu.recording.points import Point, PreparedPoint, Series
from gpuedu.recording.sizes import Sizes
from gpuedu.recording.sources import ATOMICS, SHARED_ADDRESSES

GLOBAL, SHARED = "global", "shared"
_THREADS, _UPDATES_A_THREAD = 256, 32


def contention(bench: GpuBench, sizes: Sizes) -> Sequence[Point]:
    """Each number of addresses, in global memory and, where they fit, in a block's shared."""
    return [
        Point(
            {"memory": memory, "addresses": addresses, "updates": sizes.updates},
            lambda m=memory, a=addresses: _adds(bench, m, a, sizes.updates),
        )
        for memory in (GLOBAL, SHARED)
        for addresses in sizes.addresses
        if memory == GLOBAL or addresses <= SHARED_ADDRESSES
    ]


def _adds(bench: GpuBench, memory: str, addresses: int, updates: int) -> PreparedPoint:
    cp = bench.cp
    bins = cp.zeros(addresses, cp.uint32)
    kernel = cp.RawKernel(ATOMICS, f"add_{memory}")
    grid = (-(-updates // (_THREADS * _UPDATES_A_THREAD)),)
    arguments = (bins, np.uint32(addresses), np.uint32(updates))
    return PreparedPoint(
        lambda: kernel(grid, (_THREADS,), arguments),
        lambda: difference(bins.get(), np.bincount(places(updates, addresses), None, addresses)),
    )


def places(updates: int, addresses: int) -> np.ndarray:
    """Where update 0, 1, 2, ... goes: int64 (updates,); the same as ``place`` in the kernel."""
    i = np.arange(updates, dtype=np.uint32)
    i = (i ^ (i >> np.uint32(16))) * np.uint32(2654435761)
    i = (i ^ (i >> np.uint32(13))) * np.uint32(2246822519)
    return ((i ^ (i >> np.uint32(16))) & np.uint32(addresses - 1)).astype(np.int64)


SERIES = (
    Series(
        "atomics",
        "kernels.json",
        "s",
        "All of the updates, each adding 1 to one of the addresses, scattered as random values "
        "are, whose result nobody reads: in global memory, or in a shared copy of each block that "
        "is added to global memory at the end.",
        contention,
    ),
)
