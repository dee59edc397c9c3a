"""Indices: which element each thread refers to, and which threads refer to a missing one."""

from __future__ import annotations

from typing import Any

import numpy as np

from gpuedu.simt.machine import findings as found
from gpuedu.simt.machine.chunk import Chunk
from gpuedu.simt.machine.findings import Findings
from gpuedu.simt.machine.masks import Mask, narrow
from gpuedu.simt.machine.views import View
from gpuedu.simt.program import Language, Program
from gpuedu.trace import Finding, Space


class LaunchStoppedError(Exception):
    """The launch cannot go on; the reason is among the findings."""


_TURNS_AFTER_FAULT = 5_000


class Budget:
    """How many loop iterations a chunk of blocks may still take.

    ``turns`` is for loops with a condition, ``counted_turns`` for loops over a range, which end on
    their own and may be long in a right kernel. One that a GPU would already have stopped need not
    run long.
    """

    def __init__(self, turns: int, counted_turns: int) -> None:
        self.turns = self.left = turns
        self.counted_turns = self.counted_left = counted_turns
        self.is_short = False

    def shorten(self) -> None:
        """A GPU would have stopped the launch here: the rest only serves to find more faults."""
        if max(self.left, self.counted_left) > _TURNS_AFTER_FAULT:
            self.is_short = True
            self.left = min(self.left, _TURNS_AFTER_FAULT)
            self.counted_left = min(self.counted_left, _TURNS_AFTER_FAULT)


class Addressing(Chunk):
    """One running chunk of blocks; every index is checked against its array."""

    def __init__(
        self,
        program: Program,
        grid: tuple[int, int, int],
        block: tuple[int, int, int],
        blocks: np.ndarray,
        report: Findings,
        budget: Budget,
    ) -> None:
        super().__init__(grid, block, blocks)
        self.program, self.report, self.budget = program, report, budget
        self.live: Mask = self.everybody
        self.shared: list[View] = []
        self.local: list[View] = []
        self.fixed: list[View] = []
        self._spins: dict[int, tuple[Mask, int]] = {}
        self._stuck: tuple[Finding, np.ndarray, Findings] | None = None

    def locate(self, site: int, view: View, index: tuple[Any, ...], m: Mask) -> tuple[Any, Mask]:
        """The element that each thread refers to, and the threads whose index is inside.

        Threads outside the mask may hold any index: they are sent to element 0.
        """
        if view.outside is not None or view.wrapped is not None:
            return self._locate_carefully(site, view, index, m)
        at = view.offset
        for axis, i in enumerate(index):
            extent = view.shape[axis]
            if isinstance(i, np.ndarray):
                inside = (
                    isinstance(extent, int | np.int64)
                    and i.size
                    and (i.view(np.uint64).max() < extent)
                )
            else:
                inside = not isinstance(extent, np.ndarray) and 0 <= i < extent
            if not inside:
                return self._locate_carefully(site, view, index, m)
            stride = view.strides[axis]
            at = at + (i if stride == 1 else i * stride)
        return at, m

    def _locate_carefully(
        self, site: int, view: View, index: tuple[Any, ...], m: Mask
    ) -> tuple[Any, Mask]:
        outside: Any = np.False_ if view.outside is None else view.outside
        negative: Any = np.False_ if view.wrapped is None else view.wrapped
        at = view.offset
        wraps = self.program.language is Language.PYTHON
        for axis, i in enumerate(index):
            extent = view.shape[axis]
            if wraps:
                below = i < 0
                negative = negative | below
                i = np.where(below, i + extent, i)[()]
            bad = (i < 0) | (i >= extent)
            outside = outside | bad
            at = at + np.where(bad, 0, i)[()] * view.strides[axis]
        wrong, good = narrow(m, outside)
        if wrong is not False:
            self._tell_index(site, view, index, wrong, negative=False)
        wrapped, _ = narrow(good, negative)
        if wrapped is not False:
            self._tell_index(site, view, index, wrapped, negative=True)
        if good is not None and isinstance(at, np.ndarray) and good is not False:
            at = np.where(good, at, 0)
        return at, good

    def _tell_index(
        self, site: int, view: View, index: tuple[Any, ...], who: Mask, *, negative: bool
    ) -> None:
        row, thread, count = self.first(who)
        entry = self.program.sites[site]
        verb = {"load": "reads", "store": "writes", "atomic": "changes"}[entry.operation]
        at = tuple(int(self.pick(i, row, thread)) for i in (*view.lead, *index))
        shape = tuple(int(self.pick(n, row, thread)) for n in (*view.lead_shape, *view.shape))
        person = self.who(row, thread)
        if negative:
            self.report.add(
                found.negative_index(
                    entry.place, person, view.name, at, verb, count, literal=self._literal(site)
                )
            )
        else:
            self.budget.shorten()
            self.report.add(
                found.out_of_bounds(
                    entry.place,
                    person,
                    view.name,
                    at,
                    shape,
                    verb,
                    count,
                    space=view.space,
                    dynamic_bytes=self._dynamic_bytes(view),
                )
            )

    def _dynamic_bytes(self, view: View) -> int | None:
        """The dynamic shared memory of a block, for an array in it."""
        names = {
            entry.slot.name.rpartition("_")[0] for entry in self.program.shared if entry.dynamic
        }
        if view.space is Space.SHARED and view.name in names:
            return view.flat.allocation.size_bytes
        return None

    def _literal(self, site: int) -> bool:
        """Whether the source spells the negative index out, as in ``a[-1]``."""
        text = self.program.sites[site].text
        return any(
            part.strip().lstrip("-").isdigit() and part.strip().startswith("-")
            for part in text.rpartition("[")[2].rstrip("]").split(",")
        )

    def first(self, who: Mask) -> tuple[int, int, int]:
        """Row and thread of the first thread of a mask, and how many there are."""
        if who is None:
            return 0, 0, self.shape[0] * self.size
        spread = np.broadcast_to(who, self.shape)  # type: ignore[arg-type]
        position = int(np.argmax(spread.reshape(-1)))
        count = int(np.count_nonzero(spread))
        return position // self.shape[1], position % self.shape[1], count

    def pick(self, value: Any, row: int, thread: int) -> Any:
        """One thread's value."""
        return np.broadcast_to(value, self.shape)[row, thread] if np.ndim(value) else value


def unravel(element: int, view: View) -> tuple[int, ...]:
    """An element's index in a view's own dimensions."""
    rest = element - int(np.min(view.offset))
    index = []
    for stride, extent in zip(view.strides, view.shape, strict=True):
        step = rest // stride if stride else 0
        index.append(int(step) % max(int(np.max(extent)), 1))
        rest -= index[-1] * stride
    return tuple(index)
