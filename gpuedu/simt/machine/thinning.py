"""Loops that many threads have left: the warps that are still inside go on without the others.

A loop runs as long as any lane is in it, and a turn costs the same for one lane as for all. So once
enough turns were spent on warps that have left, a machine of the other warps carries on, each of
them a row of its own, and what they worked out is put back when the loop ends. Only loops for
whose threads a block means nothing are thinned (see ``codegen.thinned``), so values, counts,
findings and their order stay what they are; watched blocks are kept whole.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gpuedu.simt.machine.masks import Mask, words
from gpuedu.simt.machine.warps import Warps
from gpuedu.trace import WARP_SIZE

if TYPE_CHECKING:
    from gpuedu.simt.machine.machine import Machine

LEAST_WARPS = 128
"""Fewer are not thinned: there NumPy's calls cost more than its work."""

LEAST_IDLE = 0.25
PATIENCE_TURNS = 1.0
"""What is lost before warps are left behind: about what that costs, so never much in vain."""


class Thinning:
    """One run of a loop: which warps are still carried, and what the others left behind."""

    def __init__(self, machine: Machine) -> None:
        self._machine = self._whole = machine
        self._seen: Mask = None
        self._idle = self._lost_turns = 0.0
        self._numbers: np.ndarray | None = None

    @property
    def is_thin(self) -> bool:
        """Whether warps were left behind."""
        return self._numbers is not None

    def pays(self, lanes: Mask) -> bool:
        """Whether to go on with fewer warps, asked at the head of each turn."""
        if lanes is not self._seen:
            self._seen = lanes
            self._idle = self._idle_share(lanes)
        if self._idle < LEAST_IDLE:
            return False
        self._lost_turns += self._idle
        return self._lost_turns > PATIENCE_TURNS

    def _idle_share(self, lanes: Mask) -> float:
        rows, threads = self._machine.shape
        warps = rows * threads // WARP_SIZE
        if lanes is None or warps < LEAST_WARPS:
            return 0.0
        return 1 - np.count_nonzero(self._kept(lanes)) / warps

    def _kept(self, lanes: Mask) -> np.ndarray:
        """The warps that go on, (B, warps of a row)."""
        rows, threads = self._machine.shape
        inside = words(lanes, self._machine.shape) != 0
        return np.broadcast_to(inside | self._machine.watched(), (rows, threads // WARP_SIZE))

    def thin(
        self, lanes: Mask, span: Any, given: tuple[Any, ...], carried: tuple[Any, ...]
    ) -> tuple[Machine, Mask, Any, tuple[Any, ...], tuple[Any, ...]]:
        """The machine that goes on, and its lanes, turns and values."""
        warps = Warps(np.flatnonzero(self._kept(lanes)), self._machine.shape)
        if self._numbers is None:
            self._given, self._carried, self._numbers = given, list(carried), warps.number
        else:
            self._put_back(carried)
            self._numbers = self._numbers[warps.number]
        self._machine = self._machine.few(warps)
        self._lost_turns = 0.0
        lanes = warps.of(np.broadcast_to(lanes, warps.shape))  # type: ignore[arg-type]
        self._left = tuple(map(warps.of, carried))
        turns = None if span is None else span.few(warps)
        return self._machine, lanes, turns, tuple(map(warps.of, given)), self._left

    def whole(self, carried: tuple[Any, ...]) -> tuple[Machine, tuple[Any, ...], tuple[Any, ...]]:
        """The machine of all warps, and what they have after the loop."""
        self._put_back(carried)
        self._whole.resume()
        return self._whole, self._given, tuple(self._carried)

    def _put_back(self, carried: tuple[Any, ...]) -> None:
        """What the warps that went on have now, among what the others left."""
        shape = self._whole.shape
        for place, (value, before) in enumerate(zip(carried, self._left, strict=True)):
            if value is before:
                continue
            held = np.array(np.broadcast_to(self._carried[place], shape))  # others may hold it too
            held.reshape(-1, WARP_SIZE)[self._numbers] = value
            self._carried[place] = held
