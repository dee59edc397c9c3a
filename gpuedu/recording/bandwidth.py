"""Device memory: copies by size and by stride."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gpuedu.hardware.plausibility import FROM_MEMORY
from gpuedu.recording.bench import GpuBench
from gpuedu.recording.comparing import difference
from gpuedu.recording.points import Point, PreparedPoint, Series
from gpuedu.recording.sizes import Sizes
from gpuedu.recording.sources import COPY, STRIDED_COPY

_THREADS = 256
_BEYOND, _WITHIN = 16, 2
PERIOD = 1_000_003
"""Random values of a long array, which then repeat; a prime number."""


def place_of(working_set_bytes: float, l2_bytes: int) -> str:
    """Where the bytes of a repeated run come from, as far as its working set shows.

    >>> place_of(2**20, 2**25), place_of(2**25, 2**25), place_of(2**30, 2**25)
    ('L2 cache', 'both', 'device memory')
    """
    if working_set_bytes >= _BEYOND * l2_bytes:
        return FROM_MEMORY
    return "L2 cache" if working_set_bytes <= l2_bytes / _WITHIN else "both"


def copies_by_size(bench: GpuBench, sizes: Sizes) -> Sequence[Point]:
    """A copy of one array into another, for each size."""
    return [
        Point(
            {"size_bytes": size, "from": place_of(2 * size, bench.l2_bytes)},
            lambda size=size: copy_work(bench, size),
        )
        for size in sizes.copy_bytes
    ]


def copy_work(bench: GpuBench, size_bytes: int) -> PreparedPoint:
    """A copy of one array of this size into another in device memory."""
    cp, count = bench.cp, size_bytes // 16
    host = numbers(size_bytes // 4)
    source, target = cp.asarray(host), cp.zeros(host.size, cp.float32)
    kernel = cp.RawKernel(COPY, "copy")
    grid, block = (-(-count // _THREADS),), (_THREADS,)
    return PreparedPoint(
        lambda: kernel(grid, block, (source, target, np.int64(count))),
        lambda: difference(target.get(), host),
        moved_bytes=2 * size_bytes,
    )


def copies_by_stride(bench: GpuBench, sizes: Sizes) -> Sequence[Point]:
    """One number of each ``stride`` of an array into the same place of another."""
    return [
        Point(
            {
                "stride": stride,
                "span_bytes": sizes.stride_bytes,
                "from": place_of(_touched(sizes.stride_bytes, stride), bench.l2_bytes),
            },
            lambda stride=stride: _strided(bench, sizes.stride_bytes, stride),
        )
        for stride in sizes.strides
    ]


def _touched(span_bytes: int, stride: int) -> float:
    """Bytes of the sectors of both arrays that a run touches: 8 float32 lie in one."""
    return 2 * span_bytes / max(1, stride / 8)


def _strided(bench: GpuBench, span_bytes: int, stride: int) -> PreparedPoint:
    cp, size = bench.cp, span_bytes // 4
    count = size // stride
    source, target = cp.asarray(numbers(size)), cp.zeros(size, cp.float32)
    kernel = cp.RawKernel(STRIDED_COPY, "strided_copy")
    grid, block = (-(-count // _THREADS),), (_THREADS,)

    def check() -> str:
        expected = np.zeros(size, np.float32)
        expected[: count * stride : stride] = numbers(size)[: count * stride : stride]
        return difference(target.get(), expected)

    return PreparedPoint(
        lambda: kernel(grid, block, (source, target, np.int64(count), np.int64(stride))),
        check,
        moved_bytes=2 * 4 * count,
    )


def numbers(count: int) -> np.ndarray:
    """float32 from 1 to 2, (count,): none is 0, which an unwritten place is.

    They repeat after a prime number of them: random ones for a gigabyte would take the host
    seconds, and an index that is off by a whole block, row or tile still finds a different number.
    """
    some = np.random.default_rng(count).random(min(count, PERIOD), np.float32) + np.float32(1)
    return np.resize(some, count)


SERIES = (
    Series(
        "copy-by-size",
        "memory.json",
        "B/s",
        "A copy of one array into another in device memory, four numbers a thread, the same arrays "
        "each time, so that small ones stay in the L2 cache; launches are queued in one go, and "
        "what the device needs to begin one is in the time. Bytes read and written in a second.",
        copies_by_size,
        3.0,
    ),
    Series(
        "copy-by-stride",
        "memory.json",
        "B/s",
        "A copy of every stride-th float32 of an array into the same place of another. Wanted "
        "bytes, read and written, in a second; the sectors around them come too.",
        copies_by_stride,
        3.0,
    ),
)
