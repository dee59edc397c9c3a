"""The bandwidths of an all-reduce, algorithm and bus, and what they are mixed up with."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from gpuedu.exercises.compare import is_close, show_apart
from gpuedu.exercises.contract import Fault
from gpuedu.multi.network import algorithm_bandwidth, bus_bandwidth
from gpuedu.units import GB, format_size, format_time


def judge_bandwidths(inputs: Mapping[str, Any], got: Sequence[float]) -> Iterable[Fault]:
    """A fault at the first of the two, algorithm and bus, that is off."""
    ranks, size, time_s = inputs["ranks"], inputs["size_bytes"], inputs["time_s"]
    wanted = algorithm_bandwidth(size, time_s), bus_bandwidth(ranks, size, time_s)
    for name, one, expected in zip(("algorithm", "bus"), got, wanted, strict=True):
        if not is_close(one, expected, 1e-6):
            told, right = show_apart(one / GB, expected / GB)
            yield Fault(
                "bandwidths",
                f"{format_size(size)} on {ranks} ranks in {format_time(time_s)}: your {name} "
                f"bandwidth is {told} GB/s, expected {right}",
                _why_bandwidth(ranks, name, one / expected),
            )
            return


def _why_bandwidth(ranks: int, name: str, factor: float) -> str:
    if name == "algorithm":
        return (
            "The algorithm bandwidth asks nothing of the ring: bytes of one tensor over the time."
        )
    if is_close(factor, ranks / (2 * (ranks - 1)), 1e-6):
        return "That is the algorithm bandwidth once more. How many bytes did each link carry?"
    if is_close(factor, 0.5, 1e-6):
        return "Once round the ring is half of it."
    if is_close(factor, float(ranks), 1e-6):
        return "That counts the links of all ranks together: the bus bandwidth is that of one."
    return "What did one rank send, for a tensor of S bytes? Put that over the time."
