"""Cases of collectives: a tensor for each rank, and how much of it is whose chunk."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gpuedu.exercises.contract import Case, Inputs

_OF_TIME = {"at-once", "rounds"}


def case(
    rng: np.random.Generator,
    decides: Sequence[str],
    ranks: int,
    shape: int | Sequence[int],
    *,
    dtype: str = "float64",
    late: int | None = None,
    on_two: bool = False,
    has_own_chunk_only: bool = False,
    **more: Any,
) -> Case:
    """A case with random numbers of both signs; whole ones where the dtype is.

    With ``has_own_chunk_only`` a rank holds NaN outside of its chunk. ``more`` are further inputs,
    told in the label.
    """
    shape = [shape] if isinstance(shape, int) else list(shape)
    values = rng.normal(size=(ranks, int(np.prod(shape))))
    if dtype.startswith("int"):
        values = np.rint(100 * values)
    if has_own_chunk_only:
        values = _own_chunks(values)
    told = f"{ranks} rank{'' if ranks == 1 else 's'}, "
    told += f"{shape[0]} elements" if len(shape) == 1 else f"shape {tuple(shape)}"
    told += f" of {dtype}" if dtype != "float64" else ""
    told += "".join(f", {name} {value}" for name, value in more.items())
    told += f"; rank {late} starts late" if late is not None else ""
    told += "; on two machines" if on_two else ""
    inputs = {"ranks": ranks, "shape": shape, "dtype": dtype, "late": late, "on_two": on_two}
    inputs["timed"] = not _OF_TIME.isdisjoint(decides)
    return Case(told, {**inputs, "values": values, **more}, tuple(decides))


def chunk_places(size: int, ranks: int) -> list[np.ndarray]:
    """The indices of each chunk, as ``x.tensor_split(ranks)`` cuts.

    >>> [len(places) for places in chunk_places(7, 3)]
    [3, 2, 2]
    """
    return np.array_split(np.arange(size), ranks)


def element_bytes(dtype: str) -> int:
    """Bytes of an element.

    >>> element_bytes("bfloat16"), element_bytes("int64")
    (2, 8)
    """
    return 2 if dtype == "bfloat16" else np.dtype(dtype).itemsize


def chunk_bytes(inputs: Inputs) -> list[int]:
    """The bytes of each chunk of a case."""
    each = element_bytes(inputs["dtype"])
    return [len(one) * each for one in chunk_places(inputs["values"].shape[1], inputs["ranks"])]


def _own_chunks(values: np.ndarray) -> np.ndarray:
    kept = np.full(values.shape, np.nan)
    for rank, places in enumerate(chunk_places(values.shape[1], len(values))):
        kept[rank, places] = values[rank, places]
    return kept
