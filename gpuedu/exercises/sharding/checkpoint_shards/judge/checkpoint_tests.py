"""What is tested of a save and of a load, with rank, name and range of what is wrong."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from gpuedu.exercises.contract import Case, Fault, Inputs, Plain, Undecided
from gpuedu.exercises.sharding.checkpoint_shards.judge.checkpoint_files import tensors_in
from gpuedu.exercises.sharding.checkpoint_shards.rank_files import Chunk

_MOST_TOLD = 8
"""Ranks that a message names."""


def test_complete(case: Case, observed: Plain) -> Iterator[Fault]:
    """Every number of every tensor is where a chunk says."""
    fault = next(_not_complete(case.inputs, observed), "")
    if fault:
        yield Fault("complete", fault)


def test_once(case: Case, observed: Plain) -> Iterator[Fault]:
    """No number is told twice, and nothing is written that no chunk tells."""
    if next(_not_complete(case.inputs, observed), ""):
        yield Undecided("once", "not everything is saved yet")
        return
    chunks = [Chunk(*one) for one in observed["chunks"]]
    for name, values in case.inputs["tensors"].items():
        own = [one for one in chunks if one.name == name]
        count = sum(_mask(one.start, one.stop, len(values)) for one in own)
        if span := _first_span(count > 1):
            ranks = [one.file for one in own if one.start <= span[0] < one.stop]
            told = ", ".join(map(str, ranks[:_MOST_TOLD])) + " and others" * (
                len(ranks) > _MOST_TOLD
            )
            yield Fault("once", f"`{name}`[{span[0]}:{span[1]}] is saved by ranks {told}")
            return
    for rank, file in enumerate(observed["files"]):
        told = sum(one.stop - one.start for one in chunks if one.file == rank)
        if len(file) > told:
            yield Fault(
                "once", f"rank {rank} wrote {len(file)} numbers, and its chunks have {told} of them"
            )
            return


def _not_complete(inputs: Inputs, observed: Plain) -> Iterator[str]:
    tensors, chunks = inputs["tensors"], [Chunk(*one) for one in observed["chunks"]]
    for one in chunks:
        size = len(tensors.get(one.name, ()))
        if not 0 <= one.start < one.stop <= size:
            yield f"rank {one.file} tells of {one}, and `{one.name}` has {size} numbers"
            continue
        wanted = tensors[one.name][one.start : one.stop]
        got = observed["files"][one.file][max(one.place, 0) :][: len(wanted)]
        if one.place < 0 or len(got) < len(wanted):
            yield f"rank {one.file} tells of {one} at {one.place}, where its file ends"
        elif (off := np.flatnonzero(got != wanted)).size:
            yield (
                f"rank {one.file} tells of {one} at {one.place}; for number {one.start + off[0]} "
                f"the file has {got[off[0]]:.4g}, expected {wanted[off[0]]:.4g}"
            )
    for name, values in tensors.items():
        own = [one for one in chunks if one.name == name]
        count = sum((_mask(one.start, one.stop, len(values)) for one in own), np.zeros(len(values)))
        if span := _first_span(count == 0):
            ranges = enumerate(inputs["held"])
            holds = [r for r, held in ranges if name in held and _has(held[name], span[0])]
            told = ", ".join(map(str, holds))
            ranks = f"rank {told} holds" if len(holds) == 1 else f"ranks {told} hold"
            yield f"`{name}`[{span[0]}:{span[1]}] is in no chunk; {ranks} it"


def _has(held: Sequence[int], number: int) -> bool:
    return held[0] <= number < held[1]


def _mask(start: int, stop: int, size: int) -> np.ndarray:
    at = np.arange(size)
    return ((start <= at) & (at < stop)).astype(int)


def _first_span(flags: np.ndarray) -> tuple[int, int] | None:
    """The first run of true ones."""
    where = np.flatnonzero(flags)
    if not where.size:
        return None
    ends = np.flatnonzero(~flags[where[0] :])
    return int(where[0]), int(where[0] + (ends[0] if ends.size else len(flags) - where[0]))


def test_load(case: Case, observed: Plain) -> Iterator[Fault]:
    """Every rank has the values of the ranges that it needs, and has read them."""
    for rank in np.flatnonzero(observed["refused"]).tolist():
        yield _raised("load", rank, case.inputs, observed)
        return
    if fault := _not_loaded(case.inputs, observed):
        yield Fault("load", fault)
    elif fault := _unread(case.inputs, observed):
        yield Undecided("load", fault)


def _raised(prop: str, rank: int, inputs: Inputs, observed: Plain, but: str = "") -> Fault:
    """That a rank raised ValueError, which lacks nothing, and a range of it that is empty."""
    ranges = inputs["needed"][rank].items()
    empty = [f"`{name}`[{start}:{stop}]" for name, (start, stop) in ranges if start == stop]
    asks = f"{empty[0]} is a range of this rank, too. What does `load` do with it?" if empty else ""
    return Fault(
        prop,
        f"rank {rank} {but or 'needs nothing that is missing'}, but {observed['said'][rank]}",
        asks,
    )


def _unread(inputs: Inputs, observed: Plain) -> str:
    chunks = [Chunk(*one) for one in inputs["chunks"]]
    for rank, needed in enumerate(inputs["needed"]):
        read = {
            (file, at)
            for file, place, count in observed["reads"][rank].tolist()
            for at in range(place, place + count)
        }
        for one in chunks:
            first, last = needed.get(one.name, (0, 0))
            for number in range(max(first, one.start), min(last, one.stop)):
                if (one.file, one.place + number - one.start) not in read:
                    return f"rank {rank} has number {number} of `{one.name}`, and never read it"
    return ""


def _not_loaded(inputs: Inputs, observed: Plain) -> str:
    tensors = tensors_in(inputs["files"], [Chunk(*one) for one in inputs["chunks"]])
    for rank, needed in enumerate(inputs["needed"]):
        for name, (start, stop) in needed.items():
            wanted, got = tensors[name][start:stop], observed["loaded"][rank][name]
            off = np.flatnonzero(~(got == wanted))
            if off.size:
                return (
                    f"rank {rank} needs `{name}`[{start}:{stop}]; for number {start + off[0]} it "
                    f"has {got[off[0]]:.4g}, expected {wanted[off[0]]:.4g}"
                )
    return ""


def test_reads(case: Case, observed: Plain) -> Iterator[Fault]:
    """Every rank reads each number that it needs once, and no other."""
    is_loaded = not any(observed["refused"]) and not _not_loaded(case.inputs, observed)
    if not is_loaded or _unread(case.inputs, observed):
        yield Undecided("reads", "not every rank has read the right values yet")
        return
    chunks = [Chunk(*one) for one in case.inputs["chunks"]]
    for rank, needed in enumerate(case.inputs["needed"]):
        if fault := _not_sparing(rank, needed, chunks, observed["reads"][rank].tolist()):
            yield Fault("reads", fault)
            return


def _not_sparing(
    rank: int, needed: Inputs, chunks: Sequence[Chunk], reads: Iterable[Sequence[int]]
) -> str:
    seen: set[tuple[int, int]] = set()
    for file, place, count in reads:
        for at in range(place, place + count):
            inside = [
                one
                for one in chunks
                if one.file == file and 0 <= at - one.place < one.stop - one.start
            ]
            if not inside:
                return f"rank {rank} reads place {at} of file {file}, where no chunk is"
            (chunk,) = inside
            number = chunk.start + at - chunk.place
            said = f"rank {rank} reads number {number} of `{chunk.name}`"
            if not _has(needed.get(chunk.name, (0, 0)), number):
                return f"{said}, too, which it doesn't need (from place {at} of file {file})"
            if (file, at) in seen:
                return f"{said} twice (from place {at} of file {file})"
            seen.add((file, at))
    return ""


def test_hole(case: Case, observed: Plain) -> Iterator[Fault]:
    """Who needs what is lost is told so, and nobody else."""
    lost = Chunk(*case.inputs["chunks"][case.inputs["lost"]])
    for rank, needed in enumerate(case.inputs["needed"]):
        start, stop = needed[lost.name]
        is_hit = max(start, lost.start) < min(stop, lost.stop)
        if observed["refused"][rank] == is_hit:
            continue
        if is_hit:
            told = f"rank {rank} needs `{lost.name}`[{start}:{stop}], no chunk has {lost}, and "
            yield Fault("hole", f"{told}`load` returned")
        else:
            but = f"needs nothing of {lost}, which no chunk has"
            yield _raised("hole", rank, case.inputs, observed, but)
        return
