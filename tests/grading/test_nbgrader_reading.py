"""What nbgrader shows and enters is what was judged, whatever a submission's folder has in it."""

from __future__ import annotations

import json
import os
import zipfile
from copy import deepcopy
from shutil import rmtree

import nbformat
import pytest

from gpuedu.grading.reading import ReadingLimits
from gpuedu.grading.verdict import read_verdicts
from tests.grading.classroom import (
    LESSON,
    answered,
    exported,
    hand_in,
    make_course,
    nbgrader,
    released,
)
from tests.sampled import WHOLE

NAME = f"{LESSON}.ipynb"
OWN = "# only ann wrote this\n"
ALIKE = ("marked", "windows", "copied", "below", "several", "late", "waits", "b[r]")
"""Learners whom CI leaves out: what they did is read as another's is."""


def folder_of(course, learner):
    made = course / "submitted" / learner / LESSON
    made.mkdir(parents=True)
    return made


@pytest.fixture(scope="module")
def course(tmp_path_factory, zygote):
    """A class that handed in the same in many ways, and was graded."""
    course = make_course(tmp_path_factory.mktemp("class"))
    nbgrader(course, "generate_assignment", LESSON)
    full, little = answered(course), answered(course, "first-check")
    for cell in full.cells:
        cell.source = OWN + cell.source if cell.id == "first-check-answer" else cell.source
    right = hand_in(course, "ann", full)
    text = nbformat.writes(full)

    twice = json.loads(released(course))
    twice["cells"] += deepcopy(json.loads(text)["cells"])
    (folder_of(course, "doubled") / NAME).write_text(json.dumps(twice))
    long = json.loads(text)
    for cell in long["cells"]:
        if cell["id"] == "honest-timer-answer":
            cell["source"] = "# long" + "x" * 250_000
    (folder_of(course, "long") / NAME).write_text(json.dumps(long))
    much = json.loads(text)
    for place in range(20):
        own = {
            "cell_type": "markdown",
            "id": f"own{place}",
            "metadata": {},
            "source": "<&" * 30_000,
        }
        much["cells"].append(own)
    (folder_of(course, "much") / NAME).write_text(json.dumps(much))
    for learner, data in (
        ("marked", b"\xef\xbb\xbf" + text.encode()),
        ("wide", text.encode("utf-16")),
        ("windows", text.encode("cp1252", "replace")),
        ("nothing", b""),
        ("half", text.encode()[:-500]),
    ):
        (folder_of(course, learner) / NAME).write_bytes(data)
    (folder_of(course, "named") / "mine.ipynb").write_text(text)
    (folder_of(course, "copied") / f"{LESSON} (1).ipynb").write_text(text)
    (folder_of(course, "b[r]") / NAME).write_text(text)
    below = folder_of(course, "below") / "deep"
    below.mkdir()
    (below / NAME).write_text(text)
    with zipfile.ZipFile(folder_of(course, "packed") / "all.zip", "w") as archive:
        archive.writestr(NAME, text)
    hand_in(course, "several", little)
    (right.parents[2] / "several" / LESSON / "other.ipynb").write_text(text)

    (folder_of(course, "linked") / NAME).symlink_to(right)
    both = folder_of(course, "both")
    (both / NAME).symlink_to(right)
    (both / "mine.ipynb").write_text(nbformat.writes(little))
    (course / "submitted" / "whole").mkdir()
    (course / "submitted" / "whole" / LESSON).symlink_to(right.parent)
    notes = hand_in(course, "notes", little).parent
    (notes / "notes.txt").symlink_to(course / "verdicts" / "class-secret.txt")
    (notes / "endless").symlink_to("/dev/zero")
    (notes / "data.txt").write_text("theirs")
    (course / "elsewhere.txt").write_text("not theirs")
    (notes / "hard.txt").hardlink_to(course / "elsewhere.txt")
    heap = hand_in(course, "heap", little).parent
    with (heap / "heap.bin").open("wb") as file:
        file.truncate(ReadingLimits().total_bytes + 1)
    shy = json.loads(text)
    for one in shy["cells"]:
        one["metadata"] |= {"transient": {"remove_source": True}, "tags": 5}
    (folder_of(course, "shy") / NAME).write_text(json.dumps(shy))
    torn = json.loads(text)
    for one in torn["cells"]:
        if one["id"] == "first-check-answer":
            one["source"] += "\n# half a character: \ud83d"
    torn["cells"].append({"cell_type": "markdown", "id": "own", "metadata": {}, "source": "\ud83d"})
    (folder_of(course, "torn") / NAME).write_text(json.dumps(torn))
    os.mkfifo(hand_in(course, "waits", little).parent / "timestamp.txt")
    (hand_in(course, "late", little).parent / "timestamp.txt").symlink_to("/dev/zero")
    hand_in(course, "new\nline", little)

    for learner in ALIKE if not WHOLE else ():
        rmtree(course / "submitted" / learner)

    nbgrader(course, "autograde", LESSON)
    nbgrader(course, "autograde", LESSON, "--force")
    nbgrader(course, "generate_feedback", LESSON)
    return course


def verdicts_in(course):
    return {one["learner"]: one for one in read_verdicts(course / "verdicts")}


def test_the_gradebook_has_every_verdict(course):
    verdicts = verdicts_in(course)
    points = {who: float(row["score"]) for (_, who), row in exported(course).items()}
    assert points == {who: one["points"] for who, one in verdicts.items()}
    assert "new\nline" not in verdicts  # nbgrader cannot have such a name, and it stops nobody
    whole = points["ann"]
    alike = (
        "shy",
        "torn",
        "doubled",
        "marked",
        "wide",
        "windows",
        "named",
        "copied",
        "b[r]",
        "below",
        "packed",
    )
    for learner in alike:
        assert points.get(learner, whole) == whole, learner
    failed = {who for who, one in verdicts.items() if one["state"] != "graded"}
    assert failed == {"nothing", "half", "linked", "whole", "heap"}


def test_the_cells_that_are_shown_were_judged(course):
    given = {one["id"]: "".join(one["source"]) for one in json.loads(released(course))["cells"]}
    for learner, verdict in verdicts_in(course).items():
        path = course / "autograded" / learner / LESSON / NAME
        for cell in nbformat.read(path, as_version=4).cells:
            if "-answer" in cell.id and cell.id in given:
                wanted = verdict["answers"].get(cell.id, given[cell.id])
                assert cell.source.rstrip() == wanted.rstrip(), (learner, cell.id)


def test_metadata_of_a_learner_hides_no_answer(course):
    whole, shy = (
        (course / "feedback" / who / LESSON / f"{LESSON}.html").read_text("utf-8")
        for who in ("ann", "shy")
    )
    assert "only ann wrote this" in whole and "only ann wrote this" in shy


def test_endless_texts_make_no_endless_page(course):
    page = course / "feedback" / "much" / LESSON / f"{LESSON}.html"
    assert page.stat().st_size < 3_000_000
    assert "are shown up to" in page.read_text("utf-8")


def test_nothing_behind_a_link_is_shown(course):
    for learner in ("linked", "both", "whole"):
        page = (course / "feedback" / learner / LESSON / f"{LESSON}.html").read_text("utf-8")
        assert "only ann wrote this" not in page, learner
    there = {one.name for one in (course / "feedback" / "notes" / LESSON).iterdir()}
    assert there == {f"{LESSON}.html", "data.txt"}
    assert [one.suffix for one in (course / "feedback" / "heap" / LESSON).iterdir()] == [".html"]
    page = (course / "feedback" / "half" / LESSON / f"{LESSON}.html").read_text("utf-8")
    assert "this is not a notebook" in page
