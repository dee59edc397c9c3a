"""Starting and updating a workspace: files, reports, kills, full disks, and open editors."""

from __future__ import annotations

import errno
import json
import os
import random
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

from gpuedu.course.workspace import folder as workspace
from gpuedu.course.workspace import staging
from gpuedu.course.workspace.folder import format_report, release_folder, start, update
from gpuedu.errors import WorkspaceError

LESSONS = ("01_why_gpus", "02_kernels")
STUB, SOLVED = "def amdahl(p, n):\n    ...", "def amdahl(p, n):\n    return 1 / (1 - p + p / n)"


def lesson_notebook(text: str, stub: str = STUB, exercise: str = "amdahl") -> nbformat.NotebookNode:
    cells = [
        nbformat.v4.new_markdown_cell(text, id="intro", metadata={"gpuedu": {"role": "text"}}),
        nbformat.v4.new_code_cell(
            stub,
            id="amdahl",
            metadata={
                "gpuedu": {"role": "answer", "exercise": exercise},
                "nbgrader": {"grade_id": "amdahl", "solution": True, "grade": False},
            },
        ),
    ]
    return nbformat.v4.new_notebook(cells=cells)


def lay_release(folder: Path, text: str, lessons=LESSONS) -> Path:
    for name in lessons:
        (folder / name / "data").mkdir(parents=True, exist_ok=True)
        notebook = lesson_notebook(f"{name}: {text}", exercise=f"amdahl-{name}")
        nbformat.write(notebook, folder / name / f"{name}.ipynb")
        (folder / name / "data" / "sizes.csv").write_text(f"{text}\n")
    return folder


@pytest.fixture
def first(tmp_path) -> Path:
    return lay_release(tmp_path / "first", "first")


@pytest.fixture
def second(tmp_path) -> Path:
    return lay_release(tmp_path / "second", "second")


@pytest.fixture
def mine(tmp_path, first) -> Path:
    """A workspace in which both lessons are answered."""
    folder = tmp_path / "mine"
    start(folder, first)
    for name in LESSONS:
        answer(folder, name, SOLVED)
    return folder


def notebook_path(folder: Path, lesson: str = LESSONS[0]) -> Path:
    return folder / lesson / f"{lesson}.ipynb"


def answer(folder: Path, lesson: str, source: str, cell_id: str = "amdahl") -> None:
    path = notebook_path(folder, lesson)
    notebook = nbformat.read(path, as_version=4)
    next(cell for cell in notebook.cells if cell.id == cell_id).source = source
    nbformat.write(notebook, path)


def sources(folder: Path, lesson: str = LESSONS[0]) -> list[str]:
    return [cell.source for cell in nbformat.read(notebook_path(folder, lesson), 4).cells]


def contents(folder: Path) -> dict[str, bytes]:
    """Every file below a folder, but the lock and the backups."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != "lock" and "backup" not in path.parts
    }


def statuses(report) -> list[str]:
    return [entry.status for entry in report.lessons]


def test_start_lays_out_every_file_and_its_base(tmp_path, first):
    (first / LESSONS[0] / ".ipynb_checkpoints").mkdir()
    (first / LESSONS[0] / ".ipynb_checkpoints" / "x.ipynb").write_text("{}")
    report = start(tmp_path / "mine", first)
    assert statuses(report) == ["new", "new"]
    released = {name: data for name, data in contents(first).items() if "checkpoints" not in name}
    based = {f".gpuedu/base/{name}": data for name, data in released.items()}
    assert contents(tmp_path / "mine") == released | based


def test_start_again_touches_nothing_and_says_that_a_newer_release_is_there(mine, second):
    before = contents(mine)
    report = start(mine, second)
    assert contents(mine) == before
    assert statuses(report) == ["behind", "behind"]
    assert "gpuedu update" in format_report(report)


def test_start_lays_out_only_what_is_missing(mine, first):
    shutil.rmtree(mine / LESSONS[1])
    assert statuses(start(mine, first)) == ["present", "new"]
    assert sources(mine)[1] == SOLVED
    assert sources(mine, LESSONS[1])[1] == STUB


def test_update_renews_the_course_and_keeps_the_answers(mine, second):
    report = update(mine, second)
    for name in LESSONS:
        assert sources(mine, name) == [f"{name}: second", SOLVED]
        assert (mine / name / "data" / "sizes.csv").read_text() == "second\n"
    assert statuses(report) == ["updated", "updated"]
    assert report.lessons[0].counts.answers_kept == 1
    told = format_report(report)
    assert "01_why_gpus: updated (1 answer kept, 1 cell renewed)" in told
    assert str(report.backup) in told


def test_update_keeps_the_learners_file_as_it_was(mine, second):
    before = notebook_path(mine).read_bytes()
    report = update(mine, second)
    assert notebook_path(report.backup).read_bytes() == before


def test_update_with_nothing_new_writes_nothing(mine, second):
    update(mine, second)
    # VS Code writes other white space: the same notebook all the same
    path = notebook_path(mine)
    path.write_text(json.dumps(json.loads(path.read_text()), indent=4))
    before, times = contents(mine), path.stat().st_mtime_ns
    report = update(mine, second)
    assert statuses(report) == ["unchanged", "unchanged"]
    assert (contents(mine), path.stat().st_mtime_ns, report.backup) == (before, times, None)
    assert "2 lessons unchanged" in format_report(report)


def test_an_unanswered_notebook_becomes_the_release_byte_for_byte(tmp_path, first, second):
    start(tmp_path / "mine", first)
    update(tmp_path / "mine", second)
    assert notebook_path(tmp_path / "mine").read_bytes() == notebook_path(second).read_bytes()


def test_update_lays_out_new_lessons_and_leaves_old_ones(tmp_path, mine):
    third = lay_release(tmp_path / "third", "first", lessons=("01_why_gpus", "03_memory"))
    before = notebook_path(mine, LESSONS[1]).read_bytes()
    report = update(mine, third)
    assert {entry.lesson: entry.status for entry in report.lessons} == {
        "01_why_gpus": "unchanged",
        "02_kernels": "gone",
        "03_memory": "new",
    }
    assert notebook_path(mine, LESSONS[1]).read_bytes() == before


def test_update_names_answers_whose_task_changed(mine, second):
    nbformat.write(lesson_notebook("x", "def amdahl(share, n): ..."), notebook_path(second))
    report = update(mine, second)
    assert sources(mine)[1] == SOLVED
    assert "The task changed, look again: amdahl" in format_report(report)


def test_update_without_its_own_folder_loses_nothing(mine, second):
    shutil.rmtree(mine / ".gpuedu")
    update(mine, second)
    texts = sources(mine)
    assert texts[0] == f"{LESSONS[0]}: second"
    assert texts[1].endswith(f"{LESSONS[0]}: first")
    assert texts[2] == SOLVED


@pytest.mark.parametrize("minor", [0, 4])
def test_an_older_minor_format_is_brought_up_to_date(mine, second, minor):
    path = notebook_path(mine)
    raw = json.loads(path.read_text())
    raw["nbformat_minor"] = minor
    for cell in raw["cells"]:
        del cell["id"]
    path.write_text(json.dumps(raw))
    update(mine, second)
    assert sources(mine) == [f"{LESSONS[0]}: second", SOLVED]
    nbformat.validate(json.loads(path.read_text()))


def test_format_3_is_brought_up_to_date(mine, second):
    path = notebook_path(mine)
    old = {
        "nbformat": 3,
        "nbformat_minor": 0,
        "metadata": {"name": ""},
        "worksheets": [
            {
                "metadata": {},
                "cells": [
                    {"cell_type": "markdown", "metadata": {}, "source": [f"{LESSONS[0]}: first"]},
                    {
                        "cell_type": "code",
                        "metadata": {},
                        "input": SOLVED.splitlines(keepends=True),
                        "outputs": [],
                        "language": "python",
                        "collapsed": False,
                    },
                ],
            }
        ],
    }
    path.write_text(json.dumps(old))
    update(mine, second)
    assert sources(mine) == [f"{LESSONS[0]}: second", SOLVED]


@pytest.mark.parametrize(
    "damage",
    [b"", b'{"cells": [', b"\xff\xfe\x00", b"[]", b"{}", b'{"nbformat": 9, "cells": []}'],
    ids=["empty", "half", "not-utf-8", "list", "no-format", "future"],
)
def test_a_damaged_notebook_is_kept_beside_a_fresh_one(mine, second, damage):
    notebook_path(mine).write_bytes(damage)
    report = update(mine, second)
    assert (mine / LESSONS[0] / f"{LESSONS[0]}.damaged-1.ipynb").read_bytes() == damage
    assert sources(mine) == [f"{LESSONS[0]}: second", STUB]
    assert statuses(report) == ["damaged", "updated"]
    assert f"{LESSONS[0]}.damaged-1.ipynb" in format_report(report)
    notebook_path(mine).write_bytes(b"again")
    update(mine, second)
    assert (mine / LESSONS[0] / f"{LESSONS[0]}.damaged-2.ipynb").read_bytes() == b"again"


def test_what_the_format_does_not_allow_is_left_out_and_the_answer_stays(mine, second):
    path = notebook_path(mine)
    raw = json.loads(path.read_text())
    raw["cells"][1]["outputs"] = [{"output_type": "nonsense"}]
    raw["cells"][1]["invented"] = True
    raw["cells"].append({"cell_type": "heading", "metadata": {}, "source": "half \ud83d a pair"})
    path.write_text(json.dumps(raw))
    update(mine, second)
    merged = json.loads(path.read_text())
    nbformat.validate(merged)
    assert sources(mine)[1:] == [SOLVED, "half \ud83d a pair"]
    assert statuses(update(mine, second)) == ["unchanged", "unchanged"]


def test_a_changed_data_file_is_renewed_and_the_learners_version_kept(mine, second):
    data = mine / LESSONS[0] / "data"
    (data / "sizes.csv").write_text("mine\n")
    report = update(mine, second)
    assert (data / "sizes.csv").read_text() == "second\n"
    assert (data / "sizes.yours-1.csv").read_text() == "mine\n"
    assert "data/sizes.csv is kept as sizes.yours-1.csv" in format_report(report)


def test_a_data_file_that_only_the_learner_changed_stays(mine, first):
    (mine / LESSONS[0] / "data" / "sizes.csv").write_text("mine\n")
    update(mine, first)
    assert (mine / LESSONS[0] / "data" / "sizes.csv").read_text() == "mine\n"


def test_a_linked_notebook_stays_a_link_and_keeps_its_mode(tmp_path, mine, second):
    real = tmp_path / "elsewhere.ipynb"
    notebook_path(mine).rename(real)
    real.chmod(0o640)
    notebook_path(mine).symlink_to(real)
    update(mine, second)
    assert notebook_path(mine).is_symlink()
    assert real.stat().st_mode & 0o777 == 0o640
    assert sources(mine) == [f"{LESSONS[0]}: second", SOLVED]


def test_a_save_between_reading_and_replacing_is_merged_too(mine, second, monkeypatch):
    staged = staging.staged
    saves = [f"{SOLVED}  # autosaved"]

    def staged_while_somebody_saves(writes):
        if saves:
            answer(mine, LESSONS[0], saves.pop())
        return staged(writes)

    monkeypatch.setattr(staging, "staged", staged_while_somebody_saves)
    report = update(mine, second)
    assert sources(mine) == [f"{LESSONS[0]}: second", f"{SOLVED}  # autosaved"]
    assert statuses(report) == ["updated", "updated"]


def test_a_notebook_that_is_saved_all_the_time_is_left_alone(mine, second, monkeypatch):
    staged, saves = staging.staged, []

    def staged_while_somebody_saves(writes):
        saves.append(f"{SOLVED}  # {len(saves)}")
        answer(mine, LESSONS[0], saves[-1])
        return staged(writes)

    monkeypatch.setattr(staging, "staged", staged_while_somebody_saves)
    report = update(mine, second)
    assert sources(mine) == [f"{LESSONS[0]}: first", saves[-1]]
    assert statuses(report) == ["busy", "updated"]
    monkeypatch.undo()
    update(mine, second)
    assert sources(mine) == [f"{LESSONS[0]}: second", saves[-1]]


@pytest.mark.parametrize("call", range(0, 9, 2))
def test_a_full_disk_changes_nothing(mine, second, monkeypatch, call):
    before, calls = contents(mine), iter(range(1000))

    def fsync(handle):
        if next(calls) == call:
            raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(staging.os, "fsync", fsync)
    with pytest.raises(WorkspaceError, match=r"No space left.*Nothing was changed.*free some"):
        update(mine, second)
    assert contents(mine) == before
    assert not any((mine / ".gpuedu").glob("backup/*"))


@pytest.mark.parametrize("call", range(10))
def test_a_refused_rename_puts_everything_back(mine, second, monkeypatch, call):
    before, calls, rename = contents(mine), iter(range(1000)), Path.replace

    def refuse(path, target):
        if next(calls) == call:
            raise PermissionError(errno.EPERM, "Operation not permitted")
        return rename(path, target)

    monkeypatch.setattr(Path, "replace", refuse)
    with pytest.raises(WorkspaceError, match="not permitted"):
        update(mine, second)
    assert contents(mine) == before


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_an_unwritable_folder_changes_nothing(mine, second):
    before = contents(mine)
    (mine / LESSONS[1]).chmod(0o555)
    try:
        with pytest.raises(WorkspaceError, match="Nothing was changed"):
            update(mine, second)
    finally:
        (mine / LESSONS[1]).chmod(0o755)
    assert contents(mine) == before


def test_a_file_where_a_folder_should_be_changes_nothing(mine, second):
    shutil.rmtree(mine / LESSONS[1])
    (mine / LESSONS[1]).write_text("my notes")
    before = contents(mine)
    with pytest.raises(WorkspaceError, match="Nothing was changed"):
        update(mine, second)
    assert contents(mine) == before


def test_two_updates_at_once_are_refused(mine, second):
    with (
        staging.locked(mine / ".gpuedu"),
        pytest.raises(WorkspaceError, match="another gpuedu is at work"),
    ):
        update(mine, second)


def test_wrong_folders_are_refused(tmp_path, mine, first):
    with pytest.raises(WorkspaceError, match="no lessons there"):
        update(tmp_path / "nowhere", first)
    assert not (tmp_path / "nowhere").exists()
    with pytest.raises(WorkspaceError, match="no lessons there"):
        update(mine, tmp_path / "empty")
    with pytest.raises(WorkspaceError, match="is the release itself"):
        start(first, first)
    assert not (first / ".gpuedu").exists()
    (tmp_path / "note").write_text("")
    with pytest.raises(WorkspaceError, match="Nothing was changed"):
        start(tmp_path / "note", first)


def test_a_broken_release_changes_nothing(mine, second):
    before = contents(mine)
    notebook_path(second, LESSONS[1]).write_text("{")
    with pytest.raises(WorkspaceError, match=r"02_kernels.ipynb is not a notebook"):
        update(mine, second)
    assert contents(mine) == before


def test_the_release_is_found_in_a_checkout_then_in_the_package(tmp_path):
    package = tmp_path / "gpuedu"
    package.mkdir()
    with pytest.raises(WorkspaceError, match="no lessons found"):
        release_folder(package)
    inside = lay_release(package / "course" / "notebooks", "x")
    (tmp_path / "notebooks").mkdir()  # somebody else's folder of that name
    assert release_folder(package) == inside
    outside = lay_release(tmp_path / "notebooks", "x")
    assert release_folder(package) == outside


KILLED = """
import os, signal, sys
from pathlib import Path
from gpuedu.course.workspace import folder as workspace

moment, calls = int(sys.argv[1]), 0

def dying(call, *, before):
    def wrapped(*args, **kwargs):
        global calls
        calls += 1
        if before and calls == moment:
            os.kill(os.getpid(), signal.SIGKILL)
        result = call(*args, **kwargs)
        if not before and calls == moment:
            os.kill(os.getpid(), signal.SIGKILL)
        return result
    return wrapped

before = moment % 2 == 0
os.fsync = dying(os.fsync, before=before)
Path.replace = dying(Path.replace, before=before)
Path.unlink = dying(Path.unlink, before=before)
workspace.update(Path(sys.argv[2]), Path(sys.argv[3]))
print(calls)
"""


def run_killed(moment: int, folder: Path, release: Path) -> subprocess.CompletedProcess:
    command = [sys.executable, "-c", KILLED, str(moment), str(folder), str(release)]
    root = str(Path(workspace.__file__).parents[3])
    environment = {**os.environ, "PYTHONPATH": root}
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


def test_a_kill_at_any_moment_leaves_each_file_old_or_new(tmp_path, mine, second):
    finished = tmp_path / "finished"
    shutil.copytree(mine, finished)
    moments = int(run_killed(0, finished, second).stdout)
    old, new = contents(mine), contents(finished)
    assert old != new
    for moment in random.Random(7).sample(range(1, moments + 1), 6):
        folder = tmp_path / f"killed-{moment}"
        shutil.copytree(mine, folder)
        assert run_killed(moment, folder, second).returncode == -signal.SIGKILL
        found = contents(folder)
        for name in old:
            assert found[name] in (old[name], new[name]), (moment, name)
        update(folder, second)
        assert contents(folder) == new, moment
