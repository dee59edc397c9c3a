"""Two programs that touch the same element: which wrote and read it, and which knew of that.

Programs of a launch run in any order, and at once. What one of them writes, another may neither
write nor read unless an atomic comes between them: a program that did an atomic on an address, with
acquire, knows of everything that others did before theirs on the same address, with release.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

NOBODY, SEVERAL = -1, -2


@dataclass(frozen=True)
class Collision:
    """An access that is not ordered with another program's access to the same element."""

    kind: str
    element: int
    other: int
    count: int


class Touched:
    """For each element of a storage: the program that wrote it last, and in which of its epochs."""

    def __init__(self, elements: int) -> None:
        self.wrote = np.full(elements, NOBODY, np.int32)
        self.wrote_in = np.zeros(elements, np.int32)
        self.read = np.full(elements, NOBODY, np.int32)
        self.read_in = np.zeros(elements, np.int32)
        self.atomic = np.full(elements, NOBODY, np.int32)
        self.atomic_in = np.zeros(elements, np.int32)


class Order:
    """What the running program knows of others, by atomics.

    A program's epoch counts its releases so far; what it does in an epoch is known to any program
    that knows of a later one.
    """

    def __init__(self, programs: int) -> None:
        self._programs = programs
        self._known: np.ndarray | None = None
        self._released: dict[int, np.ndarray] = {}
        self.program, self.epoch = NOBODY, 0

    def start(self, program: int) -> None:
        """Another program begins, and knows of no other."""
        self.program, self.epoch, self._known = program, 0, None

    def acquire(self, address: int) -> None:
        """The running program learns what was released at an address."""
        released = self._released.get(address)
        if released is not None:
            self._known = released if self._known is None else np.maximum(self._known, released)

    def release(self, address: int) -> None:
        """A program that later acquires from an address knows all that the running one knows."""
        self.epoch += 1
        known = np.zeros(self._programs, np.int32) if self._known is None else self._known.copy()
        known[self.program] = self.epoch
        before = self._released.get(address)
        self._released[address] = known if before is None else np.maximum(known, before)

    def strangers(self, who: np.ndarray, epoch: np.ndarray) -> np.ndarray:
        """Where an earlier access is another program's and not known to be over."""
        others = (who != NOBODY) & (who != self.program)
        if self._known is None or not others.any():
            return others
        known = self._known[np.maximum(who, 0)] > epoch
        return others & ~(known & (who >= 0))


def collide(
    touched: Touched, order: Order, element: np.ndarray, *, reads: bool, writes: bool, atomic: bool
) -> Collision | None:
    """Enter an access of the running program; returns the first collision with another's.

    Args:
        touched: of the storage.
        order: what the program knows.
        element: the elements.
        reads: whether it loads them.
        writes: whether it stores to them.
        atomic: whether it does both at once, in which case atomics of others do no harm.
    """
    tests = [("written", touched.wrote, touched.wrote_in)]
    if not atomic:
        tests.append(("changed by an atomic", touched.atomic, touched.atomic_in))
    if writes or atomic:
        tests.append(("read", touched.read, touched.read_in))
    found = None
    for kind, who, epoch in tests:
        bad = order.strangers(who[element], epoch[element])
        if found is None and bad.any():
            first = int(np.argmax(bad))
            at = int(element[first])
            found = Collision(kind, at, int(who[at]), int(bad.sum()))
    if atomic:
        _enter(touched.atomic, touched.atomic_in, order, element)
    else:
        if reads:
            _enter(touched.read, touched.read_in, order, element)
        if writes:
            touched.wrote[element], touched.wrote_in[element] = order.program, order.epoch
    return found


def _enter(who: np.ndarray, epoch: np.ndarray, order: Order, element: np.ndarray) -> None:
    """Readers, and atomics, may be several: then no single one can be known to be over."""
    before = who[element]
    others = order.strangers(before, epoch[element])
    who[element] = np.where(others, SEVERAL, order.program)
    epoch[element] = order.epoch
