"""Where one submission is played: a room for the learner's code, and one for the machine."""

from __future__ import annotations

from types import TracebackType

from gpuedu.grading.judge.players import Player
from gpuedu.grading.judge.rooms import Room
from gpuedu.grading.judge.zygote import Zygote
from gpuedu.grading.sandbox.limits import PlayingLimits, SandboxError


class Stage:
    """The players of one submission; a context, at whose end all of them are gone.

    Each exercise has a player of its own. A room serves the next one, too, where nothing is left in
    it; a new one is made where something is, or was killed.

    Args:
        zygote: where rooms come from.
        limits: of each room.
    """

    def __init__(self, zygote: Zygote, limits: PlayingLimits) -> None:
        self.limits = limits
        self._zygote = zygote
        self._room: Room | None = None
        self._machine_room: Room | None = None
        self._machine: Player | None = None

    def __enter__(self) -> Stage:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        place: TracebackType | None,
    ) -> None:
        self._leave_room()
        self.drop_machine()

    def prepare(self, lesson: str, imports: str) -> None:
        """Have what a lesson needs imported; see ``Zygote.prepare``."""
        self._zygote.prepare(lesson, imports)

    def learner(self) -> Player:
        """A fresh player for the learner's code; the one before is ended.

        Raises:
            SandboxError: none can be had.
        """
        player = self._room.player() if self._room else None
        if player is None:
            self._leave_room()
            self._room = self._zygote.room(self.limits)
            player = _first(self._room)
        return player

    def machine(self) -> Player:
        """The player for kernels, in which none of the learner's Python runs.

        Raises:
            SandboxError: none can be had.
        """
        if self._machine is None or self._machine.is_killed:
            self.drop_machine()
            self._machine_room = self._zygote.room(self.limits)
            self._machine = _first(self._machine_room)
        return self._machine

    def drop_machine(self) -> None:
        """End the player for kernels: something was wrong there."""
        if self._machine_room is not None:
            self._machine_room.end()
        self._machine_room = self._machine = None

    def _leave_room(self) -> None:
        if self._room is not None:
            self._room.end()
        self._room = None


def _first(room: Room) -> Player:
    player = room.player()
    if player is None:
        raise SandboxError("a player ended before it began")
    return player
