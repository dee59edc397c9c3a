"""What two players say to each other: neither of them is believed about its form."""

from __future__ import annotations

import os
from types import SimpleNamespace

import pytest

from gpuedu.grading.judge.players import PlayerGoneError
from gpuedu.grading.judge.relaying import Relay


@pytest.mark.parametrize("call", [1, None, [], "call"])
def test_a_call_of_no_form_is_none(call):
    """Compiled code may have written over the machine that says it."""
    machine = SimpleNamespace(pid=os.getpid(), ask=lambda request, limit_s: {"call": call})
    learner = SimpleNamespace(pid=os.getpid(), ask=lambda request, limit_s: {"given": None})
    with pytest.raises(PlayerGoneError):
        Relay(learner, lambda: machine).ask_machine({"do": "play"}, 1.0)
