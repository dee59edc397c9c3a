"""Launches of real processes: results and errors come back, and nothing is left behind."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from unittest import mock

import psutil
import pytest
import torch
import torch.distributed as dist

from gpuedu.errors import DeadlockError, TimeLimitExceeded
from gpuedu.exercises.time_limit import call_learner, time_limit
from gpuedu.multi.exchanges import CommunicationError, RankError, sent_bytes
from gpuedu.multi.launch import LaunchError, launch, stop_server
from gpuedu.multi.launch.server import server_pid, start_method
from tests.multi.launch.leftovers import look_around, orphans_of
from tests.sampled import only_whole, sampled


def run(function, *arguments, ranks=2, **options):
    shown = []
    limits = {"time_limit_s": 180.0, "stall_s": 10.0} | options
    done = launch(
        function, ranks, *arguments, show=lambda rank, text: shown.append((rank, text)), **limits
    )
    return done, shown


def test_a_last_line_without_end_and_a_character_cut_in_two_are_shown(capsys):
    def speak():
        out = sys.stdout.buffer
        for piece in (b"first\n2 \xc2", b"\xb5s"):
            out.write(piece)
            out.flush()
            time.sleep(0.4)  # longer than between two looks

    launch(speak, 1, time_limit_s=180.0)
    assert capsys.readouterr().out == "rank 0 | first\nrank 0 | 2 \xb5s\n"


def test_results_output_and_exchanges_come_back():
    def ring(scale):
        rank, ranks = dist.get_rank(), dist.get_world_size()
        print("I am", rank)
        x, got = torch.full((5,), scale * rank), torch.zeros(5)
        sending = dist.isend(x, (rank + 1) % ranks)
        dist.recv(got, (rank - 1) % ranks)
        sending.wait()
        dist.all_reduce(x)
        return got[0].item(), x[0].item(), torch.get_num_threads()

    done, shown = run(ring, 3.0)
    assert done.results == ((3.0, 3.0, 1), (0.0, 3.0, 1))
    assert done.restarts == 0
    assert sorted(text.strip() for _, text in shown) == ["I am 0", "I am 1"]
    assert sent_bytes(done.exchanges, 2) == [20, 20]
    kinds = sorted((one.rank, one.kind, one.peer, one.size_bytes) for one in done.exchanges)
    assert kinds == [
        (0, "all_reduce", None, 20),
        (0, "recv", 1, 20),
        (0, "send", 1, 20),
        (1, "all_reduce", None, 20),
        (1, "recv", 0, 20),
        (1, "send", 0, 20),
    ]
    assert any("dist.all_reduce(x)" in one.text for one in done.exchanges)
    assert all(0 <= one.posted_s <= one.end_s for one in done.exchanges)


def test_the_same_exchanges_as_on_light_ranks():
    """Who sent how much to whom, in the order of each rank's calls."""
    from gpuedu.multi.light import run_light

    def program():
        rank, ranks = dist.get_rank(), dist.get_world_size()
        x = torch.arange(7.0) + rank
        for _ in range(ranks - 1):
            got = torch.empty_like(x)
            sending = dist.isend(x, (rank + 1) % ranks)
            dist.recv(got, (rank - 1) % ranks)
            sending.wait()
            x = got
        dist.broadcast(x, 1)
        return x.tolist()

    def calls(run):
        rows = [
            (one.rank, one.posted_s, one.kind, one.peer, one.size_bytes) for one in run.exchanges
        ]
        return [(rank, *row) for rank, _, *row in sorted(rows, key=lambda row: row[:2])]

    real, light = run(program, ranks=3)[0], run_light(program, 3)
    assert real.results == light.results
    assert sorted(calls(real)) == sorted(calls(light))


def test_a_cells_lines_are_told_and_its_variables_are_sent():
    import linecache

    text = (
        "import os, torch\n"
        "import torch.distributed as dist\n"
        "shift = torch.ones(2)\n"
        "def cell():\n"
        "    dist.all_reduce(shift)\n"
        "    return shift.tolist(), os.environ['OF_THE_NOTEBOOK']\n"
    )
    linecache.cache["<cell 7>"] = (len(text), None, text.splitlines(True), "<cell 7>")
    space = {"__name__": "__main__"}
    exec(compile(text, "<cell 7>", "exec"), space)
    with mock.patch.dict(os.environ, {"OF_THE_NOTEBOOK": "set"}):
        done, _ = run(space["cell"])
    del linecache.cache["<cell 7>"]
    assert done.results == (([2.0, 2.0], "set"), ([2.0, 2.0], "set"))
    assert {(one.line, one.text) for one in done.exchanges} == {(5, "dist.all_reduce(shift)")}


@only_whole
def test_a_program_is_not_run_again_in_its_ranks(tmp_path):
    """A script without ``if __name__ == "__main__"`` launches once."""
    script = tmp_path / "script.py"
    script.write_text(
        "print('begins', flush=True)\n"
        "import torch.distributed as dist\n"
        "from gpuedu.multi import launch\n"
        "def rank(): return dist.get_rank()\n"
        "print(launch(rank, 2).results, flush=True)\n"
    )
    done = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, timeout=300, check=True
    )
    assert done.stdout.splitlines() == ["begins", "(0, 1)"]
    assert done.stderr == ""


def test_a_launch_from_a_thread():
    found = []
    thread = threading.Thread(target=lambda: found.append(run(dist.get_rank)[0].results))
    thread.start()
    thread.join()
    assert found == [(0, 1)]


def test_the_first_rank_that_fails_is_told_with_its_traceback():
    def fails():
        if dist.get_rank() == 1:
            raise KeyError("weights")
        dist.barrier()

    with pytest.raises(RankError, match="rank 1 failed: KeyError: 'weights'") as told:
        run(fails)
    assert told.value.rank == 1
    assert 'raise KeyError("weights")' in str(told.value)
    assert "rank.py" not in str(told.value)  # it begins with the learner's function


def test_a_rank_that_is_killed_is_told():
    def dies():
        if dist.get_rank() == 0:
            os.kill(os.getpid(), 9)
        dist.barrier()

    with pytest.raises(RankError, match=r"rank 0 was killed \(SIGKILL\)"):
        run(dies)


def test_a_rank_that_was_killed_begins_again_with_all_others():
    def dies_once(path):
        attempt = int(os.environ["TORCHELASTIC_RESTART_COUNT"])
        if dist.get_rank() == 1 and attempt == 0:
            os.kill(os.getpid(), 9)
        dist.barrier()
        return attempt

    done, _ = run(dies_once, "", restarts=2)
    assert (done.results, done.restarts) == ((1, 1), 1)


@only_whole
def test_restarts_that_are_used_up_tell_the_last_failure():
    def dies():
        raise ValueError(os.environ["TORCHELASTIC_RESTART_COUNT"])

    with pytest.raises(RankError, match="failed: ValueError: 1"):
        run(dies, restarts=1)


def test_a_deadlock_says_who_waits_for_whom_in_which_line():
    def everybody_sends_first():
        x, other = torch.zeros(4), 1 - dist.get_rank()
        dist.send(x, other)
        dist.recv(x, other)

    with pytest.raises(
        DeadlockError, match=r"rank 0 waits in call 1, send with rank 1 \(line"
    ) as told:
        run(everybody_sends_first, stall_s=3.0)
    assert "rank 1 waits in call 1, send with rank 0" in str(told.value)
    assert [one.name for one in told.value.waiting] == ["rank 0", "rank 1"]


@only_whole
def test_a_rank_that_is_done_does_not_hide_a_deadlock():
    def waits_for_one_that_left():
        if dist.get_rank() == 0:
            dist.recv(torch.zeros(1), 1)

    with pytest.raises(DeadlockError, match=r"rank 0 waits in call 1, recv.*rank 1 is done"):
        run(waits_for_one_that_left, stall_s=3.0)


@pytest.mark.parametrize(
    ("shapes", "order", "told"),
    sampled(
        [
            (
                (4, 5),
                ("all_reduce", "all_reduce"),
                r"is all_reduce\(\(4,\) float32, SUM\).*all_reduce\(\(5,\)",
            ),
            ((4, 4), ("all_reduce", "barrier"), r"is all_reduce.*of rank 1 it is barrier"),
        ],
        every=2,
    ),
)
def test_ranks_that_disagree_are_told_by_call_shape_and_line(shapes, order, told):
    def disagree():
        rank = dist.get_rank()
        dist.barrier()
        if order[rank] == "barrier":
            dist.barrier()
        else:
            dist.all_reduce(torch.zeros(shapes[rank]))

    with pytest.raises(CommunicationError, match=f"collective 2 of rank 0 {told}") as fault:
        run(disagree, stall_s=3.0)
    assert "(line" in str(fault.value)


@only_whole  # in CI tests/multi/launch/test_trials.py has one that hangs
def test_a_rank_that_never_ends_is_ended():
    def hangs():
        if dist.get_rank() == 1:
            time.sleep(3600)

    with pytest.raises(LaunchError, match=r"did not finish in time: .*rank 1 computes"):
        run(hangs, time_limit_s=20.0)


def test_a_rank_that_leaves_is_told():
    def leaves():
        if dist.get_rank() == 1:
            os._exit(0)
        dist.barrier()

    with pytest.raises(
        RankError, match=r"rank 1 ended before its function had returned|rank 0 failed"
    ):
        run(leaves)


def test_what_a_rank_started_ends_with_it():
    mark = f"gpuedu-orphan-{os.getpid()}"

    def starts_others():
        if os.fork() == 0:
            time.sleep(3600)
        waits = [sys.executable, "-c", "import time; time.sleep(3600)", mark]
        subprocess.Popen(waits, start_new_session=True)
        return True

    run(starts_others)
    assert orphans_of(mark) == []


def test_output_is_bounded():
    def shouts():
        print("x" * 3_000_000)

    _, shown = run(shouts, ranks=1)
    assert sum(len(text) for _, text in shown) < 25_000
    assert shown[-1][1].strip() == "... and more, which is not shown"


def _server_has_a_child(mark):
    server = server_pid()
    return server is not None and psutil.Process(server).children() != []


@pytest.mark.parametrize(
    "is_time",
    [
        pytest.param(
            _server_has_a_child,
            id="while they start",
            marks=pytest.mark.skipif(start_method() != "forkserver", reason="there is no server"),
        ),
        pytest.param(Path.exists, id="while they run"),
    ],
)
def test_an_interruption_ends_the_ranks(tmp_path, is_time):
    mark = tmp_path / "runs"

    def hangs():
        mark.touch()
        time.sleep(3600)

    def interrupt():
        while not is_time(mark):
            time.sleep(0.001)
        os.kill(os.getpid(), 2)

    thread = threading.Thread(target=interrupt)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        run(hangs)
    thread.join()


@pytest.mark.parametrize(
    ("function", "ranks", "options", "told"),
    [
        (lambda: None, 0, {}, "at least one rank, got 0"),
        (lambda: None, 10**6, {}, "ranks take about .* is free"),
        (lambda: None, 2, {"backend": "nccl"}, "need 2 GPUs, and there are 0"),
    ],
)
def test_what_cannot_be_started_is_refused_at_once(function, ranks, options, told):
    if options and torch.cuda.device_count() >= ranks:
        pytest.skip("there are GPUs enough")
    with pytest.raises(LaunchError, match=told):
        run(function, ranks=ranks, **options)


def test_a_function_that_cannot_be_sent_is_told_by_name():
    lock = threading.Lock()

    def holds_a_lock():
        return lock

    with pytest.raises(LaunchError, match="`holds_a_lock` and its arguments cannot be sent"):
        run(holds_a_lock)


def test_a_result_that_cannot_be_sent_back_is_told_by_its_kind():
    def returns_a_lock():
        return threading.Lock()

    with pytest.raises(RankError, match="what it returned, a lock, cannot be sent back"):
        run(returns_a_lock)


@pytest.mark.skipif(start_method() != "forkserver", reason="there is no server here")
def test_the_server_ends_when_it_is_asked_to_and_begins_anew():
    run(dist.get_rank)
    stop_server()
    assert not [
        one for one in psutil.Process().children() if "forkserver" in " ".join(one.cmdline())
    ]
    before = look_around()
    assert run(dist.get_rank)[0].results == (0, 1)
    assert look_around() == before


@pytest.mark.skipif(start_method() != "forkserver", reason="there is no server here")
def test_time_that_is_up_while_the_server_starts_leaves_the_next_launch_able_to():
    for limit_s in (0.02, 0.05, 0.1, 0.2, 0.4):
        stop_server()
        with pytest.raises(TimeLimitExceeded), time_limit(limit_s):
            call_learner(lambda: run(time.sleep, 3600))
    assert run(dist.get_rank)[0].results == (0, 1)
