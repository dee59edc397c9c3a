"""Grader processes: one that is killed, one that cannot grade, one whose course is out of date."""

from __future__ import annotations

import os
import signal
from dataclasses import replace
from pathlib import Path

import pytest

from gpuedu.errors import GpueduError
from gpuedu.grading.batch import processes, remote
from gpuedu.grading.batch.jobs import Reply
from gpuedu.grading.batch.ledger import Ledger
from gpuedu.grading.batch.processes import GraderProcess, LocalCrew
from gpuedu.grading.sandbox import PlayingLimits, cgroups
from gpuedu.grading.sandbox.cgroups import can_limit
from gpuedu.grading.verdict import GradingTask
from tests.grading.batch.class_of import ROOT
from tests.grading.batch.test_class import LESSON


@pytest.fixture
def job(tmp_path, request):
    path = ROOT / "notebooks" / LESSON / f"{LESSON}.ipynb"
    sandbox = os.geteuid() == 0  # root's players are in one, or are not at all
    if sandbox:
        request.getfixturevalue("zygote")  # skips where there is none
    ledger = Ledger(tmp_path, PlayingLimits(), sandbox=sandbox)
    return replace(
        ledger.open(GradingTask("ann", LESSON, str(path), 7)), exercises=("first-check",)
    )


def test_a_grader_that_is_killed_is_a_fault_of_ours_and_is_replaced(job):
    crew = LocalCrew(1)
    try:
        crew.take(job)
        assert not crew.has_room()
        os.kill(crew._processes[0]._process.pid, signal.SIGKILL)
        ((asked, reply),) = crew.replies()
        assert asked is job
        assert reply == Reply(fault="the worker ended (status -9)")
        crew.take(job)
        ((_, reply),) = crew.replies()
        assert reply.verdict.exercises[0].state == "unsolved"
        crew.take(replace(job, sources="others"))
        with pytest.raises(GpueduError, match="has different sources from the class's"):
            crew.replies()
        crew.take(replace(job, course="99.0"))
        with pytest.raises(GpueduError, match=r"the class is graded with 99\.0"):
            crew.replies()
    finally:
        crew.end()


@pytest.mark.parametrize("is_remote", [False, True])
def test_a_grader_that_hangs_is_ended_and_the_class_goes_on(job, is_remote, monkeypatch):
    def ask():
        if is_remote:
            return remote.grade_here(job)
        crew.take(job)
        return crew.replies()[0][1]

    crew = LocalCrew(1)
    try:
        assert ask().verdict.exercises[0].state == "unsolved"
        process = remote._kept.process if is_remote else crew._processes[0]
        os.kill(process._process.pid, signal.SIGSTOP)
        monkeypatch.setattr(processes, "JOB_LIMIT_S", 0.2)
        assert ask() == Reply(fault="the worker did not reply within 0.2 s")
        assert not process.is_alive()
        monkeypatch.undo()
        assert ask().verdict.exercises[0].state == "unsolved"
    finally:
        crew.end()
        if is_remote:
            remote._kept.__dict__.pop("process").end()


def test_a_judge_that_swells_is_ended_and_the_class_goes_on(job, monkeypatch):
    """It reads what rooms send: whatever its own limits miss, the machine is not taken with it."""
    if not (job.sandbox and can_limit()):
        pytest.skip("no control groups")
    monkeypatch.setattr(cgroups, "_JUDGES", PlayingLimits(memory_bytes=16 * 2**20))
    crew = LocalCrew(1)
    try:
        crew.take(job)
        ((_, reply),) = crew.replies()
        assert reply.fault == "the worker ended (status -9)"
        monkeypatch.undo()
        crew.take(job)
        process = crew._processes[0]._process.pid
        assert f"gpuedu-{os.getpid()}-" in Path(f"/proc/{process}/cgroup").read_text()
        ((_, reply),) = crew.replies()
        assert reply.verdict.exercises[0].state == "unsolved"
    finally:
        crew.end()
    assert not [
        one
        for one, _ in cgroups._parents(PlayingLimits())
        if any(one.glob(f"gpuedu-{os.getpid()}-*"))
    ]


class OldProcess:
    """A grader process that loaded another course, until there is a new one in its place."""

    made = 0

    def __init__(self):
        OldProcess.made += 1
        self.mine, self.ended = OldProcess.made, False

    def is_alive(self):
        return True

    def send(self, job):
        assert not self.ended

    def receive(self):
        return Reply(fault=f"process {self.mine}", is_unfit=self.mine == 1)

    def end(self):
        self.ended = True


def test_a_thread_of_a_cluster_keeps_its_grader_and_renews_one_that_is_out_of_date(
    job, monkeypatch
):
    monkeypatch.setattr(remote, "GraderProcess", OldProcess)
    monkeypatch.setattr(remote, "_kept", type("Kept", (), {})())
    assert remote.grade_here(job) == Reply(fault="process 1", is_unfit=True)
    assert [remote.grade_here(job).fault for _ in range(2)] == ["process 2", "process 2"]


def test_a_process_that_is_ended_twice_is_no_error():
    process = GraderProcess()
    process.end(0.0)
    process.end()
    assert not process.is_alive()
