"""Submissions that would take the class's process much time or memory, or stop it."""

from __future__ import annotations

import copy
import json
import os
import zipfile

import nbformat
import pytest

from gpuedu.course.checkout import release_folder
from gpuedu.course.workspace.matching import forget, names
from gpuedu.grading.batch.running import Progress
from gpuedu.grading.batch.submissions import find_submissions
from gpuedu.grading.commands import _print_graded, _warn
from gpuedu.grading.reading import ReadingLimits, SubmissionError, read_submission, submission
from gpuedu.grading.reading.released import read
from gpuedu.grading.reading.submission import notebook_in
from gpuedu.grading.verdict import GradingTask, State

LESSON = "00_welcome"


@pytest.fixture(scope="module")
def released():
    return nbformat.read(release_folder() / LESSON / f"{LESSON}.ipynb", as_version=4)


@pytest.fixture
def notebook(released):
    return json.loads(nbformat.writes(released))


def hand_in(folder, notebook):
    path = folder / f"{LESSON}.ipynb"
    path.write_text(json.dumps(notebook))
    return path


@pytest.mark.parametrize("kind", [[], {}, 3, None])
def test_a_cell_of_no_type_is_passed_over(kind, tmp_path, notebook, released):
    notebook["cells"].append({"cell_type": kind, "source": "x", "metadata": {}})
    got = read_submission(hand_in(tmp_path, notebook), LESSON, released)
    assert "first-check-answer" in got.answers


@pytest.mark.parametrize("name", [[], {}, 3])
def test_a_cell_of_no_name_is_passed_over(name, tmp_path, notebook, released):
    del notebook["cells"][-1]
    odd = {"cell_type": "code", "source": "x = 1", "metadata": {"nbgrader": {"grade_id": name}}}
    notebook["cells"].append(odd | {"outputs": [], "execution_count": None})
    got = read_submission(hand_in(tmp_path, notebook), LESSON, released)
    assert "first-check-answer" in got.answers


def test_long_cells_are_not_searched(tmp_path, notebook, released, monkeypatch):
    seen = []
    monkeypatch.setattr("gpuedu.course.workspace.matching._DEFINED", _Spy(seen))
    long = {"cell_type": "code", "source": "# " + "x" * 300_000, "metadata": {}, "outputs": []}
    notebook["cells"] = [long, *notebook["cells"]]
    for cell in notebook["cells"]:
        cell.pop("id", None)
        cell["metadata"] = {}  # so that cells are known by what they define
        cell["source"] = f"{''.join(cell['source'])} # mine"
    read_submission(hand_in(tmp_path, notebook), LESSON, released)
    assert seen, "no cell was searched"
    assert max(map(len, seen)) <= ReadingLimits().source_bytes
    assert len(seen) == len(set(seen)), "a cell was searched more than once"


class _Spy:
    def __init__(self, seen):
        self._seen = seen

    def finditer(self, source):
        self._seen.append(source)
        return iter(())


@pytest.mark.parametrize("text", ["def f{}(\n", "f{} = 1\n"])
def test_a_cell_of_many_names_is_known_by_few(text):
    """Sets of all names in thirty megabytes would be made, and compared with each answer's."""
    source = "".join(text.format(number) for number in range(12_000))
    assert 0 < len(names(source)) <= 1_000
    forget()


def test_a_deep_notebook_of_an_older_format_is_the_learners_fault(tmp_path):
    """It is read, and then a copy of it would not end."""
    text = (
        '{"nbformat": 3, "nbformat_minor": 0, "metadata": {"name": "x", "y": DEEP}, "worksheets": '
    )
    text += '[{"metadata": {}, "cells": [{"cell_type": "code", "language": "python", "input": "x", '
    text += '"collapsed": false, "outputs": [], "metadata": {"z": DEEP}}]}]}'
    for deep in (400, 700, 5_000):
        path = tmp_path / f"{deep}.ipynb"
        path.write_text(text.replace("DEEP", '{"a":' * deep + "1" + "}" * deep))
        read(
            GradingTask("eve", LESSON, str(path), 1)
        )  # a submission, or the verdict that it is none


def test_what_no_grader_looks_at_is_left_out(tmp_path, notebook):
    answer = next(one for one in notebook["cells"] if one.get("id") == "first-check-answer")
    own = copy.deepcopy(answer["metadata"])
    answer["metadata"] |= {"transient": {"remove_source": True}, "tags": 5, "id": "colab"}
    answer["metadata"]["gpuedu"] |= {"more": [{}] * 1000}
    answer["outputs"] = [{"output_type": "stream", "name": "stdout", "text": "x" * 10**6}]
    notebook["metadata"]["x"] = [{}] * 1000
    mine = notebook_in(hand_in(tmp_path, notebook), LESSON)
    (found,) = [one for one in mine.cells if one.id == "first-check-answer"]
    expected = {key: own[key] for key in ("gpuedu", "nbgrader")} | {"id": "colab"}
    assert (found.metadata, found.outputs) == (expected, [])
    assert set(mine.metadata) == {"gpuedu", "kernelspec"}


def test_too_many_objects_are_refused_unread(tmp_path, notebook, monkeypatch):
    """Each takes a quarter of a kilobyte, before anything of them can be left out."""
    monkeypatch.setattr(submission, "parse", lambda *_: pytest.fail("it was read"))
    notebook["metadata"]["x"] = {f"{number}": {} for number in range(220_000)}
    with pytest.raises(SubmissionError, match="too many values"):
        notebook_in(hand_in(tmp_path, notebook), LESSON)


def test_a_long_list_of_files_is_refused_unread(tmp_path, released, monkeypatch):
    path = tmp_path / f"{LESSON}.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for number in range(60):
            archive.writestr(zipfile.ZipInfo(f"{number}/"), b"")
    monkeypatch.setattr(zipfile, "is_zipfile", lambda path: True)
    monkeypatch.setattr(zipfile, "ZipFile", None)
    with pytest.raises(SubmissionError, match="more than 1 files"):
        read_submission(path, LESSON, released, ReadingLimits(files=1))


def test_a_member_of_no_name_costs_nothing(tmp_path, notebook, released):
    path = tmp_path / f"{LESSON}.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(f"{LESSON}.ipynb", json.dumps(notebook))
        archive.writestr("xyz.txt", "")
    path.write_bytes(path.read_bytes().replace(b"xyz.txt", b"\0yz.txt"))
    assert zipfile.ZipFile(path).namelist()[1] == ""
    assert read_submission(path, LESSON, released).repairs == ()


def test_an_archive_that_is_another_learners_is_refused(tmp_path, notebook, released):
    theirs, mine = tmp_path / "theirs.zip", tmp_path / f"{LESSON}.zip"
    with zipfile.ZipFile(theirs, "w") as archive:
        archive.writestr(f"{LESSON}.ipynb", json.dumps(notebook))
    os.link(theirs, mine)
    with pytest.raises(SubmissionError, match="hard link"):
        read_submission(mine, LESSON, released)


def test_a_folder_whose_name_is_no_text_is_told_and_passed_over(tmp_path, notebook):
    (tmp_path / "ada" / LESSON).mkdir(parents=True)
    hand_in(tmp_path / "ada" / LESSON, notebook)
    (tmp_path / os.fsdecode(b"Jos\xe9")).mkdir()
    told = []
    tasks = find_submissions(tmp_path, "secret", tell=told.append)
    assert [task.learner for task in tasks] == ["ada"]
    assert len(told) == 1
    assert "not UTF-8" in told[0]


def test_names_of_files_can_be_written_wherever_they_are_told(tmp_path):
    folder = tmp_path / LESSON
    folder.mkdir()
    (folder / "x\x1b[2J\n[9] bob.txt").write_text("x")
    (folder / os.fsdecode(b"\xff.ipynb")).mkdir()
    (folder / os.fsdecode(b"\xfe.ipynb")).symlink_to("/etc/passwd")
    verdict = read(GradingTask("ada", LESSON, str(folder), 1))
    assert verdict.state is State.FAILED_BY_LEARNER
    verdict.reason.encode("utf-8")
    assert verdict.reason.isprintable()


def test_nothing_of_a_learners_moves_the_cursor(capsys):
    task = GradingTask("eve\x1b[2K\n[2/2] bob", LESSON, "", 1)
    _print_graded(Progress(task, "graded", 1.0, 0.1, 1, 2))
    _warn("skipped: \udcff\x1b[2J\r")
    told = capsys.readouterr()
    assert told.out.count("\n") == told.err.count("\n") == 1
    assert "\x1b" not in told.out + told.err
