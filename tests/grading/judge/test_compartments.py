"""A compartment serves one exercise after another, and nothing of one is there in the next."""

from __future__ import annotations

import errno
import os
import re
import selectors
import time
from pathlib import Path

import psutil
import pytest

from gpuedu.allowance import Allowance, ThreadTimes
from gpuedu.course.proof import Bench
from gpuedu.exercises.registry import load
from gpuedu.grading.judge import players
from gpuedu.grading.judge.cells import Cells
from gpuedu.grading.judge.examining import examine_cells
from gpuedu.grading.judge.players import PlayerGoneError
from gpuedu.grading.judge.relaying import Relay
from gpuedu.grading.judge.stage import Stage
from gpuedu.grading.sandbox import PlayingLimits
from tests.grading.test_equal_verdicts import ROOT, cells_with
from tests.hostile.answers import RIGHT

TCP_LIMIT = Path("/sys/fs/cgroup/memory/memory.kmem.tcp.limit_in_bytes")
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


def namespace_of(player):
    return Path(f"/proc/{player.pid}/ns/pid").readlink()


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
    leave = (
        "\nimport os, signal, time\nif os.fork() == 0:\n    os.setpgid(0, 0)\n    time.sleep(60)"
    )
    assert run(stage.learner(), RIGHT + leave)["problem"] is None
    look = "\nimport os\npids = [int(n) for n in os.listdir('/proc') if n.isdigit()]"
    told = run(stage.learner(), RIGHT + look + "\nassert set(pids) == {1, os.getpid()}, pids")
    assert told["problem"] is None


USED_PORTS = """
import socket
listening = socket.create_server(("127.0.0.1", 40000))
calling = socket.create_connection(("127.0.0.1", 40000))
called, _ = listening.accept()
calling.close()
called.close()
"""
NO_PORT_USED = """
for name in ("tcp", "tcp6"):
    assert len(open("/proc/net/" + name).readlines()) == 1, open("/proc/net/" + name).read()
"""


def test_ports_that_an_exercise_used_are_free_for_the_next(stage):
    """A port of a connection that was closed stays taken for a minute."""
    assert run(stage.learner(), RIGHT + USED_PORTS)["problem"] is None
    assert run(stage.learner(), RIGHT + NO_PORT_USED)["problem"] is None


def test_two_submissions_at_a_time_do_not_reach_each_other(zygote, stage):
    assert run(stage.learner(), RIGHT + USED_PORTS)["problem"] is None
    call = "\nimport socket\nsocket.create_connection(('127.0.0.1', 40000))"
    with Stage(zygote, LIMITS) as other:
        told = run(other.learner(), RIGHT + call)["problem"][0]
    assert "ConnectionRefusedError" in told


def test_what_a_player_waits_for_a_processor_is_not_its_time(stage, monkeypatch):
    """The system says of the judge's own waits, and of others', what the test lets it say."""
    began_s = time.monotonic()

    def times_s(times):
        return 0.0, max(time.monotonic() - began_s, 0.0) if times is player.times else 0.0

    player = stage.learner()
    monkeypatch.setattr(ThreadTimes, "ran_and_waited_s", times_s)
    sleep = {"do": "load", "lesson": "welcome", "exercise": "first-check", "limit_s": 9.0}
    sleep |= {"cells": [["a", "import time; time.sleep(0.8)" + "\n" + RIGHT]]}
    assert player.ask({**sleep, "arguments": ["copied_bytes"]}, 0.4)["problem"] is None
    monkeypatch.undo()
    with pytest.raises(TimeoutError):
        stage.learner().ask({**sleep, "arguments": ["copied_bytes"]}, 0.4)


def test_what_the_judge_does_between_two_players_is_not_their_time(stage):
    one = Relay(stage.learner(), stage.machine, stage.own_times).allowance(10.0)
    began_s = time.thread_time()
    while time.thread_time() - began_s < 0.3:  # it computes
        pass
    alone = Allowance(10.0 - (time.thread_time() - began_s))
    assert one.left_s() > alone.left_s() + 0.2


def test_a_dropped_machine_ends_and_the_next_one_is_in_the_same_compartment(stage):
    first = stage.machine()
    where = namespace_of(first)
    stage.drop_machine()
    second = stage.machine()
    with pytest.raises(PlayerGoneError):
        first.ask({"do": "nothing"}, 5.0)
    assert second.pid != first.pid
    assert not Path(f"/proc/{first.pid}").exists()
    assert stage.machine() is second
    assert namespace_of(second) == where != namespace_of(stage.learner())


def test_process_1_cannot_be_ended_from_inside(stage):
    end = "\nimport os, signal\nfor one in range(1, 32):\n    os.kill(1, one)"
    assert run(stage.learner(), RIGHT + end)["problem"] is None
    assert run(stage.learner(), RIGHT)["problem"] is None


def test_players_go_before_those_that_grade_where_memory_ends(stage):
    """Many small processes of a learner's would be passed over, and a judge killed for them."""
    assert Path(f"/proc/{stage.learner().pid}/oom_score_adj").read_text() == "1000\n"


def test_a_player_that_is_killed_costs_the_next_exercise_nothing(stage):
    with pytest.raises(PlayerGoneError):
        run(stage.learner(), "import os; os.kill(os.getpid(), 9)")
    assert run(stage.learner(), RIGHT)["problem"] is None


def test_a_child_that_holds_the_connection_does_not_keep_the_judge_waiting(stage):
    with pytest.raises(PlayerGoneError):
        run(stage.learner(), "import os, time\nif os.fork():\n    os._exit(0)\ntime.sleep(60)")


def test_a_machine_that_carried_out_a_program_serves_no_other_exercise(zygote):
    bench = Bench(ROOT, "autocast")
    cells = cells_with(bench, bench.solution_cells())
    with Stage(zygote, PlayingLimits()) as stage:
        stage.prepare(bench.exercise.lesson, cells.imports)
        machine = stage.machine()
        assert examine_cells(stage, bench.exercise, cells, 3).state == "solved"
        assert stage.machine() is not machine


def test_the_machine_is_kept_from_exercise_to_exercise_and_given_up_after_a_fault(stage):
    cells = Cells((("a", "def first(x, out):\n    out[0] = 1"),), ("first",))
    machine = stage.machine()
    assert stage.machine() is machine
    report = examine_cells(stage, load("thread-index"), cells, 3)  # a function, and no kernel
    assert report.state == "wrong"
    assert stage.machine() is not machine


def test_what_players_print_is_read_where_others_took_all_that_epoll_may_watch(stage, monkeypatch):
    """The kernel counts that by user."""

    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(selectors.EpollSelector, "register", full)
    assert run(stage.learner(), RIGHT + "print('x' * 500_000)")["problem"] is None


def test_a_player_that_takes_back_its_output_does_not_keep_the_judge_waiting():
    """Who may read the pipe again, as the grader's own user may, can empty it before the judge."""
    reading, writing = os.pipe()
    output = players._Output(reading, 10, lambda: None)
    assert not os.get_blocking(reading)
    os.write(writing, b"x")
    output.close()
    os.close(writing)


FILLS_BUFFERS = """
import os, socket, time
def fill():
    listening, kept = socket.create_server(("127.0.0.1", 0)), []
    for _ in range(100):
        calling = socket.socket()
        for kind in (socket.SO_SNDBUF, socket.SO_RCVBUF):
            calling.setsockopt(socket.SOL_SOCKET, kind, 1 << 22)
        calling.connect(listening.getsockname())
        kept += [calling, listening.accept()[0]]
        calling.setblocking(False)
        try:
            while True:
                calling.send(bytes(1 << 20))
        except BlockingIOError:
            pass
    time.sleep(30)
for _ in range(20):
    if not os.fork():
        fill()
time.sleep(4)
held = [line.split() for line in open("/proc/net/sockstat") if line.startswith("TCP:")]
raise ValueError(f"MiB {int(held[0][-1]) * 4096 >> 20}")
"""


@pytest.mark.skipif(not TCP_LIMIT.exists(), reason="in version 2 they are memory, as all else")
def test_what_connections_hold_is_limited(zygote):
    limits = PlayingLimits(cells_s=20.0, grace_s=5.0)
    with Stage(zygote, limits) as made:
        made.prepare("welcome", "")
        cells = Cells((("a", FILLS_BUFFERS),), ("copied_bytes",))
        report = examine_cells(made, load("first-check"), cells, 3)
    found = re.search(r"MiB (\d+)", report.refusal)
    assert found and 0 < int(found[1]) <= 300, report.refusal
