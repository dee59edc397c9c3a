"""Which numbers of a tensor each rank holds."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence

import numpy as np

from gpuedu.exercises.sharding.checkpoint_shards.rank_files import Ranges


def rows_of(shape: tuple[int, ...], ranks: int) -> list[tuple[int, int]]:
    """The range of each rank, if a tensor is cut along dimension 0 as ``torch.chunk`` does it.

    >>> rows_of((5, 2), 4)
    [(0, 4), (4, 8), (8, 10), (10, 10)]
    """
    rows, width = shape[0], int(np.prod(shape[1:]))
    each = -(-rows // ranks)
    cuts = [min(rank * each, rows) * width for rank in range(ranks + 1)]
    return list(itertools.pairwise(cuts))


def cut(
    shapes: Mapping[str, tuple[int, ...]], ranks: int, replicas: int = 1, whole: Sequence[str] = ()
) -> list[dict[str, tuple[int, int]]]:
    """What each rank holds: ``ranks`` shards, ``replicas`` times; all hold tensors in ``whole``.

    >>> cut({"w": (4, 3), "step": (1,)}, 2, whole=["step"])
    [{'w': (0, 6), 'step': (0, 1)}, {'w': (6, 12), 'step': (0, 1)}]
    """
    held = []
    for rank in range(ranks * replicas):
        ranges = {}
        for name, shape in shapes.items():
            is_whole = name in whole
            ranges[name] = (
                (0, int(np.prod(shape))) if is_whole else rows_of(shape, ranks)[rank % ranks]
            )
        held.append(ranges)
    return held


def pieces_of(
    tensors: Mapping[str, np.ndarray], held: Sequence[Ranges], padded: Mapping[str, int]
) -> list[dict[str, np.ndarray]]:
    """What each rank has in memory: its ranges, with zeros after them up to the padded length."""
    return [
        {
            name: np.pad(tensors[name][start:stop], (0, max(0, padded[name] - (stop - start))))
            for name, (start, stop) in ranges.items()
        }
        for ranges in held
    ]


def longest(held: Sequence[Ranges]) -> dict[str, int]:
    """Of each tensor the largest range that a rank holds: all are padded to that."""
    found: dict[str, int] = {}
    for ranges in held:
        for name, (start, stop) in ranges.items():
            found[name] = max(found.get(name, 0), stop - start)
    return found
