"""Every task ends, whatever those that grade make of it; with a crew that does as it is told."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from gpuedu import cli
from gpuedu.errors import GpueduError
from gpuedu.grading.batch import running
from gpuedu.grading.batch.jobs import Reply
from gpuedu.grading.batch.running import TRIES, grade_class
from gpuedu.grading.verdict import GradingTask, State, Verdict, read_verdicts
from tests.grading.batch.class_of import ROOT
from tests.grading.batch.test_class import LESSON


class PlannedCrew:
    """Answers each learner's jobs by a list of replies; the last of them again and again."""

    def __init__(self, plan, room=2):
        self.plan, self.room, self.jobs, self.asked, self.ended = plan, room, [], [], False

    def has_room(self):
        return len(self.jobs) < self.room

    def take(self, job):
        assert self.has_room()
        self.jobs.append(job)
        self.asked.append(job.task.learner)

    def replies(self):
        job, self.jobs = self.jobs[0], self.jobs[1:]
        plan = self.plan[job.task.learner]
        reply = plan.pop(0) if len(plan) > 1 else plan[0]
        if isinstance(reply, Exception):
            raise reply
        return [(job, reply or Reply(Verdict(job.task, State.GRADED, digest=job.digest)))]

    def end(self):
        self.ended = True


def grade(tmp_path, monkeypatch, *, sandbox=False, **plan):
    path = ROOT / "notebooks" / LESSON / f"{LESSON}.ipynb"
    tasks = [GradingTask(learner, LESSON, str(path), seed) for seed, learner in enumerate(plan)]
    crew, told = PlannedCrew(plan), []
    monkeypatch.setattr(running, "_crew", lambda *_: crew)
    try:
        grade_class(tasks, tmp_path, told.append, sandbox=sandbox)
    finally:
        assert crew.ended
    return crew, told


def test_who_the_judge_was_slow_with_is_tried_again_when_nothing_else_runs(tmp_path, monkeypatch):
    slow = Reply(fault="slow", is_slow=True)
    beside = []
    take = PlannedCrew.take

    def counting(self, job):
        take(self, job)
        if job.task.learner in ("ann", "bob") and self.asked.count(job.task.learner) > 1:
            beside.append((len(self.jobs) - 1, self.asked.count("dan")))

    monkeypatch.setattr(PlannedCrew, "take", counting)
    plan = {"ann": [slow, slow, None], "bob": [slow], "cy": [None], "dan": [None]}
    _, told = grade(tmp_path, monkeypatch, **plan)
    assert beside == [(0, 1)] * 4
    ends = {one.task.learner: one.state for one in told}
    assert ends == {"ann": "graded", "bob": "failed: grader", "cy": "graded", "dan": "graded"}


def test_what_starts_processes_is_graded_alone_where_players_are_the_graders_user(
    tmp_path, monkeypatch, zygote
):
    """What the kernel counts by user, a neighbor could take."""
    lessons = [GradingTask("ann", one, "", 1) for one in ("24_ddp_in_practice", LESSON)]
    assert running._alone(lessons) == {lessons[0]}
    beside = []
    take = PlannedCrew.take

    def counting(self, job):
        take(self, job)
        beside.append((job.task.learner, len(self.jobs) - 1))

    monkeypatch.setattr(PlannedCrew, "take", counting)
    monkeypatch.setattr(running, "players_user", lambda: None)
    monkeypatch.setattr(
        running, "_alone", lambda tasks: {one for one in tasks if one.learner in ("ann", "bob")}
    )
    plan = {"ann": [None], "bob": [None], "cy": [None], "dan": [None]}
    _, told = grade(tmp_path, monkeypatch, sandbox=True, **plan)
    assert beside == [("cy", 0), ("dan", 1), ("ann", 0), ("bob", 0)]
    assert len(told) == 4


def test_the_last_try_has_no_neighbor(tmp_path, monkeypatch):
    fault, beside = Reply(fault="a neighbor's doing"), []
    take = PlannedCrew.take

    def counting(self, job):
        take(self, job)
        if self.asked.count("ann") == TRIES and job.task.learner == "ann":
            beside.append(len(self.jobs) - 1)

    monkeypatch.setattr(PlannedCrew, "take", counting)
    others = {name: [None] for name in ("bob", "cy", "dan")}
    grade(tmp_path, monkeypatch, ann=[fault, fault, None], **others)
    assert beside == [0]


def test_a_fault_of_ours_is_tried_again_and_then_ends_as_ours(tmp_path, monkeypatch):
    fault = Reply(fault="no luck")
    crew, told = grade(tmp_path, monkeypatch, ann=[fault, fault, None], bob=[fault], cy=[None])
    assert {who: crew.asked.count(who) for who in ("ann", "bob", "cy")} == {
        "ann": 3,
        "bob": TRIES,
        "cy": 1,
    }
    ends = {one.task.learner: (one.state, one.fault) for one in told}
    assert ends == {
        "ann": ("graded", ""),
        "bob": ("failed: grader", "no luck"),
        "cy": ("graded", ""),
    }
    assert [one.done for one in told] == [1, 2, 3]
    assert {one["learner"]: one["reason"] for one in read_verdicts(tmp_path)}["bob"] == "no luck"
    _, told = grade(tmp_path, monkeypatch, ann=[None], bob=[None], cy=[None])
    assert {one.task.learner: one.state for one in told} == {
        "ann": "there",
        "bob": "graded",
        "cy": "there",
    }
    assert len(read_verdicts(tmp_path)) == 3  # the note of the failure is gone


def test_a_place_that_is_unfit_costs_a_submission_no_try(tmp_path, monkeypatch):
    unfit = Reply(fault="no sandbox", is_unfit=True)
    crew, (end,) = grade(tmp_path, monkeypatch, ann=[unfit] * (TRIES + 2) + [None])
    assert (end.state, len(crew.asked)) == ("graded", TRIES + 3)


def test_where_nobody_is_left_the_class_ends_and_what_is_graded_is_kept(tmp_path, monkeypatch):
    with pytest.raises(GpueduError, match="nobody"):
        grade(tmp_path, monkeypatch, ann=[None], bob=[GpueduError("nobody")], cy=[None])
    assert [one["learner"] for one in read_verdicts(tmp_path)] == ["ann"]


def test_a_submission_that_cannot_even_be_opened_stops_nobody(tmp_path, monkeypatch):
    opened = running.Ledger.open

    def fails(ledger, task):
        if task.learner == "ann":
            raise OSError("the disk is gone")
        return opened(ledger, task)

    monkeypatch.setattr(running.Ledger, "open", fails)
    _, told = grade(tmp_path, monkeypatch, ann=[None], bob=[None])
    assert {one.task.learner: one.state for one in told} == {
        "ann": "failed: grader",
        "bob": "graded",
    }
    assert "the disk is gone" in json.dumps(read_verdicts(tmp_path))


@pytest.mark.parametrize("state, status", [(State.GRADED, 0), (State.FAILED_BY_GRADER, 1)])
def test_the_command_tells_whether_something_is_not_graded(tmp_path, monkeypatch, state, status):
    (tmp_path / "submitted" / "ann" / LESSON).mkdir(parents=True)
    monkeypatch.setattr(running, "grade_class", lambda *_, **__: {state: 1, State.GRADED: 2})
    command = ["grade", str(tmp_path / "submitted"), "--out", str(tmp_path / "verdicts")]
    done = CliRunner().invoke(cli.app, command)
    assert done.exit_code == status, done.output
