"""Local arrays: memory of each thread.

As long as a kernel's indices are the same for all threads, which is how registers are addressed,
an array is a list of per-thread values, and writing an element binds a new one. An index that
differs between threads turns it into one dense array.
"""

from __future__ import annotations

import math
from functools import cached_property
from typing import Any

import numpy as np

from gpuedu.simt.machine.masks import Mask, union
from gpuedu.simt.machine.records import record


class Cells:
    """``size`` elements for each thread of a chunk of shape (B, T)."""

    def __init__(self, size: int, dtype: np.dtype, threads: tuple[int, int]) -> None:
        self.size, self.dtype, self.threads = size, dtype, threads
        self.garbage = garbage(dtype)
        self._values: list[Any] = [self.garbage] * size
        self._written: list[Mask] = [False] * size
        self._fields: dict[str, Cells] = {}
        self._dense: np.ndarray | None = None
        self._dense_written: np.ndarray | None = None

    @cached_property
    def recasts(self) -> dict[tuple[np.dtype, int], Cells]:
        """These cells as elements of other types, by type and first element."""
        return {}

    def field(self, name: str) -> Cells:
        """A field of each record, kept separately; for a field that is an array, all elements."""
        if name not in self._fields:
            inner = self.dtype.fields[name][0]  # type: ignore[index]
            base, extents = inner.subdtype or (inner, ())
            self._fields[name] = Cells(self.size * math.prod(extents), base, self.threads)
        return self._fields[name]

    def _read_fields(self, at: Any, mask: Mask) -> tuple[Any, Mask]:
        """Whole records, from what their fields hold."""
        items, missing = [], False
        for name in self.dtype.names or ():
            value, gone = self.field(name).read(at, mask)
            items.append(value)
            missing = union(missing, gone)
        return record(self.dtype, tuple(items)), missing

    def holds(self, at: Any) -> bool:
        """Whether all threads wrote there, and only an element has to be looked up."""
        return self._dense is None and self._written[at] is None and not self._fields

    def held(self, at: Any) -> Any:
        """The values of an element that it ``holds``."""
        return self._values[at]

    def hold(self, at: Any, value: Any) -> None:
        """Set the values of an element that it ``holds`` already."""
        self._values[at] = value

    def read(self, at: Any, mask: Mask) -> tuple[Any, Mask]:
        """The values at an index, and the active threads that never wrote there."""
        if self.dtype.names:
            return self._read_fields(at, mask)
        if self._dense is None and not isinstance(at, np.ndarray):
            written = self._written[at]
            return self._values[at], (False if written is None else _missing(mask, written))
        self._densify()
        assert self._dense is not None and self._dense_written is not None
        flat = self._flat(at)
        written = self._dense_written.reshape(-1)[flat]
        return self._dense.reshape(-1)[flat], (False if written.all() else _missing(mask, written))

    def write(self, at: Any, value: Any, mask: Mask) -> None:
        """Set the values of the active threads."""
        if self.dtype.names:
            for name in self.dtype.names:
                self.field(name).write(at, value[name], mask)
            return
        if self._dense is None and not isinstance(at, np.ndarray):
            self._bind(int(at), value, mask)
            return
        self._densify()
        assert self._dense is not None and self._dense_written is not None
        flat = self._flat(at)
        if mask is None:
            self._dense.reshape(-1)[flat] = value
            self._dense_written.reshape(-1)[flat] = True
            return
        chosen = np.broadcast_to(mask, self.threads)  # type: ignore[arg-type]
        self._dense.reshape(-1)[flat[chosen]] = np.broadcast_to(value, self.threads)[chosen]
        self._dense_written.reshape(-1)[flat[chosen]] = True

    def _bind(self, at: int, value: Any, mask: Mask) -> None:
        if mask is None:
            self._values[at], self._written[at] = value, None
            return
        self._values[at] = np.where(mask, value, self._values[at])
        written = self._written[at]
        if written is not None:
            self._written[at] = mask if written is False else written | mask

    def _densify(self) -> None:
        if self._dense is not None:
            return
        self._dense = np.empty((self.size, *self.threads), self.dtype)
        self._dense_written = np.empty((self.size, *self.threads), bool)
        for number, value in enumerate(self._values):
            self._dense[number] = value
            written = self._written[number]
            self._dense_written[number] = True if written is None else written

    def _flat(self, at: Any) -> np.ndarray:
        blocks, threads = self.threads
        own = np.arange(blocks * threads).reshape(self.threads)
        return np.broadcast_to(at, self.threads) * (blocks * threads) + own


def _missing(mask: Mask, written: Mask) -> Mask:
    """The threads of ``mask`` that are not in ``written``."""
    if written is None or written is mask:
        return False
    if written is False:
        return mask
    missing = ~written if mask is None else mask & ~written  # type: ignore[operator]
    return missing if missing.any() else False


def garbage(dtype: np.dtype) -> Any:
    """What unwritten memory holds: NaN for floats, a conspicuous pattern for integers.

    >>> garbage(np.dtype(np.float32)), garbage(np.dtype(np.uint8))
    (np.float32(nan), np.uint8(205))
    """
    if dtype.kind in "fc":
        return dtype.type(np.nan)
    if dtype.names:
        return np.frombuffer(b"\xcd" * dtype.itemsize, dtype)[0]
    return np.frombuffer(b"\xcd" * dtype.itemsize, dtype)[0] if dtype.kind != "b" else np.True_
