"""Schedules of rings along the axes of a torus."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import zip_longest

import numpy as np

from gpuedu.multi.network.schedules import chunk_bytes
from gpuedu.multi.network.simulation import Round


def torus_all_reduce(shape: Sequence[int], size_bytes: int, *, streams: int = 1) -> Iterator[Round]:
    """Reduce-scatter along x, then y, then z, each over what is left; then all-gather in reverse.

    One stream keeps one link of each chip busy, of the two on each axis. With more streams the
    bytes are split: stream k starts at axis k, and those after the last axis go the other way
    round, so that ``2 * len(shape)`` streams can use every link at the same time, which they do on
    a cube.

    Source: J. Austin et al., *How to Scale Your Model*, part 3 (all axes at once),
    https://jax-ml.github.io/scaling-book.

    Args:
        shape: chips along each axis.
        size_bytes: on each chip.
        streams: 1 to ``2 * len(shape)``.

    >>> [len(messages) for messages in torus_all_reduce((2, 4), 800)]
    [8, 8, 8, 8, 8, 8, 8, 8]
    """
    axes = len(shape)
    if not 1 <= streams <= 2 * axes:
        raise ValueError(f"a torus of {axes} axes has 1 to {2 * axes} streams, got {streams}")
    parts = [
        _stream(shape, int(part), stream % axes, 1 if stream < axes else -1)
        for stream, part in enumerate(chunk_bytes(size_bytes, streams))
    ]
    nothing = np.zeros((0, 3), np.int64)
    for rounds in zip_longest(*parts, fillvalue=nothing):
        yield np.concatenate(rounds)


def _stream(shape: Sequence[int], size_bytes: int, first: int, way: int) -> Iterator[Round]:
    ranks, axes = math.prod(shape), range(len(shape))
    order = [(first + turn) % len(shape) for turn in axes]
    held = [np.full(ranks, size_bytes)]
    for axis in order:
        place = _places(shape, axis, way)
        yield from _ring(shape, axis, way, held[-1], first=0)
        held.append(_chunk(held[-1], shape[axis], place + 1))
    for axis in reversed(order):
        held.pop()
        yield from _ring(shape, axis, way, held[-1], first=1)


def _ring(
    shape: Sequence[int], axis: int, way: int, held: np.ndarray, first: int
) -> Iterator[Round]:
    """All rings along an axis, of the ``held`` bytes of each rank; see ``ring_reduce_scatter``."""
    rank, size = np.arange(len(held)), shape[axis]
    place = _places(shape, axis, way)
    after = np.roll(rank.reshape(shape), -way, axis).ravel()
    for step in range(size - 1):
        yield np.column_stack([rank, after, _chunk(held, size, place + first - step)])


def _places(shape: Sequence[int], axis: int, way: int) -> np.ndarray:
    """The place of each rank in its ring along an axis."""
    return way * np.indices(tuple(shape))[axis].ravel() % shape[axis]


def _chunk(held: np.ndarray, count: int, number: np.ndarray) -> np.ndarray:
    """The bytes of chunk ``number`` of ``count``, the larger ones first."""
    return held // count + (number % count < held % count)
