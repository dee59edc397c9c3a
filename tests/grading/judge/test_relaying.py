"""What two players say to each other: neither of them is believed about its form."""

from __future__ import annotations

import os
import socket
import time
from types import SimpleNamespace

import pytest

from gpuedu.allowance import ThreadTimes
from gpuedu.grading.judge.players import Player, PlayerGoneError
from gpuedu.grading.judge.relaying import Relay
from gpuedu.grading.sandbox import PlayingLimits
from gpuedu.grading.wire import pack

OWN_TIMES = ThreadTimes()


@pytest.mark.parametrize("call", [1, None, [], "call"])
def test_a_call_of_no_form_is_none(call):
    """Compiled code may have written over the machine that says it."""
    machine = SimpleNamespace(times=OWN_TIMES, ask=lambda request, limit_s: {"call": call})
    learner = SimpleNamespace(times=OWN_TIMES, ask=lambda request, limit_s: {"given": None})
    with pytest.raises(PlayerGoneError):
        Relay(learner, lambda: machine, OWN_TIMES).ask_machine({"do": "play"}, 1.0)


@pytest.fixture
def ready_player():
    """A player whose reply was there before it was asked."""
    ours, theirs = socket.socketpair()
    reading, writing = os.pipe()
    group = SimpleNamespace(kill=lambda: True, out_of_memory=lambda: False)
    made = Player(ours, reading, PlayingLimits(), group, os.getpid())
    theirs.sendall(pack({"device": 0}))
    yield made
    made.end()
    os.close(writing)
    theirs.close()


def test_a_reply_that_was_sent_ahead_is_late_where_no_time_is_left(ready_player):
    with pytest.raises(TimeoutError):
        ready_player.ask({"do": "load"}, 0.0)
    assert ready_player.is_killed


def test_replies_that_were_sent_ahead_do_not_last_longer_than_the_time():
    """Nobody waits for any of them, and each costs the judge something."""

    def ask(request, limit_s):
        if limit_s <= 0:
            raise TimeoutError
        return {"device": 0}

    asked = []

    def answer(request, limit_s):
        asked.append(request)
        time.sleep(0.01)
        return {"answer": 0, "done": True}

    learner, machine = (SimpleNamespace(times=OWN_TIMES, ask=one) for one in (ask, answer))
    with pytest.raises(TimeoutError):
        Relay(learner, lambda: machine, OWN_TIMES).ask_learner({"do": "load"}, 0.1)
    assert len(asked) < 100
