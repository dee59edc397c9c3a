"""Arrays as one thread sees them: bounds, what was written, and whose access comes when."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from tests.simt.oracle.ordering import ATOMIC, READ, WRITE

if TYPE_CHECKING:
    from tests.simt.oracle.threads import Thread


@dataclass(eq=False)
class Memory:
    """Memory of one owner. ``written`` holds the addresses of shared or local bytes written."""

    array: np.ndarray
    private: bool = False
    written: set[int] | None = None

    def view(self, dtype: np.dtype, shape: tuple[int, ...]) -> View:
        """The start of this memory as an array."""
        count = int(np.prod(shape))
        return View(self, self.array.view(dtype)[:count].reshape(shape))


def raw_memory(size_bytes: int, *, private: bool) -> Memory:
    """Shared or local memory that nobody has written."""
    return Memory(np.zeros(size_bytes, np.uint8), private=private, written=set())


@dataclass(eq=False)
class View:
    """An array of a kernel: a NumPy array and the memory behind it."""

    memory: Memory
    array: np.ndarray
    address: int = field(init=False)

    def __post_init__(self) -> None:
        self.address = self.array.__array_interface__["data"][0]

    def part(self, index: object) -> View:
        """A slice or row of this array."""
        return View(self.memory, self.array[index])


def load(
    view: View, index: object, thread: Thread, line: int, *, literal: tuple[bool, ...]
) -> object:
    """Read an element, or make the view that a slice or a short index gives."""
    if _is_partial(view, index):
        return view.part(_plain(index))
    place = _locate(view, index, thread, line, literal=literal)
    if place is None:
        return view.array.dtype.type(0)
    return _read(view, place, thread, READ, line)


def store(
    view: View,
    index: object,
    value: np.generic,
    thread: Thread,
    line: int,
    *,
    literal: tuple[bool, ...],
) -> None:
    """Write an element, or the same value into a whole slice."""
    if _is_partial(view, index):
        part = view.part(_plain(index))
        for place in np.ndindex(part.array.shape):
            _write(part, place, value, thread, WRITE, line)
        return
    place = _locate(view, index, thread, line, literal=literal)
    if place is not None:
        _write(view, place, value, thread, WRITE, line)


def exchange(
    view: View, index: object, change: object, thread: Thread, line: int, *, blind: bool
) -> np.generic:
    """One atomic operation: ``change(old)`` gives the new value, or None to leave it.

    What is made of an unwritten value counts as unwritten too, unless the change is ``blind``.
    """
    place = _locate(view, index, thread, line, literal=(False,) * 3)
    if place is None:
        return view.array.dtype.type(0)
    old = view.array[place]
    new = change(old)
    address = _address(view, place)
    thread.ordering.hand_over(thread.number, address, writes=new is not None)
    _read(view, place, thread, ATOMIC, line)
    if new is not None:
        view.array[place] = new
        if blind:
            _mark(view, address)
    return old


def _read(view: View, place: tuple[int, ...], thread: Thread, how: str, line: int) -> np.generic:
    address = _address(view, place)
    value = view.array[place]
    if view.memory.written is not None and address not in view.memory.written:
        thread.ordering.read_unwritten(thread.number, address, line)
    if not view.memory.private:
        thread.ordering.access(thread.number, address, how, value, line)
    return value


def _write(
    view: View, place: tuple[int, ...], value: np.generic, thread: Thread, how: str, line: int
) -> None:
    address = _address(view, place)
    view.array[place] = value
    _mark(view, address)
    if not view.memory.private:
        thread.ordering.access(thread.number, address, how, view.array[place], line)


def _mark(view: View, address: int) -> None:
    if view.memory.written is not None:
        view.memory.written.update(range(address, address + view.array.itemsize))


def _address(view: View, place: tuple[int, ...]) -> int:
    return view.address + sum(i * s for i, s in zip(place, view.array.strides, strict=True))


def _locate(
    view: View, index: object, thread: Thread, line: int, *, literal: tuple[bool, ...]
) -> tuple[int, ...] | None:
    place = []
    for i, extent, written_out in zip(_tuple(index), view.array.shape, literal, strict=False):
        i = int(i)
        if i < 0 and not written_out and i + extent >= 0:
            thread.outcome.hazards.add(("negative-index", line))
        i = i + extent if i < 0 else i
        if not 0 <= i < extent:
            thread.outcome.hazards.add(("out-of-bounds", line))
            return None
        place.append(i)
    return tuple(place)


def _is_partial(view: View, index: object) -> bool:
    parts = _tuple(index)
    return len(parts) < view.array.ndim or any(isinstance(p, slice) for p in parts)


def _tuple(index: object) -> tuple[object, ...]:
    return index if isinstance(index, tuple) else (index,)


def _plain(index: object) -> tuple[object, ...]:
    return tuple(_slice(i) if isinstance(i, slice) else int(i) for i in _tuple(index))


def _slice(part: slice) -> slice:
    return slice(*(None if v is None else int(v) for v in (part.start, part.stop, part.step)))
