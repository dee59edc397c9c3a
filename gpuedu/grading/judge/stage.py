"""Where one submission is played: a compartment for the learner's code, and one for the machine."""

from __future__ import annotations

import threading
from types import TracebackType

from gpuedu.allowance import ThreadTimes
from gpuedu.grading.judge.compartments import Compartment
from gpuedu.grading.judge.players import Player
from gpuedu.grading.judge.zygote import Zygote
from gpuedu.grading.sandbox.limits import PlayingLimits, SandboxError


class Stage:
    """The players of one submission; a context, at whose end all of them are gone.

    Each exercise has its own player. A compartment also serves the next one if nothing is left in
    it; if something is, or was killed, a new one is made.

    Args:
        zygote: where compartments come from.
        limits: of each compartment.

    Attributes:
        own_times: of the thread that made it, and which judges.
    """

    def __init__(self, zygote: Zygote, limits: PlayingLimits) -> None:
        self.limits = limits
        self._zygote = zygote
        self._compartment: Compartment | None = None
        self._machine_compartment: Compartment | None = None
        self._machine: Player | None = None
        self.own_times = ThreadTimes(threading.get_native_id())

    def __enter__(self) -> Stage:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        place: TracebackType | None,
    ) -> None:
        for compartment in (self._compartment, self._machine_compartment):
            if compartment is not None:
                compartment.end()
        self._compartment = self._machine_compartment = self._machine = None
        self.own_times.close()

    def prepare(self, lesson: str, imports: str) -> None:
        """Make sure what a lesson needs is imported; see ``Zygote.prepare``."""
        self._zygote.prepare(lesson, imports)

    def learner(self) -> Player:
        """A fresh player for the learner's code; the one before is ended.

        Raises:
            SandboxError: none can be had.
        """
        self._compartment, player = self._next_in(self._compartment)
        return player

    def machine(self) -> Player:
        """The player for kernels, which runs none of the learner's Python.

        Raises:
            SandboxError: none can be had.
        """
        if self._machine is None or self._machine.is_killed:
            self._machine_compartment, self._machine = self._next_in(self._machine_compartment)
        return self._machine

    def drop_machine(self) -> None:
        """End the player for kernels: what is in it no longer comes only from the course."""
        if self._machine is not None:
            self._machine.end()
        self._machine = None

    def _next_in(self, compartment: Compartment | None) -> tuple[Compartment, Player]:
        """A fresh player in a compartment, or in a new one where that serves no other."""
        player = compartment.player() if compartment else None
        if compartment is None or player is None:
            if compartment is not None:
                compartment.end()
            compartment = self._zygote.compartment(self.limits)
            player = _first(compartment)
        return compartment, player


def _first(compartment: Compartment) -> Player:
    player = compartment.player()
    if player is None:
        raise SandboxError("a player ended before it started")
    return player
