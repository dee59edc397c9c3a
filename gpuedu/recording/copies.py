"""Copies between host and device, from pinned and from pageable memory."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gpuedu.recording.bandwidth import numbers
from gpuedu.recording.bench import GpuBench
from gpuedu.recording.comparing import difference
from gpuedu.recording.points import Point, PreparedPoint, Series
from gpuedu.recording.sizes import Sizes

TO_DEVICE, TO_HOST = "to device", "to host"
PINNED, PAGEABLE = "pinned", "pageable"


def transfers(bench: GpuBench, sizes: Sizes) -> Sequence[Point]:
    """Each size, both directions, both kinds of host memory."""
    return [
        Point(
            {"direction": direction, "memory": memory, "size_bytes": size},
            lambda d=direction, m=memory, s=size: _transfer(bench, d, m, s),
        )
        for size in sizes.transfer_bytes
        for memory in (PINNED, PAGEABLE)
        for direction in (TO_DEVICE, TO_HOST)
    ]


def _transfer(bench: GpuBench, direction: str, memory: str, size_bytes: int) -> PreparedPoint:
    count = size_bytes // 4
    truth, host = numbers(count), host_array(bench, memory, count)
    if direction == TO_DEVICE:
        host[:] = truth
        array = bench.cp.zeros(count, bench.cp.float32)
        return PreparedPoint(
            lambda: array.set(host), lambda: difference(array.get(), truth), by_host=True, times=1
        )
    host[:] = 0
    array = bench.cp.asarray(truth)
    return PreparedPoint(
        lambda: array.get(out=host), lambda: difference(host, truth), by_host=True, times=1
    )


def host_array(bench: GpuBench, memory: str, count: int) -> np.ndarray:
    """A float32 array (count,) on the host, in pinned or pageable memory."""
    if memory == PAGEABLE:
        return np.zeros(count, np.float32)
    return np.frombuffer(bench.cp.cuda.alloc_pinned_memory(4 * count), np.float32, count)


SERIES = (
    Series(
        "host-device-copies",
        "memory.json",
        "s",
        "One copy between host and device by CuPy, from the call until it is done, by the host's "
        "clock; the same arrays each time.",
        transfers,
        2.0,
    ),
)
