"""Files of ranks, as a save fills them and a load reads them; every number is counted."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from gpuedu.errors import AnswerError
from gpuedu.exercises.plain import describe, items, text, whole_number
from gpuedu.exercises.training.tensors import as_array, require_tensor

_MOST_NUMBERS = 10_000
"""In a file; no rank holds nearly as many."""
_MOST_CHUNKS = 1_000
"""Of a rank: enough to save each number by itself."""
_MOST_READS = 10_000
"""Of a rank: enough to read each number by itself."""
Ranges = Mapping[str, Sequence[int]]
"""Of each tensor, by name, the first number of a range and the one after its last."""


class Chunk(NamedTuple):
    """Numbers ``start`` to ``stop`` of a tensor are in a file, from the number ``place`` on."""

    name: str
    start: int
    stop: int
    file: int
    place: int

    def __str__(self) -> str:
        return f"`{self.name}`[{self.start}:{self.stop}]"


class RankFile:
    """The file that a rank writes.

    Args:
        rank: whose.
    """

    def __init__(self, rank: int) -> None:
        self._rank = rank
        self._written: list[np.ndarray] = [np.empty(0)]

    @property
    def numbers(self) -> np.ndarray:
        """All that is in it, float64."""
        return np.concatenate(self._written)

    def write(self, values: Tensor) -> int:
        """Append a flat tensor; where its first number is.

        Raises:
            AnswerError: it is none, has nothing in it, or is too long for the file.
        """
        name = f"rank {self._rank}: what `write` got"
        shape = tuple(require_tensor(values, name).shape)
        if len(shape) != 1 or shape == (0,):
            raise AnswerError(
                f"{name} has shape {shape}",
                remedy="It should be a flat tensor with at least one number.",
            )
        place = sum(map(len, self._written))
        if place + shape[0] > _MOST_NUMBERS:
            raise AnswerError(
                f"rank {self._rank} would have written {place + shape[0]:,} numbers, many times as "
                "many as there are"
            )
        self._written.append(as_array(values, shape, name, "float64"))
        return place


class Reading:
    """What a rank reads of the files.

    Args:
        rank: which.
        files: float64, by number.

    Attributes:
        reads: file, place and count of each call.
    """

    def __init__(self, rank: int, files: Sequence[np.ndarray]) -> None:
        self._rank, self._files = rank, files
        self.reads: list[list[int]] = []

    def read(self, file: int, place: int, count: int) -> Tensor:
        """``count`` numbers of a file, from ``place`` on.

        Raises:
            AnswerError: they are not there, or it has read far too often.
        """
        given = zip(("file", "place", "count"), (file, place, count), strict=True)
        file, place, count = (whole_number(one, f"`{name}` of `read`") for name, one in given)
        if not 0 <= file < len(self._files):
            raise AnswerError(
                f"rank {self._rank} reads file {file}, and there are {len(self._files)}, from 0 on"
            )
        size = len(self._files[file])
        if count < 1 or not 0 <= place <= size - count:
            raise AnswerError(
                f"rank {self._rank} reads {count} numbers from place {place} of file {file}, which "
                f"has {size}",
                remedy="Do the two ranges overlap at all?",
            )
        if len(self.reads) >= _MOST_READS:
            raise AnswerError(f"rank {self._rank} has read {len(self.reads):,} times")
        self.reads.append([file, place, count])
        return torch.tensor(self._files[file][place : place + count])


def chunks_told(given: Any, rank: int) -> list[Chunk]:
    """The chunks that ``save`` returned on a rank.

    Raises:
        AnswerError: they are no list of (name, start, stop, place), or far too many.
    """
    name = f"rank {rank}: what `save` returns"
    told = items(given, name)
    if len(told) > _MOST_CHUNKS:
        raise AnswerError(
            f"{name} has {len(told):,} entries; {_MOST_CHUNKS:,} are more than enough"
        )
    return [_chunk(one, f"entry {at} of {name}", rank) for at, one in enumerate(told)]


def _chunk(given: Any, name: str, rank: int) -> Chunk:
    found = items(given, name, "(name, start, stop, place)")
    if len(found) != 4:
        raise AnswerError(f"{name} should be (name, start, stop, place), got {len(found)} things")
    start, stop, place = (whole_number(one, f"a number in {name}") for one in found[1:])
    return Chunk(text(found[0], f"the name in {name}"), start, stop, rank, place)


def loaded(given: Any, needed: Ranges, rank: int) -> dict[str, np.ndarray]:
    """The tensors that ``load`` returned on a rank, float64, of the ranges that it needs.

    Raises:
        AnswerError: it is no dict of flat tensors as long as these.
    """
    if not isinstance(given, dict):
        raise AnswerError(f"rank {rank}: `load` should return a dict, got {describe(given)}")
    for name in needed:
        if name not in given:
            raise AnswerError(f"rank {rank}: `load` returned no `{name}`")
    found = {}
    for name, (start, stop) in needed.items():
        called = f"rank {rank}: `{name}`" + ", whose range is empty," * (start == stop)
        found[name] = as_array(given[name], (stop - start,), called, "float64")
    return found


def save_all(
    save: Callable[..., Any], held: Sequence[Ranges], pieces: Sequence[Mapping[str, np.ndarray]]
) -> tuple[list[np.ndarray], list[Chunk]]:
    """Every rank saves: the files, and all chunks that the ranks have told.

    Args:
        save: ``save(rank, held, pieces, write)``.
        held: what each rank holds.
        pieces: flat, float64, by rank; there may be padding after the range.
    """
    files, chunks = [], []
    for rank, mine in enumerate(pieces):
        file = RankFile(rank)
        ranges = [{name: tuple(one) for name, one in ranges.items()} for ranges in held]
        tensors = {name: torch.tensor(one) for name, one in mine.items()}
        chunks += chunks_told(save(rank, ranges, tensors, file.write), rank)
        files.append(file.numbers)
    return files, chunks


def load_on(
    load: Callable[..., Any],
    rank: int,
    needed: Ranges,
    checkpoint: tuple[Sequence[np.ndarray], Iterable[Chunk]],
) -> tuple[dict[str, np.ndarray], list[list[int]]]:
    """A rank loads: what it has then, and what it read.

    Args:
        load: ``load(needed, chunks, read)``.
        rank: which.
        needed: the ranges that it needs.
        checkpoint: files, and chunks in them.
    """
    files, chunks = checkpoint
    reading = Reading(rank, files)
    ranges = {name: tuple(one) for name, one in needed.items()}
    given = load(ranges, [tuple(one) for one in chunks], reading.read)
    return loaded(given, needed, rank), reading.reads
