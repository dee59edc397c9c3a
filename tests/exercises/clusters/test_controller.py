"""What stands in for Slurm takes whatever is said to it, and believes no more than a command does."""

from __future__ import annotations

import json
import os
import signal
import socket
import sys

import pytest

from gpuedu.exercises.clusters.batch_job.controller import Controller
from gpuedu.exercises.clusters.batch_job.job_parts import Job

ASKED = {"do": "program", "words": ["torchrun", "train.py"], "env": {}, "cwd": "/", "pid": 1}


@pytest.fixture
def controller(tmp_path):
    job = Job("4711", ("gpu03", "gpu09"), (1, 1), "warned", may_requeue=True)
    found = Controller(tmp_path, job, [sys.executable, "-c", "pass"])
    found.path = str(tmp_path / "socket")
    yield found
    found.end()


def link(controller, *lines):
    made = socket.socket(socket.AF_UNIX)
    made.settimeout(10)
    made.connect(controller.path)
    for one in lines:
        made.sendall((one if isinstance(one, bytes) else json.dumps(one).encode()) + b"\n")
    serve(controller)
    return made


def serve(controller, times=5, *, is_idle=True):
    for _ in range(times):
        controller.serve(0.01, is_idle=is_idle)


def reply_of(made):
    return json.loads(made.recv(4096))


@pytest.mark.parametrize(
    "line",
    [
        *(b"{", b"[" * 20_000, b"\xff\xfe", b"[]", b"null", b"7", b'"saved"', b"1e999"),
        *({**ASKED, "words": "x"}, {**ASKED, "words": [1]}, {**ASKED, "words": ["\0"]}),
        *({**ASKED, "env": []}, {**ASKED, "env": {"a": 1}}, {**ASKED, "cwd": None}),
        *({**ASKED, "do": "saved"}, {**ASKED, "do": "__init__"}, {**ASKED, "pid": "1"}),
        *({**ASKED, "words": []}, {**ASKED, "words": ["python", "x.py"]}, {"event": "saved"}),
        {**ASKED, "words": ["x"] * 2_000},
    ],
)
def test_what_no_command_says_changes_nothing(controller, line):
    with link(controller, line, 10, {"event": "saved"}):
        serve(controller)
        assert (controller.programs, controller.saved, controller.requeues) == ([], 0, [])


def test_a_program_saves_at_a_signal_after_the_warning_and_takes_its_time(controller):
    asked = {**ASKED, "words": ["torchrun", "--signals-to-handle=SIGUSR1", "train.py"]}
    controller.is_warned = True
    with link(controller, asked, signal.SIGUSR1.value, signal.SIGUSR1.value) as made:
        serve(controller, 40, is_idle=False)
        assert controller.saved == 0 and controller.is_saving
        serve(controller, 60)
        assert controller.saved == 1
        assert reply_of(made) == {"status": 1}


def test_torchrun_dies_of_a_signal_and_who_stays_saves_nothing(controller):
    controller.is_warned = True
    with link(controller, ASKED, signal.SIGUSR1.value) as made:
        assert reply_of(made) == {"signal": 10}
        made.sendall(b"10\n")
        serve(controller, 60)
        assert controller.saved == 0


def test_a_program_that_has_gone_saves_nothing(controller):
    asked = {**ASKED, "words": ["python", "train.py"]}
    controller.is_warned = True
    link(controller, asked, signal.SIGUSR1.value).close()
    serve(controller, 60)
    assert (len(controller.programs), controller.saved) == (1, 0)


def test_a_requeue_ends_whatever_saves(controller):
    controller.is_warned = True
    controller.shell = os.getpid()
    took = []
    before = signal.signal(signal.SIGTERM, lambda *_: took.append("TERM"))
    try:
        with link(controller, {**ASKED, "words": ["python", "train.py"]}, 10):
            link(controller, {**ASKED, "do": "requeue", "words": ["4711"]}).close()
            serve(controller, 60)
    finally:
        signal.signal(signal.SIGTERM, before)
    assert controller.requeues == [{"job": "4711", "saved": 0}]
    assert (controller.saved, took) == (0, ["TERM"])


def test_tasks_have_the_streams_and_the_places_of_a_step(controller):
    reading, writing = os.pipe()
    words = [
        "--label",
        "sh",
        "-c",
        "echo $SLURM_PROCID on $SLURMD_NODENAME of $SLURM_NTASKS; exit 3",
    ]
    asked = {**ASKED, "do": "srun", "words": words, "env": {"PATH": "/bin:/usr/bin", "=": "x"}}
    with socket.socket(socket.AF_UNIX) as made:
        made.connect(controller.path)
        line = json.dumps(asked).encode() + b"\n"
        socket.send_fds(made, [line], [writing, writing, writing, writing, writing])
        os.close(writing)
        while controller.has_left or not controller.changes:
            controller.serve(0.01, is_idle=True)
        assert reply_of(made)["status"] == 3
    with os.fdopen(reading) as lines:
        assert sorted(lines) == ["0 on gpu03 of 2\n", "1 on gpu09 of 2\n"]


def test_a_command_that_is_not_there_is_told(controller):
    with link(controller, {**ASKED, "do": "srun", "words": ["nothing-of-this-name"]}) as made:
        reply = reply_of(made)
    assert reply["status"] == 2
    assert "execve(): nothing-of-this-name: No such file" in reply["says"]


def test_more_links_than_a_job_needs_are_closed(controller):
    made = []
    for _ in range(230):
        made.append(socket.socket(socket.AF_UNIX))
        made[-1].connect(controller.path)
        controller.serve(0, is_idle=True)
    serve(controller, 5)
    made[-1].settimeout(10)
    assert made[-1].recv(1) == b""
    for one in made:
        one.close()
    serve(controller, 3)
    with link(controller, {**ASKED, "do": "sbatch"}) as one:
        assert reply_of(one) == {"status": 0}
    assert controller.others == {"sbatch"}
