"""A folder of verdicts that is spoiled: nothing graded is lost, and what is wrong is one line."""

from __future__ import annotations

import os
from dataclasses import replace

import pytest

from gpuedu.errors import GpueduError
from gpuedu.grading.batch.ledger import Ledger
from gpuedu.grading.batch.secret import DIGEST, NAME, class_secret
from gpuedu.grading.batch.submissions import seed_for
from gpuedu.grading.sandbox import PlayingLimits
from gpuedu.grading.verdict import (
    GradingTask,
    State,
    Verdict,
    read_verdicts,
    verdict_name,
    write_verdict,
)
from tests.grading.batch.class_of import ROOT
from tests.grading.batch.test_class import LESSON, gpuedu_in

SECRET = "the word of a class"


@pytest.fixture
def out(tmp_path):
    """A folder with its secret and one verdict, on Ann's submission."""
    out = tmp_path / "out"
    out.mkdir()
    (out / NAME).write_text(SECRET)
    verdict = Verdict(task_of(tmp_path), State.GRADED, digest="abc")
    write_verdict(out, verdict_name(verdict.task, "abc", verdict.course), verdict)
    return out


def task_of(folder):
    path = folder / "submitted" / "ann" / LESSON / f"{LESSON}.ipynb"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes((ROOT / "notebooks" / LESSON / f"{LESSON}.ipynb").read_bytes())
    return GradingTask("ann", LESSON, str(path.parent), seed_for(SECRET, "ann"))


@pytest.mark.parametrize(
    "text", ["", '{"format": 1, "lea', '{"format": 1}', "[" * 100_000, "\0", '{"format": 2}', None]
)
def test_a_file_that_is_no_verdict_is_named_by_every_command(text, out, tmp_path):
    (path,) = out.glob("*.verdict.json")
    path.unlink()
    path.mkdir() if text is None else path.write_text(text)
    with pytest.raises(GpueduError, match=path.name):
        read_verdicts(out)
    with pytest.raises(GpueduError, match=path.name):
        opened = Ledger(out, PlayingLimits()).open(task_of(tmp_path))
        Ledger(out, PlayingLimits()).keep(opened, Verdict(opened.task, State.GRADED, digest="def"))
    assert path.exists()


def test_a_verdict_that_is_moved_meanwhile_is_none(out):
    (out / "gone.verdict.json").symlink_to(out / "nowhere")
    assert [one["learner"] for one in read_verdicts(out)] == ["ann"]


def test_no_other_secret_is_drawn_where_that_of_verdicts_is_gone(out, tmp_path):
    (out / NAME).unlink()
    with pytest.raises(GpueduError, match=rf"is gone.*put {NAME} back"):
        class_secret(out)
    own = tmp_path / "own.txt"
    own.write_text("another word")
    with pytest.raises(GpueduError, match="another secret before"):
        class_secret(out, own)
    assert not (out / NAME).exists() and not (out / DIGEST).exists()
    own.write_text(SECRET)
    assert class_secret(out, own) == SECRET


def test_a_secret_that_is_no_text_is_told(out, tmp_path):
    own = tmp_path / "own.txt"
    own.write_bytes(b"\xff\xfe\xff")
    with pytest.raises(GpueduError, match=r"own\.txt is not text"):
        class_secret(out, own)
    (out / NAME).write_bytes(b"\xff\xfe\xff")
    with pytest.raises(GpueduError, match=rf"{NAME} is not text"):
        class_secret(out)


def test_numbers_of_a_class_are_not_forgotten_with_the_note_of_them(out, tmp_path):
    task = replace(task_of(tmp_path), learner="bob", variant="abcdefghijkl")
    write_verdict(out, "b.verdict.json", Verdict(task, State.GRADED, digest="bcd"))
    with pytest.raises(GpueduError, match=r"variants\.txt, which says whose they are, is gone"):
        Ledger(out, PlayingLimits()).open(task_of(tmp_path))


def test_a_failure_of_ours_is_forgotten_where_there_is_a_verdict(out, tmp_path):
    ledger, task = Ledger(out, PlayingLimits()), task_of(tmp_path)
    opened = ledger.open(task)
    ledger.keep(opened, Verdict(opened.task, State.GRADED, digest=opened.digest))
    ledger.fail(task, "a fault of another run")
    assert [one["state"] for one in read_verdicts(out)] == ["failed: grader"]
    assert ledger.open(task).state == "there"
    assert [one["state"] for one in read_verdicts(out)] == ["graded"]


@pytest.mark.parametrize("place", ["/proc/none", "/dev/null", "submitted/ann/file"])
def test_where_nothing_can_be_written_is_one_line(place, tmp_path):
    task_of(tmp_path)
    (tmp_path / "submitted" / "ann" / "file").write_text("")
    done = gpuedu_in(tmp_path, "grade", "submitted", "--out", place)
    assert done.returncode == 1
    assert f"\ngpuedu: cannot write in {place}" in f"\n{done.stderr}"
    assert "Traceback" not in done.stderr


def test_a_full_disk_loses_no_verdict_and_leaves_none_half_written(out, tmp_path, monkeypatch):
    there = {path.name: path.read_text() for path in out.iterdir()}

    def full(handle):
        raise OSError(28, os.strerror(28))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(GpueduError, match=r"cannot write in .*No space left"):
        Ledger(out, PlayingLimits()).fail(task_of(tmp_path), "a fault")
    assert {path.name: path.read_text() for path in out.iterdir()} == there


def test_a_lesson_that_there_is_not_is_told(tmp_path):
    task_of(tmp_path)
    done = gpuedu_in(tmp_path, "grade", "submitted", "--out", "v", "--lesson", "nowhere")
    assert done.returncode == 1
    assert "no lesson is called 'nowhere'" in done.stderr
