"""Where one submission is played: a compartment for the learner's code, and one for the machine."""

from __future__ import annotations

from types import TracebackType

from gpuedu.grading.judge.compartments import Compartment
from gpuedu.grading.judge.players import Player
from gpuedu.grading.judge.zygote import Zygote
from gpuedu.grading.sandbox.limits import PlayingLimits, SandboxError


class Stage:
    """The players of one submission; a context, at whose end all of them are gone.

    Each exercise has a player of its own. A compartment serves the next one, too, where nothing is
    left in it; a new one is made where something is, or was killed.

    Args:
        zygote: where compartments come from.
        limits: of each compartment.
    """

    def __init__(self, zygote: Zygote, limits: PlayingLimits) -> None:
        self.limits = limits
        self._zygote = zygote
        self._compartment: Compartment | None = None
        self._machine_compartment: Compartment | None = None
        self._machine: Player | None = None

    def __enter__(self) -> Stage:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        place: TracebackType | None,
    ) -> None:
        self._leave_compartment()
        self.drop_machine()

    def prepare(self, lesson: str, imports: str) -> None:
        """Have what a lesson needs imported; see ``Zygote.prepare``."""
        self._zygote.prepare(lesson, imports)

    def learner(self) -> Player:
        """A fresh player for the learner's code; the one before is ended.

        Raises:
            SandboxError: none can be had.
        """
        player = self._compartment.player() if self._compartment else None
        if player is None:
            self._leave_compartment()
            self._compartment = self._zygote.compartment(self.limits)
            player = _first(self._compartment)
        return player

    def machine(self) -> Player:
        """The player for kernels, in which none of the learner's Python runs.

        Raises:
            SandboxError: none can be had.
        """
        if self._machine is None or self._machine.is_killed:
            self.drop_machine()
            self._machine_compartment = self._zygote.compartment(self.limits)
            self._machine = _first(self._machine_compartment)
        return self._machine

    def drop_machine(self) -> None:
        """End the player for kernels: something was wrong there."""
        if self._machine_compartment is not None:
            self._machine_compartment.end()
        self._machine_compartment = self._machine = None

    def _leave_compartment(self) -> None:
        if self._compartment is not None:
            self._compartment.end()
        self._compartment = None


def _first(compartment: Compartment) -> Player:
    player = compartment.player()
    if player is None:
        raise SandboxError("a player ended before it began")
    return player
