"""What is graded already: nothing twice, and of a regrade only what is out of date."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from gpuedu.grading.batch import ledger as ledgers
from gpuedu.grading.batch.jobs import Done, Job
from gpuedu.grading.batch.ledger import SET_ASIDE, Ledger
from gpuedu.grading.judge.sources import _package_digest, sources_digest
from gpuedu.grading.sandbox import PlayingLimits
from gpuedu.grading.verdict import (
    ExerciseVerdict,
    GradingTask,
    State,
    Verdict,
    read_verdict,
    read_verdicts,
    verdict_from,
    write_verdict,
)
from tests.grading.batch.class_of import ROOT, make_class
from tests.grading.batch.test_class import LESSON, comparable, run_command

EXERCISES = ("first-check", "honest-timer", "bandwidth", "launch-bound")


@pytest.fixture
def task(tmp_path):
    path = tmp_path / f"{LESSON}.ipynb"
    path.write_bytes((ROOT / "notebooks" / LESSON / f"{LESSON}.ipynb").read_bytes())
    return GradingTask("ann", LESSON, str(path), 7)


@pytest.fixture
def ledger(tmp_path):
    made = Ledger(tmp_path / "out", PlayingLimits())
    made.sweep()
    return made


def verdict_on(job, points, sources):
    """What a worker with these sources would say."""
    judged = [
        ExerciseVerdict(one, points, 3.0, "partly", (), judged_by=sources) for one in job.exercises
    ]
    answers = {"digest": job.digest, "repairs": job.repairs, "course": job.course}
    return Verdict(job.task, State.GRADED, exercises=tuple(judged), **answers)


def points_in(done):
    return {one["id"]: one["points"] for one in read_verdict(done.path)["exercises"]}


def test_a_later_submission_sets_the_verdict_on_the_earlier_aside(ledger, task, tmp_path):
    other = replace(task, learner="bob")
    kept = ledger.keep(job := ledger.open(other), verdict_on(job, 1.0, "now"))
    first = ledger.keep(job := ledger.open(task), verdict_on(job, 1.0, "now"))
    path = tmp_path / f"{LESSON}.ipynb"
    path.write_text(path.read_text("utf-8") + "\n", "utf-8")
    again = Ledger(ledger.out, PlayingLimits())
    second = again.keep(job := again.open(task), verdict_on(job, 2.0, "now"))
    assert not first.path.exists()
    assert (ledger.out / SET_ASIDE / first.path.name).exists()
    assert {one["learner"]: one["points"] for one in read_verdicts(ledger.out)} == {
        "ann": 8.0,
        "bob": 4.0,
    }
    assert kept.path.exists()
    assert Ledger(ledger.out, PlayingLimits()).open(task) == Done(second.path, "there")


def test_one_ledger_sets_aside_what_it_wrote_itself_and_a_regrade_does_too(ledger, task, tmp_path):
    path = tmp_path / f"{LESSON}.ipynb"
    for regrade in ((), (EXERCISES[0],)):
        book = Ledger(ledger.out, PlayingLimits(), regrade=regrade)
        for points in (1.0, 2.0):
            path.write_text(path.read_text("utf-8") + "\n", "utf-8")
            done = book.keep(job := book.open(task), verdict_on(job, points, "now"))
            assert list(ledger.out.glob("*.json")) == [done.path]


def test_what_has_a_verdict_is_there_and_the_job_has_no_path(ledger, task):
    job = ledger.open(task)
    assert isinstance(job, Job)
    assert job.exercises == EXERCISES
    assert task.path not in repr(job)
    kept = ledger.keep(job, verdict_on(job, 1.0, job.sources))
    assert (kept.state, kept.points) == ("graded", 4.0)
    assert ledger.open(task) == Done(kept.path, "there")
    assert isinstance(replace(ledger, again=True).open(task), Job)


def test_a_regrade_judges_what_is_out_of_date_and_keeps_the_rest(ledger, task, monkeypatch):
    job = ledger.open(task)
    before = ledger.keep(job, verdict_on(job, 1.0, job.sources))
    regrade = replace(ledger, regrade=("bandwidth", "first-check"))
    assert regrade.open(task).state == "there"  # nothing was mended
    monkeypatch.setattr(ledgers, "sources_digest", lambda lesson: "mended")
    again = regrade.open(task)
    assert again.exercises == ("first-check", "bandwidth")
    done = regrade.keep(again, verdict_on(again, 3.0, "mended"))
    assert (done.path, done.state, done.points) == (before.path, "regraded", 8.0)
    expected = dict.fromkeys(EXERCISES, 1.0) | {"first-check": 3.0, "bandwidth": 3.0}
    assert points_in(done) == expected
    told = read_verdict(done.path)
    assert [(one["id"], one["points_before"]) for one in told["regraded"]] == [
        ("first-check", 1.0),
        ("bandwidth", 1.0),
    ]
    # A regrade that was killed behind this submission does not judge it again.
    assert regrade.open(task) == Done(done.path, "there")
    assert replace(regrade, again=True).open(task).exercises == again.exercises
    # Another exercise is still as it was judged before.
    other = replace(ledger, regrade=("launch-bound",))
    assert other.open(task).exercises == ("launch-bound",)


def test_a_verdict_of_another_version_is_taken_over_by_a_regrade(ledger, task, monkeypatch):
    job = ledger.open(task)
    before = ledger.keep(job, verdict_on(job, 1.0, job.sources))
    monkeypatch.setattr(ledgers, "version", lambda name: "99.0")
    regrade = replace(ledger, regrade=("bandwidth",))
    monkeypatch.setattr(ledgers, "sources_digest", lambda lesson: "mended")
    again = regrade.open(task)
    assert again.exercises == ("bandwidth",)
    old = before.path.read_bytes()
    done = regrade.keep(again, verdict_on(again, 0.0, "mended"))
    assert list(ledger.out.iterdir()) == [done.path]
    assert done.path != before.path
    assert read_verdict(done.path)["regraded"][0]["course_before"] == job.course
    # Killed between writing the new one and removing the old one.
    before.path.write_bytes(old)
    assert replace(regrade).open(task) == Done(done.path, "there")
    assert list(ledger.out.iterdir()) == [done.path]


def test_an_exercise_that_the_verdict_lacks_is_added_in_its_place(ledger, task, monkeypatch):
    job = ledger.open(task)
    verdict = verdict_on(job, 1.0, job.sources)
    done = ledger.keep(job, replace(verdict, exercises=verdict.exercises[1:]))
    regrade = replace(ledger, regrade=("first-check",))
    again = regrade.open(task)
    assert again.exercises == ("first-check",)
    regrade.keep(again, verdict_on(again, 2.0, job.sources))
    assert list(points_in(done)) == list(EXERCISES)
    assert read_verdict(done.path)["regraded"] == []  # it had no points before


def test_what_could_not_be_read_or_has_no_verdict_is_as_without_a_regrade(ledger, task, tmp_path):
    regrade = replace(ledger, regrade=("first-check",))
    assert regrade.open(task).exercises == EXERCISES
    (tmp_path / f"{LESSON}.ipynb").write_text("{")
    failed = regrade.open(task)
    assert failed.state == State.FAILED_BY_LEARNER
    assert regrade.open(task) == Done(failed.path, "there")


def test_a_verdict_comes_out_of_its_file_as_it_went_in(ledger, task):
    job = ledger.open(task)
    regraded = {"id": "x", "points_before": 1.0, "course_before": "0.1.0"}
    verdict = replace(verdict_on(job, 1.5, "s"), answers={"a": "b"}, regraded=(regraded,))
    path = write_verdict(ledger.out, "x.verdict.json", verdict)
    told = read_verdict(path)
    assert verdict_from(told, job.task) == verdict
    told["exercises"][0].pop("judged_by")  # as an older version wrote it
    told.pop("regraded")
    assert verdict_from(told, job.task).exercises[0].judged_by == ""


def test_the_digest_of_the_sources_sees_every_change_and_no_rubbish(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "x.py").write_text("1")

    def digest():
        _package_digest.cache_clear()
        return _package_digest(tmp_path)

    try:
        first = digest()
        (tmp_path / "a" / "x.pyc").write_text("1")
        assert digest() == first
        (tmp_path / "a" / "x.py").write_text("2")
        second = digest()
        (tmp_path / "a" / "x.py").rename(tmp_path / "a" / "y.py")
        assert len({first, second, digest()}) == 3
    finally:
        _package_digest.cache_clear()
    assert sources_digest("00_welcome") != sources_digest("01_why_gpus")


def test_a_mended_exercise_is_judged_again_by_the_command_and_no_other(tmp_path, zygote):
    make_class(tmp_path / "submitted", LESSON, "rb", seed=4)
    out = tmp_path / "verdicts"
    command(tmp_path)
    graded = comparable(read_verdicts(out))
    for path in out.glob("*.json"):  # as a judge that was wrong would have left it
        told = json.loads(path.read_text())
        for one in told["exercises"]:
            one["points"] = 0.25
            if one["id"] == "first-check":
                one["judged_by"] = "older"
        path.write_text(json.dumps(told))
    printed = command(tmp_path, "--regrade", "first-check", "--regrade", "bandwidth")
    assert "1 regraded, 1 there" in printed
    for verdict, right in zip(comparable(read_verdicts(out)), graded, strict=True):
        assert [one["points"] for one in verdict["exercises"][1:]] == [0.25] * 3 * (
            verdict["state"] == "graded"
        )
        assert verdict["exercises"][:1] == right["exercises"][:1]
        assert verdict["answers"] == right["answers"]
    assert "2 there" in command(tmp_path, "--regrade", "first-check")


def test_an_exercise_that_there_is_not_is_an_error(tmp_path):
    make_class(tmp_path / "submitted", LESSON, "r", seed=4)
    printed = command(tmp_path, "--regrade", "bandwith", status=1)
    assert "no exercise is called 'bandwith'\n   try: bandwidth" in printed
    assert not (tmp_path / "verdicts").exists()


def command(folder, *more, status=0):
    run = run_command(folder, *more)
    printed, _ = run.communicate(timeout=120)
    assert run.returncode == status, printed
    return printed
