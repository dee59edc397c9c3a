"""What a teacher sees of learners' feedback, also where files are hostile."""

from __future__ import annotations

import os

import pytest

from gpuedu.exercises.progress.feedback import MOST_BYTES, Feedback, Tried, to_json
from gpuedu.grading.report.feedback import (
    MOST_FILES,
    as_rows,
    by_exercise,
    feedback_page,
    receive,
    remarks,
)
from tests.test_cli import gpuedu

HOSTILE = "<script>alert(1)</script>\x1b[2K\u202e & `x`"
ANN = Feedback(
    (Tried("blocks", 3, 0, True, 10, {"guard": 2}), Tried("amdahl", 1, 0, True, 1, {})),
    {"unclear": HOSTILE},
    "Ann <b>",
)
BOB = Feedback((Tried("blocks", 8, 2, False, 45, {"guard": 6, "inside": 1}),), {"helped": "hints"})


@pytest.fixture
def folder(tmp_path):
    for name, one in (("ann", ANN), ("bob", BOB)):
        (tmp_path / f"{name}.json").write_text(to_json(one), "utf-8")
    return tmp_path


def test_exercises_are_added_up_in_the_order_of_the_course(folder):
    received = receive([folder])
    amdahl, blocks = by_exercise(received.feedback)
    assert (amdahl.exercise, amdahl.tried, amdahl.solved) == ("amdahl", 1, 1)
    assert (blocks.tried, blocks.solved, blocks.checks, blocks.hints) == (2, 1, 5.5, 1)
    assert (blocks.minutes, blocks.lost) == (27.5, (("guard", 2), ("inside", 1)))
    assert as_rows([blocks])[0] == (
        *("blocks", "2", "1", "5.5", "1", "27.5"),
        "guard (2), inside (1)",
    )


def test_remarks_come_by_question_with_the_name_of_whoever_gave_one(folder):
    found = remarks(receive([folder]).feedback)
    assert [(one.question, one.name) for one in found] == [
        ("What was unclear?", "Ann <b>"),
        ("What helped you?", ""),
    ]


def test_files_that_are_no_feedback_are_named_and_passed_over(folder):
    (folder / "c.json").write_text("{}")
    (folder / "d.json").write_bytes(b"\xff\xfe\x00")
    (folder / "e.json").write_text(" " * MOST_BYTES + "{}")
    (folder / "f.json").symlink_to(folder / "bob.json")
    (folder / "g.json").write_text(to_json(ANN), "utf-8")
    os.mkfifo(folder / "h.json")
    (folder / "i.json").mkdir()
    received = receive([folder, folder / "none.json"])
    assert len(received.feedback) == 2
    reasons = {path.rpartition("/")[2]: why for path, why in received.passed_over}
    assert reasons == {
        "c.json": "it is no file of `gpuedu feedback`",
        "d.json": "it is no text",
        "e.json": f"it has more than {MOST_BYTES:,} bytes",
        "f.json": "it is no file",
        "g.json": "it is the same as ann.json",
        "h.json": "it is no file",
        "i.json": "it is no file",
        "none.json": "it is no file",
    }


def test_there_is_an_end_of_files(folder, monkeypatch):
    monkeypatch.setattr("gpuedu.grading.report.feedback.MOST_FILES", 1)
    received = receive([folder])
    assert len(received.feedback) == 1
    assert received.passed_over == ((str(folder / "bob.json"), "there are more than 1 files"),)
    assert MOST_FILES > 1000


def test_nothing_that_somebody_sent_becomes_markup(folder):
    (folder / "<i>.json").write_text("{}")
    page = feedback_page(receive([folder]))
    assert "<script>" not in page and "Ann <b>" not in page and "<i>.json" not in page
    assert "\x1b" not in page and "\u202e" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;\\x1b[2K\\u202e &amp;" in page
    assert "1 of 2" in page and "guard (2), inside (1)" in page


def test_the_page_reads_in_a_narrow_window(folder, chromium):
    page = chromium.new_page(viewport={"width": 375, "height": 700})
    page.set_content(feedback_page(receive([folder])))
    assert page.evaluate("document.documentElement.scrollWidth") <= 375
    page.close()


def test_the_command_takes_files_and_folders(root, folder):
    (folder / "c.json").write_text("{}")
    out = folder / "page.html"
    done = gpuedu(root, "report", "--feedback", str(folder), "--page", str(out))
    assert done.returncode == 0, done.stderr
    assert "2 files" in done.stdout and "blocks" in done.stdout
    assert "\x1b[2K" not in done.stdout and "What helped you? hints" in done.stdout
    assert "c.json: it is no file of" in done.stderr
    assert out.read_text("utf-8").startswith("<!DOCTYPE html>")
    none = gpuedu(root, "report", "--feedback", str(folder / "c.json"))
    assert none.returncode == 1 and "there is no feedback" in none.stderr


def test_a_report_of_verdicts_is_of_one_folder(root, folder):
    done = gpuedu(root, "report", str(folder), str(folder))
    assert done.returncode == 1 and "one folder of verdicts" in done.stderr
