"""A compartment serves one exercise after another, and nothing of one is there in the next."""

from __future__ import annotations

import psutil
import pytest

from gpuedu.exercises.registry import load
from gpuedu.grading.judge.cells import Cells
from gpuedu.grading.judge.examining import examine_cells
from gpuedu.grading.judge.players import PlayerGoneError
from gpuedu.grading.judge.stage import Stage
from gpuedu.grading.sandbox import PlayingLimits
from tests.hostile.answers import RIGHT

LIMITS = PlayingLimits(cells_s=2.0, grace_s=1.0, memory_bytes=2**30)


@pytest.fixture
def stage(zygote):
    with Stage(zygote, LIMITS) as made:
        made.prepare("welcome", "")
        yield made


def run(player, code):
    """Run a cell in a player; what it says of it."""
    request = {"do": "load", "lesson": "welcome", "exercise": "first-check", "limit_s": 2.0}
    request |= {"cells": [["a", code]], "arguments": ["copied_bytes"]}
    return player.ask(request, 5.0)


def rooms_of(zygote):
    return len(psutil.Process(zygote._process.pid).children(recursive=True))


def test_what_one_exercise_did_to_python_is_not_there_in_the_next(stage):
    told = run(stage.learner(), RIGHT + "\nimport builtins, math; builtins.mine = math.pi = 3")
    assert told["problem"] is None
    told = run(stage.learner(), RIGHT + "\nimport math; assert math.pi > 3.1; mine")
    assert "mine" in told["problem"][0]


def test_a_room_is_used_again_where_nothing_is_left_in_it(zygote, stage):
    run(stage.learner(), RIGHT)
    there = rooms_of(zygote)
    for _ in range(5):
        run(stage.learner(), RIGHT)
    assert rooms_of(zygote) == there


LEFT = {
    "a file": "open('left', 'w').write('mine')",
    "a hidden folder": "import os; os.makedirs('.left/below')",
    "shared memory": "open('/dev/shm/left', 'w').write('mine')",
    "no leave to look": "import os; os.mkdir('left'); os.chmod('.', 0)",
}
SEEN = """
import os
assert not os.listdir('/home/learner') and not os.listdir('/dev/shm')
"""


@pytest.mark.parametrize("name", LEFT)
def test_files_are_gone_for_the_next_exercise(name, stage):
    assert run(stage.learner(), RIGHT + "\n" + LEFT[name])["problem"] is None
    assert run(stage.learner(), RIGHT + SEEN)["problem"] is None


def test_processes_are_gone_for_the_next_exercise(stage):
    leave = "\nimport os, signal, time\nif os.fork() == 0:\n    os.setsid()\n    time.sleep(60)"
    assert run(stage.learner(), RIGHT + leave)["problem"] is None
    look = "\nimport os\npids = [int(n) for n in os.listdir('/proc') if n.isdigit()]"
    told = run(stage.learner(), RIGHT + look + "\nassert set(pids) == {1, os.getpid()}, pids")
    assert told["problem"] is None


def test_process_1_cannot_be_ended_from_inside(stage):
    end = "\nimport os, signal\nfor one in range(1, 32):\n    os.kill(1, one)"
    assert run(stage.learner(), RIGHT + end)["problem"] is None
    assert run(stage.learner(), RIGHT)["problem"] is None


def test_a_player_that_is_killed_costs_the_next_exercise_nothing(stage):
    with pytest.raises(PlayerGoneError):
        run(stage.learner(), "import os; os.kill(os.getpid(), 9)")
    assert run(stage.learner(), RIGHT)["problem"] is None


def test_a_child_that_holds_the_connection_does_not_keep_the_judge_waiting(stage):
    with pytest.raises(PlayerGoneError):
        run(stage.learner(), "import os, time\nif os.fork():\n    os._exit(0)\ntime.sleep(60)")


def test_the_machine_is_kept_from_exercise_to_exercise_and_given_up_after_a_fault(stage):
    cells = Cells((("a", "def first(x, out):\n    out[0] = 1"),), ("first",))
    machine = stage.machine()
    assert stage.machine() is machine
    report = examine_cells(stage, load("thread-index"), cells, 3)  # a function, and no kernel
    assert report.state == "wrong"
    assert stage.machine() is not machine
