"""Lanes grouped by the address on which they meet."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gpuedu.widths import count_each

_RADIX_LIMIT = 1 << 16
_COUNTING_LIMIT = 4  # addresses per lane up to which counting costs less than sorting


@dataclass(frozen=True)
class Runs:
    """Lanes sorted by address; the lanes of one address are a run.

    Args:
        order: (n,) the lanes in sorted order, or a slice of all if they already were.
        starts: (G,) where each run begins in that order.
        counts: (G,) its lanes.
        addresses: (G,) rising.
    """

    order: np.ndarray | slice
    starts: np.ndarray
    counts: np.ndarray
    addresses: np.ndarray

    def __len__(self) -> int:
        return self.starts.size

    @property
    def last(self) -> np.ndarray:
        """(G,) where the last lane of each run is."""
        return self.starts + self.counts - 1

    def spread(self, of_runs: np.ndarray) -> np.ndarray:
        """(G,) values of runs to (n,) values of their lanes."""
        return np.repeat(of_runs, self.counts)

    def ranks(self) -> np.ndarray:
        """(n,) each lane's place in its run, from 0."""
        return np.arange(int(self.counts.sum())) - self.spread(self.starts)

    def in_lane_order(self, values: np.ndarray) -> np.ndarray:
        """(n,) values in sorted order back to the lanes' own order."""
        if isinstance(self.order, slice):
            return values
        result = np.empty_like(values)
        result[self.order] = values
        return result


def are_distinct(index: np.ndarray, size: int) -> bool:
    """Whether no address occurs twice, if that is cheap to see; False may be wrong."""
    if (index[1:] > index[:-1]).all():
        return True
    countable = index.size <= size <= _COUNTING_LIMIT * index.size
    return countable and bool(count_each(index).max() == 1)


def runs_by_address(index: np.ndarray, size: int) -> Runs:
    """Group the lanes of each address, in their order. ``size`` bounds the addresses.

    >>> runs_by_address(np.array([7, 3, 7]), 8).order.tolist()
    [1, 0, 2]
    """
    in_order = (index[1:] >= index[:-1]).all()
    order = slice(None) if in_order else _stable_order(index, size)
    ordered = index[order]
    first = np.empty(index.size, bool)
    first[0] = True
    np.not_equal(ordered[1:], ordered[:-1], out=first[1:])
    starts = np.flatnonzero(first)
    return Runs(order, starts, np.diff(starts, append=index.size), ordered[starts])


def _stable_order(index: np.ndarray, size: int) -> np.ndarray:
    """A stable argsort, by the faster of NumPy's ways: radix sort, or plain sort of pairs."""
    if size <= _RADIX_LIMIT:
        return np.argsort(index.astype(np.uint16), kind="stable")
    shift = (index.size - 1).bit_length()
    if size.bit_length() + shift > 63:
        return np.argsort(index, kind="stable")
    pairs = (index << shift) | np.arange(index.size)
    pairs.sort()
    return pairs & ((1 << shift) - 1)
