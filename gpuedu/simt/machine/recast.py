"""Local arrays as elements of another type: a thread's ``float r[4]`` as one ``float4``.

Cells are numbers of one size, the words; an element of the other type is one word or several in a
row. So for each word it is known whether a thread wrote it, through whichever type.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gpuedu.errors import GpueduError
from gpuedu.simt.machine.cells import Cells
from gpuedu.simt.machine.masks import Mask, narrow, union


class Words:
    """The numbers in cells one after another, even if the cells are records of numbers."""

    def __init__(self, cells: Cells) -> None:
        self.leaves = _leaves(cells, cells.dtype)
        self.size_bytes = self.leaves[0].dtype.itemsize
        self._bits = np.dtype(f"u{self.size_bytes}")
        if any(leaf.dtype.itemsize != self.size_bytes for leaf in self.leaves) or (
            len(self.leaves) * self.size_bytes != cells.dtype.itemsize
        ):
            raise _refusal(cells.dtype)

    def read(self, at: Any, mask: Mask) -> tuple[Any, Mask]:
        """The bits at a word's index, and the active threads that never wrote there."""
        bits: Any = self._bits.type(0)
        missing: Mask = False
        for here, leaf, element in self._parts(at, mask):
            value, gone = leaf.read(element, here)
            value = np.asarray(value).view(self._bits)[()]
            bits = value if here is mask else np.where(here, value, bits)
            missing = union(missing, gone)
        return bits, missing

    def write(self, at: Any, bits: Any, mask: Mask) -> None:
        """Set the words of the active threads."""
        for here, leaf, element in self._parts(at, mask):
            leaf.write(element, np.asarray(bits).view(leaf.dtype)[()], here)

    def _parts(self, at: Any, mask: Mask) -> list[tuple[Mask, Cells, Any]]:
        """The threads that mean each leaf, and the element that they mean in it."""
        count = len(self.leaves)
        if count == 1:
            return [(mask, self.leaves[0], at)]
        element, which = at // count, at % count
        if not isinstance(at, np.ndarray):
            return [(mask, self.leaves[int(which)], element)]
        parts = [
            (narrow(mask, which == number)[0], leaf) for number, leaf in enumerate(self.leaves)
        ]
        return [(here, leaf, element) for here, leaf in parts if here is not False]


class Recast(Cells):
    """Words as elements of a type: element i begins at word ``start + i * step``."""

    def __init__(self, words: Words, dtype: np.dtype, start: int, step: int) -> None:
        self.words, self.dtype, self._start, self._step = words, dtype, start, step
        self._bits = np.dtype(f"u{words.size_bytes}")
        if dtype.names is None and dtype.itemsize % words.size_bytes:
            raise _refusal(dtype)

    def field(self, name: str) -> Cells:
        """A field of each record."""
        inner, offset = self.dtype.fields[name][:2]  # type: ignore[index]
        if inner.subdtype is not None or offset % self.words.size_bytes:
            raise _refusal(self.dtype)
        start = self._start + offset // self.words.size_bytes
        return Recast(self.words, inner, start, self._step)

    def holds(self, at: Any) -> bool:
        """Never: its values are assembled from words."""
        return False

    def read(self, at: Any, mask: Mask) -> tuple[Any, Mask]:
        """The values at an index, and the active threads that never wrote all of it."""
        if self.dtype.names:
            return self._read_fields(at, mask)
        words, missing = [], False
        for number in self._words_of(at):
            bits, gone = self.words.read(number, mask)
            words.append(bits)
            missing = union(missing, gone)
        whole = np.stack(np.broadcast_arrays(*words), axis=-1)
        return whole.view(self.dtype)[..., 0][()], missing

    def write(self, at: Any, value: Any, mask: Mask) -> None:
        """Set the values of the active threads."""
        if self.dtype.names:
            super().write(at, value, mask)
            return
        words = np.asarray(value, self.dtype)[..., np.newaxis].view(self._bits)
        for place, number in enumerate(self._words_of(at)):
            self.words.write(number, words[..., place][()], mask)

    def _words_of(self, at: Any) -> list[Any]:
        first = self._start + at * self._step
        return [first + number for number in range(self.dtype.itemsize // self.words.size_bytes)]


def recast(cells: Cells, dtype: np.dtype, offset: int) -> Cells:
    """Cells from element ``offset`` on as another type; the same object each time."""
    key = (dtype, offset)
    if key not in cells.recasts:
        words = Words(cells)
        step = dtype.itemsize // words.size_bytes
        cells.recasts[key] = Recast(words, dtype, offset * len(words.leaves), step)
    return cells.recasts[key]


def _leaves(cells: Cells, dtype: np.dtype) -> list[Cells]:
    if dtype.subdtype is not None:
        raise _refusal(dtype)
    if not dtype.names:
        return [cells]
    inner = dtype.fields
    if any(inner[name][0].subdtype for name in dtype.names):  # type: ignore[index]
        raise _refusal(dtype)
    return [
        leaf
        for name in dtype.names
        for leaf in _leaves(cells.field(name), inner[name][0])  # type: ignore[index]
    ]


def _refusal(dtype: np.dtype) -> GpueduError:
    return GpueduError(
        f"a local array is read as elements of another type ({dtype}), whose parts are not whole "
        "elements of it",
        remedy="keep it in shared or global memory, or use one type",
    )
