"""The machine without an account: memory, bounds, barriers, warps, loops.

``TracedMachine`` adds the counting and the hazards that need history. Generated code calls the
methods of these classes; masks and values are as described in ``masks`` and ``chunk``.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, Self

import numpy as np

from gpuedu.errors import KernelSourceError
from gpuedu.simt.machine import findings as found
from gpuedu.simt.machine.addressing import Budget, LaunchStoppedError
from gpuedu.simt.machine.cells import garbage
from gpuedu.simt.machine.endless import waits
from gpuedu.simt.machine.masks import Mask, merge, narrow
from gpuedu.simt.machine.matrices import Matrices
from gpuedu.simt.machine.views import View
from gpuedu.simt.machine.warps import Warps
from gpuedu.simt.program import Language, Loop, Raise
from gpuedu.trace import Place

SPIN_TURNS = 5_000
STUCK_TURNS = 500


class Machine(Matrices):
    """One running chunk of blocks; ``raised`` has the threads that an exception ended."""

    raised: Any = np.False_

    @cached_property
    def _stuck_turns(self) -> dict[int, int]:
        """Turns since they were entered, of the loops that nothing inside can end."""
        return {}

    def enter_stuck(self, loop: Loop) -> None:
        """Threads come to a loop that they never leave once they enter it; perhaps none enters."""
        self._stuck_turns[id(loop)] = 0

    def few(self, warps: Warps) -> Self:
        """A machine for some warps, which goes on until this one resumes."""
        made = super().few(warps)
        made.raised = warps.of(self.raised)
        return made

    def resume(self) -> None:
        """All go on, after only a few did."""

    def watched(self) -> Any:
        """The rows that may not be left out, (rows, 1)."""
        return np.False_

    def count(self, region: int, m: Mask) -> None:
        """A region of the program begins."""

    def branch(self, site: int, m: Mask, condition: Any) -> tuple[Mask, Mask]:
        """Threads split on a condition."""
        return narrow(m, condition)

    def choose(
        self, then: Mask, orelse: Any, first: View | None, second: View | None, place: Place
    ) -> Any:
        """One of two views, if threads do not differ about it."""
        if second is None or orelse is False or then is None or first is second:
            return first
        if then is False or first is None:
            return second
        if first.flat is second.flat and first.strides == second.strides:
            offset = np.where(then, first.offset, second.offset)
            shape = tuple(merge(then, a, b) for a, b in zip(first.shape, second.shape, strict=True))
            return View(
                first.name, first.flat, offset, shape, first.strides, first.dtype, first.space
            )
        raise KernelSourceError(
            f"threads choose between the arrays `{first.name}` and `{second.name}`",
            function=place.function,
            line=place.line,
            remedy="choose the value, not the array: `x = a[i] if c else b[i]`",
        )

    def retype(self, view: View, dtype: np.dtype, at: Any, place: Place, m: Mask) -> View:
        """A view's memory as elements of another type; ``at`` must be aligned for one."""
        if dtype.itemsize > view.dtype.itemsize:
            begin = getattr(view.flat, "start", 0)  # local arrays begin where any type may
            byte = begin + (view.offset + at) * view.dtype.itemsize
            astray, _ = narrow(self._mask(m), byte % _alignment(dtype) != 0)
            if astray is not False:
                row, thread, count = self.first(astray)
                self.report.add(
                    found.misaligned(place, self.who(row, thread), view.name, dtype.itemsize, count)
                )
        return view.retyped(dtype)

    def undefined(self, name: str, place: Place, dtype: np.dtype | None, m: Mask) -> Any:
        """Threads read a variable that they never set: garbage for a number, else the end."""
        row, thread, count = self.first(self._mask(m))
        self.report.add(found.unset_variable(place, self.who(row, thread), name, count))
        if dtype is None:
            raise LaunchStoppedError
        return garbage(dtype)

    def raises(self, statement: Raise, m: Mask) -> None:
        """Threads raise an exception; the host hears of the first under ``debug=True``."""
        row, thread, count = self.first(self._mask(m))
        who = self.who(row, thread)
        name = statement.exception.__name__
        exception = f"{name}: {statement.message}" if statement.message else name
        if self.program.language is Language.CUDA_C:
            self.report.add(found.trapped(statement.place, who, statement.message, count))
        else:
            self.report.add(found.raised(statement.place, who, exception, count))
        self.report.raised.append((statement, who))
        self.raised = self.raised | self._mask(m)

    def span(self, start: Any, stop: Any, step: Any) -> Any:
        """The iterations of a counted loop."""
        if np.ndim(start) == np.ndim(stop) == np.ndim(step) == 0:
            return _Count(start, stop, step)
        return _Counts(start, stop, step)

    def tick(self, loop: Loop, m: Mask) -> None:
        """An iteration of a loop begins."""
        if loop.span is not None:
            self.budget.counted_left -= 1
            if self.budget.counted_left < 0:
                self._runaway(loop, m, self.budget.counted_turns)
            return
        self.budget.left -= 1
        if self.budget.left < 0:
            self._runaway(loop, m, self.budget.turns)
        if id(loop) in self._stuck_turns:
            self._stuck_turns[id(loop)] += 1
            if self._stuck_turns[id(loop)] > STUCK_TURNS:
                self._runaway(loop, m, STUCK_TURNS)
        if m is not None and waits(loop):
            key = id(loop)
            waiting, turns = self._spins.get(key, (None, 0))
            turns = turns + 1 if waiting is m else 0
            self._spins[key] = (m, turns)
            if turns > SPIN_TURNS:
                self._runaway(loop, m, turns)

    def _runaway(self, loop: Loop, m: Mask, turns: int) -> None:
        self.finish()
        if self.budget.is_short:  # the launch is over for another reason, which was told
            raise LaunchStoppedError
        row, thread, _ = self.first(m)
        tell = found.spin if waits(loop) and m is not None else found.runaway
        self.report.add(tell(loop.place, self.who(row, thread), turns))
        raise LaunchStoppedError


def _alignment(dtype: np.dtype) -> int:
    """What the address of such an element must be a multiple of; vectors are read as a whole."""
    size = dtype.itemsize
    return size if size & (size - 1) == 0 and size <= 16 else 1


class _Count:
    """A range that is the same for all threads."""

    def __init__(self, start: Any, stop: Any, step: Any) -> None:
        self._type = type(start)
        turns = range(int(start), int(stop), int(step)) if step else range(0)
        self._turns = iter(turns)

    def step(self, machine: Machine, site: int, lanes: Mask) -> tuple[Mask, Any]:
        """The threads that take the next turn, and its index."""
        for index in self._turns:
            return lanes, self._type(index)
        return False, None

    def few(self, warps: Warps) -> _Count:
        """The turns that are left, for some warps."""
        return self


class _Counts:
    """A range whose bounds differ between threads."""

    def __init__(self, start: Any, stop: Any, step: Any) -> None:
        self._index, self._stop, self._step = start, stop, step
        self._only_up = not isinstance(step, np.ndarray) and step > 0

    def step(self, machine: Machine, site: int, lanes: Mask) -> tuple[Mask, Any]:
        """The threads that take the next turn, and its index."""
        index, stop = self._index, self._stop
        if self._only_up:
            goes_on = index < stop
        else:
            up = np.where(self._step > 0, index < stop, index > stop)[()]
            goes_on = up & (self._step != 0)
        lanes, _ = machine.branch(site, lanes, goes_on)
        self._index = index + self._step
        return lanes, index

    def few(self, warps: Warps) -> _Counts:
        """The turns that are left, for some warps."""
        return _Counts(*map(warps.of, (self._index, self._stop, self._step)))


__all__ = ["Budget", "LaunchStoppedError", "Machine"]
