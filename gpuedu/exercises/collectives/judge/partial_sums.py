"""What a wrong sum is made of: whose tensors are in it, and how often."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from gpuedu.exercises.collectives.judge.collective_cases import chunk_places
from gpuedu.exercises.contract import Fault, Plain

EPS = {"float64": 2**-52, "float32": 2**-23, "float16": 2**-10, "bfloat16": 2**-7, "int64": 0.0}
"""The distance from 1 to the next number of each dtype."""
_NEAR = 1e-6


def sum_fault(
    prop: str,
    inputs: Mapping[str, Any],
    observed: Plain,
    chunks_of: Mapping[int, Sequence[int]] | None = None,
    cause: str = "",
) -> Iterable[Fault]:
    """A fault at the first element that is not the sum over all ranks.

    Adding n numbers up in any order is off by at most n - 1 roundings, each at most half a distance
    of the largest partial sum, which is at most the sum of the magnitudes.

    Args:
        prop: the property.
        inputs: the case.
        observed: what came of it.
        chunks_of: which chunks each rank must have summed; by default all of them.
        cause: said where nothing better is known.
    """
    values, got = inputs["values"], observed["got"]
    ranks, size = values.shape
    expected = values.sum(axis=0)
    room = ranks * EPS[inputs["dtype"]] * np.abs(values).sum(axis=0)
    places = chunk_places(size, ranks)
    for rank in range(ranks):
        for chunk in range(ranks) if chunks_of is None else chunks_of[rank]:
            wrong = ~(np.abs(got[rank] - expected)[places[chunk]] <= room[places[chunk]])
            if wrong.any():
                at = int(places[chunk][wrong.argmax()])
                yield Fault(
                    prop,
                    f"with {ranks} ranks, `x[{at}]` of rank {rank} (in chunk {chunk}) is "
                    f"{got[rank, at]:.6g}, expected {expected[at]:.6g}",
                    _why(values, got[rank], chunk, observed) or _why_part(wrong) or cause,
                )
                return


def _why(values: np.ndarray, got: np.ndarray, chunk: int, observed: Plain) -> str:
    ranks, size = values.shape
    places = chunk_places(size, ranks)
    if not np.isfinite(got[places[chunk]]).all():
        return (
            "It was read, or sent on, before it had arrived: until a receive is done, its "
            "tensor means nothing (NaN, here). Which `wait()` is missing, or which receive?"
        )
    if ranks > 1 and _is_unchanged(values, observed):
        return (
            "`x` is as it was on all ranks, although something was received: into a copy? The sum "
            "has to be in `x`: change it in place (`x += ...`, `x.copy_(...)`, or a receive into a "
            "view of it)."
        )
    told = made_of(values[:, places[chunk]], got[places[chunk]])
    if told:
        return f"Chunk {chunk} there holds {told}. Who adds what to it, in which step?"
    for other in range(ranks):
        if other != chunk and len(places[other]) == len(places[chunk]):
            told = made_of(values[:, places[other]], got[places[chunk]])
            if told:
                return f"There stands chunk {other} in place of chunk {chunk}: {told}."
    return ""


def _is_unchanged(values: np.ndarray, observed: Plain) -> bool:
    """Whether messages came, and no rank's tensor changed."""
    return bool(observed["exchanges"]) and np.array_equal(observed["got"], values)


def _why_part(wrong: np.ndarray) -> str:
    if wrong.all() or len(wrong) < 2:
        return ""
    return (
        "Only a part of the chunk is wrong. Which elements are in none of your chunks, or in "
        "another one than on the other ranks?"
    )


def made_of(values: np.ndarray, got: np.ndarray) -> str:
    """Which ranks' numbers make up what was got, in words; "" where that cannot be told.

    Args:
        values: shape (ranks, elements), at least as many elements as ranks.
        got: shape (elements,).

    >>> values = np.array([[1.0, 2, 4], [3, 3, 1], [0, 5, 5]])
    >>> made_of(values, values[0] + 2 * values[2])
    "rank 0's and rank 2's twice, nothing of rank 1's"
    >>> made_of(values, np.zeros(3))
    'zeros'
    """
    ranks, size = values.shape
    if size < ranks or not np.isfinite(got).all():
        return ""
    counts = np.linalg.lstsq(values.T, got)[0]
    if ranks > 1 and np.allclose(counts, 1 / ranks, atol=_NEAR):
        return f"the mean, the sum divided by {ranks}"
    whole = np.rint(counts)
    near = np.abs(whole @ values - got) <= _NEAR * (1 + np.abs(values).sum(axis=0))
    if not near.all() or np.any(whole < 0):
        return ""
    if not whole.any():
        return "zeros"
    if np.all(whole == 1):
        return "the sum of all ranks'"
    there = [
        f"rank {rank}'s" + ("" if count == 1 else " twice" if count == 2 else f" {count:.0f} times")
        for rank, count in enumerate(whole)
        if count
    ]
    missing = [f"rank {rank}'s" for rank, count in enumerate(whole) if not count]
    behind = f", nothing of {_join(missing)}" if missing else ""
    return f"{_join(there)}{behind}"


def _join(names: Sequence[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
