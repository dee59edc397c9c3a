"""A training step as a timeline: layers of the backward pass, and messages alongside."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from gpuedu.units import MIB


@dataclass(frozen=True)
class Overlap:
    """When the buckets of a backward pass are ready, and when their messages pass; in seconds.

    Times count from the start of the backward pass. ``ready_s``, ``start_s`` and ``end_s`` have one
    number for each bucket, in the order in which they are filled.
    """

    backward_s: float
    ready_s: tuple[float, ...]
    start_s: tuple[float, ...]
    end_s: tuple[float, ...]

    @property
    def exposed_s(self) -> float:
        """How much longer the step takes than its computation."""
        return max(0.0, max(self.end_s, default=0.0) - self.backward_s)

    @property
    def hidden_s(self) -> float:
        """The time of messages that overlap with computation."""
        busy_s = sum(end - start for start, end in zip(self.start_s, self.end_s, strict=True))
        return busy_s - self.exposed_s


def overlap(
    layers_s: Sequence[float],
    sizes_bytes: Sequence[float],
    exchange_s: Callable[[float], float],
    *,
    bucket_bytes: float = 25 * MIB,
) -> Overlap:
    """Send gradients bucket by bucket, one after another, while the backward pass goes on.

    The backward pass takes the layers from the last to the first. A bucket is ready with the layer
    that fills it, or with the first layer. Its exchange starts then, or when the one before is
    over.

    Args:
        layers_s: the time of each layer's backward pass, the first layer first.
        sizes_bytes: of each layer's gradients.
        exchange_s: how long the exchange of that many bytes takes, such as an all-reduce.
        bucket_bytes: a bucket is full when it has this many; by default DDP's 25 MiB.

    Sources: S. Li et al., *PyTorch Distributed*, VLDB 13, 2020, arXiv:2006.15704, section 3.2.

    >>> layers_s, sizes_bytes = [0.01, 0.02, 0.03], [4e6, 4e6, 4e6]
    >>> step = overlap(layers_s, sizes_bytes, lambda size: size / 2e8, bucket_bytes=4e6)
    >>> [round(time_s, 3) for time_s in (*step.ready_s, *step.end_s, step.exposed_s)]
    [0.03, 0.05, 0.06, 0.05, 0.07, 0.09, 0.03]
    """
    if len(layers_s) != len(sizes_bytes) or not layers_s:
        raise ValueError("each layer has a time and a size, and there is at least one")
    now_s = filled = free_s = 0.0
    ready_s, start_s, end_s = [], [], []
    for layer in reversed(range(len(layers_s))):
        now_s += layers_s[layer]
        filled += sizes_bytes[layer]
        if filled and (filled >= bucket_bytes or layer == 0):
            ready_s.append(now_s)
            start_s.append(max(now_s, free_s))
            free_s = start_s[-1] + exchange_s(filled)
            end_s.append(free_s)
            filled = 0.0
    return Overlap(now_s, tuple(ready_s), tuple(start_s), tuple(end_s))
