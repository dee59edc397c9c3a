"""Two players of one exercise talk to each other: each message passes here, and is plain.

In one are the learner's functions, in the other the machine, which plays. While one of them is
asked for something it may ask the other: the machine for a call, the learner's code for something
of the device. They take turns, so the one that was not asked is waiting.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gpuedu.allowance import Allowance, ThreadTimes
from gpuedu.grading.judge.players import Player, PlayerGoneError

MOST_MESSAGES = 1_000_000
"""Messages of one exercise from one player to the other."""
_LEAST_S = 0.001
"""What a player is told to limit a call to; nobody waits for it when the time is over."""


class Relay:
    """Passes messages on between two players.

    Args:
        learner: where the learner's code runs.
        machine: the other, started when it is first asked for.
        own_times: of the thread that passes messages on.

    Attributes:
        learner: as it was given.
        asked_machine: whether the machine was asked for anything.
        used_device: whether the learner's code used the device, and left what it did in it.
    """

    def __init__(
        self, learner: Player, machine: Callable[[], Player], own_times: ThreadTimes
    ) -> None:
        self.learner, self._start_machine, self._own_times = learner, machine, own_times
        self.asked_machine = self.used_device = False
        self._messages = 0

    def start_machine(self) -> None:
        """Make sure the machine is there before any time is measured."""
        self._machine()

    def _machine(self) -> Player:
        self.asked_machine = True
        return self._start_machine()

    def allowance(self, limit_s: float) -> Allowance:
        """Allow time for what is asked next, also of the machine if it is there.

        They take turns, with the judge between them, whose time is not the learner's.
        """
        players = (self.learner, *([self._start_machine()] if self.asked_machine else []))
        return Allowance(limit_s, *(player.times for player in players), between=self._own_times)

    def ask_learner(self, request: Any, limit_s: float) -> Any:
        """Ask the learner's player; meanwhile it may use the device.

        Raises:
            TimeoutError: it took longer; a player has been killed.
            PlayerGoneError: one of them is gone, or says what has no known form.
        """
        allowance, busy = self.allowance(limit_s), False
        reply = self.learner.ask(request, limit_s)
        while _has(reply, "device"):
            self._count()
            self.used_device = True
            message = {"said": reply} if busy else {"do": "device", "device": reply["device"]}
            answer = self._machine().ask(message, allowance.left_s())
            if not _has(answer, "answer"):
                raise PlayerGoneError("its reply has no known form")
            busy = "done" not in answer  # it called a function of the learner's back, and waits
            reply = self.learner.ask({"answer": answer["answer"]}, allowance.left_s())
        return reply

    def ask_machine(self, request: Any, limit_s: float) -> Any:
        """Ask the machine; meanwhile it may call the learner's functions, and they use the device.

        Raises:
            TimeoutError: it took longer; a player has been killed.
            PlayerGoneError: one of them is gone, or says what has no known form.
        """
        self._machine()
        allowance = self.allowance(limit_s)
        reply = self._machine().ask(request, limit_s)
        while _has(reply, "call") or _has(reply, "answer"):
            self._count()
            if "answer" in reply:
                self.used_device = True
                message = {"answer": reply["answer"]}
            elif type(reply["call"]) is not dict:
                raise PlayerGoneError("its reply has no known form")
            else:
                left_s = max(allowance.left_s(), _LEAST_S)
                message = {"do": "call", **reply["call"], "limit_s": left_s}
            said = self.learner.ask(message, allowance.left_s())
            reply = self._machine().ask({"said": said}, allowance.left_s())
        return reply

    def _count(self) -> None:
        self._messages += 1
        if self._messages > MOST_MESSAGES:
            raise PlayerGoneError(f"it asked the device for more than {MOST_MESSAGES:,} things")


def _has(message: Any, name: str) -> bool:
    return type(message) is dict and name in message
