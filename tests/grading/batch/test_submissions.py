"""Submissions are found under nearly any name, and what is passed over is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpuedu.errors import GpueduError
from gpuedu.grading.batch.submissions import find_submissions, lesson_named, seed_for
from gpuedu.syllabus import ready_lessons


def find(folder, lessons=None):
    told = []
    found = find_submissions(folder, "s", lessons, tell=told.append)
    return [(one.learner, one.lesson, one.path.rpartition("/")[2]) for one in found], told


def lay(folder, *names):
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.mkdir() if name.endswith("/") else path.touch()


def test_submissions_are_found_as_nbgrader_lays_them_out(tmp_path):
    lay(
        tmp_path, "ann/00_welcome/", "ann/01_why_gpus/", "cy/00_welcome.zip", "dan/00_welcome.ipynb"
    )
    found, told = find(tmp_path)
    assert found == [
        ("ann", "00_welcome", "00_welcome"),
        ("ann", "01_why_gpus", "01_why_gpus"),
        ("cy", "00_welcome", "00_welcome.zip"),
        ("dan", "00_welcome", "00_welcome.ipynb"),
    ]
    assert told == []
    assert len(find(tmp_path, ["00_welcome"])[0]) == 3
    with pytest.raises(GpueduError, match="no submission in"):
        find(tmp_path, ["20_collectives"])
    with pytest.raises(GpueduError, match="is not a folder"):
        find(tmp_path / "none")


@pytest.mark.parametrize(
    "name",
    [
        "01_why_gpus (1).ipynb",
        "01_why_gpus(12).zip",
        "01_why_gpus-2.ZIP",
        "01_why_gpus - Copy (2).ipynb",
        "01_why_gpus-copy.zip",
        "1_why_gpus",
        "01 Why GPUs.ipynb",
    ],
)
def test_a_name_that_is_nearly_a_lessons_is_taken_where_there_is_no_other(tmp_path, name):
    lay(tmp_path, f"ann/{name}" + "/" * ("." not in name))
    assert find(tmp_path) == ([("ann", "01_why_gpus", name)], [])
    lay(tmp_path, "ann/01_why_gpus/")
    found, told = find(tmp_path)
    assert found == [("ann", "01_why_gpus", "01_why_gpus")]
    assert len(told) == 1
    assert f"ann/{name}: there is 01_why_gpus, which has" in told[0]


@pytest.mark.parametrize(
    "name",
    ["01_why_gpus_notes.ipynb", "why_gpus.ipynb", "01.zip", "notes.txt", "01_why_gpus.tar.gz", "_"],
)
def test_a_name_that_belongs_to_no_lesson_is_told(tmp_path, name):
    assert lesson_named(name) == ""
    lay(tmp_path, "bob/00_welcome/", f"bob/{name}")
    found, told = find(tmp_path)
    assert [one[1] for one in found] == ["00_welcome"]
    (line,) = told
    assert line.startswith(f"skipped: {tmp_path}/bob/{name}: its name is not that of a lesson")


def test_of_several_submissions_of_a_lesson_none_is_taken_and_each_is_told(tmp_path):
    lay(tmp_path, "ann/01_why_gpus (1).ipynb", "ann/01_why_gpus (2).ipynb", "ann/00_welcome.zip")
    lay(tmp_path, "bob/01_why_gpus.zip", "bob/01_why_gpus.ipynb", "bob/01_why_gpus-copy.zip")
    found, told = find(tmp_path)
    assert found == [("ann", "00_welcome", "00_welcome.zip")]
    assert len(told) == 5
    assert "(1).ipynb: it is one of 2 submissions of this lesson: keep one of them" in told[0]
    assert "bob/01_why_gpus.zip: it is one of 2" in told[-1]


def test_thousands_of_files_of_one_learner_are_told_in_few_lines(tmp_path):
    lay(tmp_path, *(f"ann/01_why_gpus ({n}).ipynb" for n in range(3000)))
    lay(tmp_path, *(f"ann/00_welcome ({n}).ipynb" for n in range(300)), "ann/00_welcome.ipynb")
    lay(tmp_path, *(f"ann/notes {n}" for n in range(3000)), "bob/00_welcome (1).ipynb")
    found, told = find(tmp_path)
    assert [one[0] for one in found] == ["ann", "bob"]
    assert len(told) == 3 * 11
    assert sum(map(len, told)) < 40 * 300
    counted = [line for line in told if line.startswith(f"skipped: {tmp_path}/ann: ")]
    assert [line.rsplit(": ")[-1] for line in counted] == [
        "2,990 more like these",
        "290 more like these",
        "2,990 more like these",
    ]


def test_nothing_is_passed_over_in_silence(tmp_path, monkeypatch):
    without_last = ready_lessons()[:-1]
    monkeypatch.setattr("gpuedu.grading.batch.submissions.ready_lessons", lambda: without_last)
    lay(tmp_path, "ann/00_welcome/", "ann/41_capstone.zip", ".git/00_welcome/", "README.md", "cy/")
    (tmp_path / "eve").symlink_to(tmp_path / "ann")
    found, told = find(tmp_path)
    assert [one[0] for one in found] == ["ann"]
    why = dict(line.removeprefix(f"skipped: {tmp_path}/").split(": ", 1) for line in told)
    assert why == {
        ".git": "its name begins with a dot",
        "README.md": "not a learner's folder",
        "ann/41_capstone.zip": "this lesson is in preparation",
        "cy": "it is empty",
        "eve": "a symbolic link, which is not followed: put the folder itself there",
    }


def test_every_learner_has_cases_of_their_own():
    seeds = {seed_for(secret, learner) for secret in "ab" for learner in ("ann", "bob", "cy")}
    assert len(seeds) == 6
    assert seed_for("a", "ann") == seed_for("a", "ann")


@pytest.mark.parametrize("name", ["iterdir", "is_dir"])
def test_a_learners_folder_that_cannot_be_read_is_passed_over(name, tmp_path, monkeypatch):
    """Without the right to list it, or to look at what is in it."""
    lay(tmp_path, "ann/00_welcome/", "bob/00_welcome/")
    look = getattr(Path, name)

    def refused(self):
        if "bob" in (self.name if name == "iterdir" else self.parent.name):
            raise PermissionError(13, "Permission denied")
        return look(self)

    monkeypatch.setattr(Path, name, refused)
    found, told = find(tmp_path)
    assert [learner for learner, *_ in found] == ["ann"]
    assert told == [f"skipped: {tmp_path}/bob: it cannot be read: Permission denied"]
