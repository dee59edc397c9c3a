"""The files of a checkpoint made by hand, and the tensors in one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from gpuedu.exercises.sharding.checkpoint_shards.rank_files import Chunk


def files_of(tensors: Mapping[str, np.ndarray], chunks: Sequence[Chunk]) -> list[np.ndarray]:
    """Files with these chunks in them, and NaN elsewhere."""
    count = 1 + max((one.file for one in chunks), default=-1)
    sizes = [0] * count
    for one in chunks:
        sizes[one.file] = max(sizes[one.file], one.place + one.stop - one.start)
    files = [np.full(size, np.nan) for size in sizes]
    for one in chunks:
        length = one.stop - one.start
        files[one.file][one.place : one.place + length] = tensors[one.name][one.start : one.stop]
    return files


def tensors_in(files: Sequence[np.ndarray], chunks: Sequence[Chunk]) -> dict[str, np.ndarray]:
    """The tensors of which these chunks have every number."""
    found: dict[str, np.ndarray] = {}
    for one in sorted(chunks, key=lambda chunk: chunk.stop, reverse=True):
        values = found.setdefault(one.name, np.full(one.stop, np.nan))
        length = one.stop - one.start
        values[one.start : one.stop] = files[one.file][one.place : one.place + length]
    return found
