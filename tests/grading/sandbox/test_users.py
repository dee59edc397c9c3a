"""Whoever grades, no process of a learner's is root's, and none has a right that root gives."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import psutil
import pytest

from gpuedu.grading.batch.jobs import Job
from gpuedu.grading.batch.worker import Worker
from gpuedu.grading.judge.sources import sources_digest
from gpuedu.grading.judge.stage import Stage
from gpuedu.grading.sandbox import (
    PlayingLimits,
    SandboxError,
    bubblewrap,
    hidden,
    mounts,
    users,
)
from gpuedu.grading.sandbox.copies import FolderForACopy, copy_course
from gpuedu.grading.sandbox.users import (
    PLAYERS,
    players_user,
    require_ordinary_user,
    require_readable,
)
from gpuedu.grading.verdict import GradingTask

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root has rights to give up")
_RIGHTS = ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")


def status_of(process):
    """What the kernel says of a process, seen from outside of the sandbox."""
    lines = Path(f"/proc/{process.pid}/status").read_text().splitlines()
    return {name: told.split() for name, _, told in (line.partition(":") for line in lines)}


def rights_of(process):
    status = status_of(process)
    return {int(status[name][0], 16) for name in _RIGHTS}


@pytest.fixture
def processes(zygote):
    """Python's processes in the sandbox while a learner's code is there: the player is last."""
    request = {"do": "load", "lesson": "welcome", "exercise": "first-check", "limit_s": 2.0}
    request |= {"cells": [["a", "def copied_bytes(n, itemsize): ..."]]}
    with Stage(zygote, PlayingLimits()) as stage:
        assert stage.learner().ask({**request, "arguments": ["copied_bytes"]}, 9.0)["given"]
        inside = psutil.Process(zygote._process.pid).children(recursive=True)
        yield [one for one in inside if one.name().startswith("python")]


def test_no_process_that_a_player_comes_from_is_roots(processes):
    assert (
        len(processes) == 4
    )  # the warm one, the warden, process 1 of the compartment, and the player
    for process in processes:
        assert {*process.uids()} == {players_user() or os.geteuid()}
        assert 0 not in process.gids()


def test_a_player_has_no_capability_and_cannot_get_one(processes):
    assert rights_of(processes[-1]) == {0}
    assert status_of(processes[-1])["NoNewPrivs"] == ["1"]


@as_root
def test_processes_that_grade_side_by_side_have_different_players(monkeypatch):
    mine = players_user()
    monkeypatch.setattr(os, "getpid", lambda: 12_345)
    other = players_user()
    monkeypatch.setattr(os, "getpid", lambda: 12_346)
    assert PLAYERS - 400 < players_user() == other - 1 and mine <= PLAYERS


@as_root
def test_nothing_of_roots_is_left_in_the_warm_process(processes):
    assert rights_of(processes[0]) == {0}
    assert status_of(processes[0])["Groups"] == []


@as_root
def test_the_course_is_seen_below_a_folder_that_only_root_may_enter(tmp_path, monkeypatch, zygote):
    package = tmp_path / "closed" / "gpuedu"
    for name in hidden._PACKAGES:
        (package / name).mkdir(parents=True)
    (package / "here.txt").write_text("seen")
    package.parent.chmod(0o700)
    for module in (bubblewrap, mounts):
        monkeypatch.setattr(module, "PACKAGE", package)
    program = (
        f"import os; os.setresgid(*[{PLAYERS}] * 3); os.setresuid(*[{PLAYERS}] * 3)\n"
        f"print(open({str(package / 'here.txt')!r}).read(), open('/etc/hosts').read())"
    )
    with FolderForACopy() as made:
        course = copy_course(package, Path(made))
        command = bubblewrap.command([sys.executable, "-c", program], course)
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stdout.startswith("seen 127.0.0.1"), done.stderr


def test_a_sandbox_has_no_terminal_and_the_devices_that_programs_need(tmp_path):
    """Terminals are the whole machine's, and it has few."""
    names = "null zero full random urandom shm fd stdin stdout stderr"
    program = f"import os; print(sorted(os.listdir('/dev')) == sorted({names.split()!r}))"
    command = bubblewrap.command([sys.executable, "-c", program], tmp_path)
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "True", done.stderr


def test_a_folder_that_its_owner_alone_can_read_is_refused_where_root_grades(tmp_path, monkeypatch):
    shared, closed = tmp_path / "shared", tmp_path / "closed"
    shared.mkdir(mode=0o755)
    closed.mkdir(mode=0o700)
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    require_readable([shared])
    with pytest.raises(SandboxError, match="closed can be read by its owner alone") as refused:
        require_readable([shared, closed])
    assert "chmod -R o+rX" in refused.value.remedy
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    require_readable([closed])


@pytest.mark.parametrize("refused", [bubblewrap._OF_A_USER, bubblewrap._OF_ROOT])
def test_a_machine_on_which_players_would_be_root_is_refused(refused, monkeypatch):
    tried = {}

    def why_not(_program, namespaces, user):
        tried[namespaces] = user
        return "not permitted" if namespaces is refused else ""

    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(bubblewrap, "_why_not", why_not)
    with pytest.raises(SandboxError, match="not permitted") as told:
        bubblewrap._require_namespaces.__wrapped__("bwrap")
    assert "start the grader as an ordinary user" in told.value.remedy
    assert tried[bubblewrap._OF_A_USER] == players_user()


def test_a_machine_that_does_not_know_the_players_user_is_told(monkeypatch):
    def run(*_arguments, user, **_settings):
        raise OSError(22, "Invalid argument")

    monkeypatch.setattr(subprocess, "run", run)
    told = bubblewrap._why_not("bwrap", bubblewrap._OF_A_USER, PLAYERS)
    assert told == f"nothing can run as user {PLAYERS}: Invalid argument"


def test_code_without_a_sandbox_is_for_ordinary_users(monkeypatch):
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    require_ordinary_user()
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    with pytest.raises(SandboxError, match="as root") as told:
        require_ordinary_user()
    assert "leave it out" in told.value.remedy


def test_a_worker_that_is_root_takes_no_such_code(monkeypatch):
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    here = {"course": version("gpuedu"), "sources": sources_digest("00_welcome")}
    task = GradingTask("ann", "00_welcome", "", 7)
    job = Job(task, {}, (), "", exercises=(), limits=PlayingLimits(), sandbox=False, **here)
    reply = Worker().reply(job)
    assert reply.is_unfit and "as root" in reply.fault


LEAVES = """
import os, sys
folders = [folder for folder, _, _ in os.walk("/") if not folder.startswith(("/proc", "/sys"))]
for folder in folders:
    try:
        os.mkdir(folder + "/left")
        print(folder)
    except OSError:
        pass
"""


@pytest.mark.parametrize("is_ordinary", [True, pytest.param(False, marks=as_root)])
def test_nothing_can_be_left_but_in_folders_of_ones_own(is_ordinary, monkeypatch, zygote):
    """An ordinary user owns all that bubblewrap makes, the folder of devices among it."""
    if is_ordinary:
        monkeypatch.setattr(bubblewrap, "players_user", lambda: None)
    with FolderForACopy() as made:
        course = copy_course(mounts.PACKAGE, Path(made))
        command = bubblewrap.command([sys.executable, "-c", LEAVES], course)
        found = subprocess.run(command, capture_output=True, text=True)
    assert found.returncode == 0, found.stderr
    own = ("/tmp", *bubblewrap.writable_folders())
    beside = [one for one in found.stdout.split() if not one.startswith(own)]
    assert not beside


@pytest.mark.parametrize(
    ("before", "after"),
    [((256, 2**24), 2**20), ((2**21, 2**24), 2**21), ((256, 4096), 4096)],
)
def test_a_grader_takes_as_many_files_as_it_may_have(before, after, monkeypatch):
    """What players leave in flight counts against its limit where it is their user."""
    taken = []
    monkeypatch.setattr(users.os, "geteuid", lambda: 1000)
    monkeypatch.setattr(users.resource, "getrlimit", lambda _what: before)
    monkeypatch.setattr(users.resource, "setrlimit", lambda _what, limits: taken.append(limits))
    users.allow_files()
    assert taken == ([] if after == before[0] else [(after, before[1])])


def test_too_few_files_are_told_before_a_class_is_graded(monkeypatch):
    monkeypatch.setattr(users.os, "geteuid", lambda: 1000)
    monkeypatch.setattr(users.resource, "getrlimit", lambda _what: (256, 1024))
    with pytest.raises(SandboxError, match="1024 files open here, and a grader needs 4096"):
        users.allow_files()
