"""Who took the memory that was short: a room, or others."""

from __future__ import annotations

import os
import socket

import pytest

from gpuedu.grading.judge.players import Player, PlayerGoneError
from gpuedu.grading.sandbox import PlayingLimits
from gpuedu.grading.sandbox.cgroups import ControlGroup
from gpuedu.grading.sandbox.limits import MachineFullError

MIB = 2**20
KILLED_2 = "low 0\nhigh 0\nmax {0}\noom {0}\noom_kill 1\noom_group_kill 0\n"
KILLED_1 = "oom_kill_disable 0\nunder_oom 0\noom_kill 1\n"


def group(folder, **files):
    for name, text in files.items():
        (folder / f"memory.{name}").write_text(text)
    return ControlGroup((folder,))


def first_version(folder, most_bytes):
    limit, most = f"{512 * MIB}\n", f"{most_bytes}\n"
    return group(
        folder, oom_control=KILLED_1, limit_in_bytes=limit, max_usage_in_bytes=most, failcnt="0\n"
    )


def test_a_group_tells_whether_it_was_killed_for_its_own_limit(tmp_path):
    made = [tmp_path / name for name in "abcde"]
    for folder in made:
        folder.mkdir()
    own = first_version(made[0], 512 * MIB), group(made[1], events=KILLED_2.format(7))
    others = first_version(made[2], 300 * MIB), group(made[3], events=KILLED_2.format(0))
    assert [(one.out_of_memory(), one.is_at_limit()) for one in own] == [(True, True)] * 2
    assert [(one.out_of_memory(), one.is_at_limit()) for one in others] == [(True, False)] * 2
    alive = group(made[4], events=KILLED_2.format(0).replace("oom_kill 1", "oom_kill 0"))
    assert not alive.out_of_memory()


@pytest.mark.parametrize(("most", "error"), [(512, PlayerGoneError), (300, MachineFullError)])
def test_a_player_that_others_left_no_memory_to_is_not_blamed(most, error, tmp_path):
    ours, theirs = socket.socketpair()
    reading, writing = os.pipe()
    limits = PlayingLimits(memory_bytes=512 * MIB)
    player = Player(ours, reading, limits, first_version(tmp_path, most * MIB), os.getpid())
    os.close(writing)
    theirs.close()
    with pytest.raises(error, match="memory"):
        player.ask({"do": "load"}, 5.0)
    player.end()
