"""Moments: what processes on a virtual clock wait for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gpuedu.clock.processes import Process
    from gpuedu.clock.virtual import VirtualClock


@dataclass(frozen=True)
class Waiting:
    """A process that waits: which one, for what, and since when on the clock."""

    name: str
    what: str
    since_s: float


class Moment:
    """Something that happens once and has a value then; made by ``clock.moment`` and ``after``."""

    __slots__ = ("_clock", "_waiters", "happened", "value", "what")

    def __init__(self, clock: VirtualClock, what: str) -> None:
        self._clock = clock
        self._waiters: list[Process] = []
        self.what = what
        self.happened = False
        self.value: Any = None

    def happen(self, value: Any = None) -> bool:
        """Let waiting processes go on with ``value``; the second time, only return False."""
        if self.happened:
            return False
        self.happened, self.value = True, value
        for process in self._waiters:
            self._clock.wake(process)
        self._waiters.clear()
        return True

    def let_wait(self, process: Process) -> None:
        """Note that a process waits for this moment."""
        process.waits_for = Waiting(process.name, self.what, self._clock.now())
        self._waiters.append(process)
