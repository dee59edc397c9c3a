"""Loops that threads leave one by one: their values are kept, and the others go on.

A loop runs as long as any lane is in it, and an iteration costs the same for one lane as for all.
So lanes that leave have their values saved, and what happens to them in later iterations does not
matter. Once enough iterations were spent on warps that have left, a machine of the other warps
carries on, each as its own row. When the loop ends, all have what they left with.

Only loops whose threads do not depend on their block are thinned (see ``codegen.thinned``), so
values, counts, findings and their order stay what they are; watched blocks are kept whole.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gpuedu.simt.machine.masks import Mask, without, words
from gpuedu.simt.machine.warps import Warps
from gpuedu.trace import WARP_SIZE

if TYPE_CHECKING:
    from gpuedu.simt.machine.machine import Machine

LEAST_WARPS = 256
"""Fewer are not thinned: NumPy's calls then cost more than its work."""

LEAST_IDLE = 0.2
PATIENCE_TURNS = 0.5
"""How much is wasted before warps are left behind: about what leaving them costs."""


class Thinning:
    """One run of a loop: ``lanes`` are still in it, the others' values are kept.

    ``saves`` says whether that is done at all, ``parted`` whether some left before others.
    """

    def __init__(self, machine: Machine, lanes: Mask) -> None:
        self.lanes, self.parted = lanes, False
        self.saves = machine.shape[0] * machine.shape[1] >= LEAST_WARPS * WARP_SIZE
        self._machine = self._whole = machine
        self._idle = self._lost_turns = 0.0
        self._numbers: np.ndarray | None = None
        self._given: tuple[Any, ...] = ()
        self._kept: list[Any] = []
        self._own: set[int] = set()

    def save(self, lanes: Mask, carried: tuple[Any, ...]) -> None:
        """Some have left: keep what they have now."""
        left = without(self.lanes, lanes)
        self.lanes = lanes
        if self.parted:
            self._keep(left, carried)
        elif lanes is not False:
            self.parted, self._kept = True, list(carried)
        rows, threads = self._machine.shape
        warps = rows * threads // WARP_SIZE
        if lanes is False or warps < LEAST_WARPS:
            self._idle = 0.0
        else:
            self._idle = 1 - np.count_nonzero(self._going_on()) / warps

    def _keep(self, left: Mask, carried: tuple[Any, ...]) -> None:
        where = self._flat(left).nonzero()[0]
        to = where
        if self._numbers is not None:
            to = self._numbers[where // WARP_SIZE] * WARP_SIZE + where % WARP_SIZE
        for place, value in enumerate(carried):
            kept = self._kept[place]
            if value is kept:
                continue
            if place not in self._own:  # other names may stand for the same array
                kept = self._kept[place] = np.array(np.broadcast_to(kept, self._whole.shape))
                self._own.add(place)
            kept.reshape(-1)[to] = self._flat(value)[where]

    def _flat(self, value: Any) -> np.ndarray:
        """A value of the threads that go on, one after the other."""
        if np.shape(value) != self._machine.shape:
            value = np.broadcast_to(value, self._machine.shape)
        return value.reshape(-1)

    def _going_on(self) -> np.ndarray:
        """The warps that go on, (B, warps of a row)."""
        inside = words(self.lanes, self._machine.shape) != 0
        staying = inside | self._machine.watched()
        rows, threads = self._machine.shape
        return np.broadcast_to(staying, (rows, threads // WARP_SIZE))

    def wide(self, value: Any) -> np.ndarray:
        """A new value of those that go on, as the array that threads with different values need."""
        return value if isinstance(value, np.ndarray) else np.full(self._machine.shape, value)

    def pays(self) -> bool:
        """Whether to go on with fewer warps, asked at the head of each iteration."""
        if self._idle < LEAST_IDLE:
            return False
        self._lost_turns += self._idle
        return self._lost_turns > PATIENCE_TURNS

    def thin(
        self, span: Any, given: tuple[Any, ...], carried: tuple[Any, ...]
    ) -> tuple[Machine, Mask, Any, tuple[Any, ...], tuple[Any, ...]]:
        """The machine that goes on, and its lanes, iterations and values."""
        warps = Warps(np.flatnonzero(self._going_on()), self._machine.shape)
        if self._numbers is None:
            self._given, self._numbers = given, warps.number
        else:
            self._numbers = self._numbers[warps.number]
        self.lanes = warps.of(np.broadcast_to(self.lanes, warps.shape))  # type: ignore[arg-type]
        self._machine = self._machine.few(warps)
        self._idle = self._lost_turns = 0.0
        turns = None if span is None else span.few(warps)
        values = tuple(map(warps.of, given)), tuple(map(warps.of, carried))
        return self._machine, self.lanes, turns, *values

    def whole(self, given: tuple[Any, ...]) -> tuple[Machine, tuple[Any, ...], tuple[Any, ...]]:
        """The machine of all warps, and what they have after a loop that threads left apart."""
        if self._numbers is None:
            return self._whole, given, tuple(self._kept)
        self._whole.resume()
        return self._whole, self._given, tuple(self._kept)
