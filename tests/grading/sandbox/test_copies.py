"""The course as players see it, in a copy of its own."""

from __future__ import annotations

import os
import py_compile
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from gpuedu.grading.judge import zygote
from gpuedu.grading.sandbox.copies import FolderForACopy, copy_course, sweep_copies
from gpuedu.grading.sandbox.hidden import hidden_files, hidden_folders
from gpuedu.grading.sandbox.limits import SandboxError
from gpuedu.grading.sandbox.mounts import PACKAGE


@pytest.fixture(scope="module")
def copy():
    with FolderForACopy() as folder:
        yield copy_course(PACKAGE, Path(folder))


def files_in(folder):
    return {one.relative_to(folder) for one in folder.rglob("*") if one.is_file()}


def test_it_has_all_but_what_is_hidden(copy):
    closed = [one.relative_to(PACKAGE) for one in hidden_folders(PACKAGE)]
    hidden = {one.relative_to(PACKAGE) for one in hidden_files(PACKAGE)}
    sources = {one for one in files_in(PACKAGE) if "__pycache__" not in one.parts}
    expected = {
        one for one in sources - hidden if not any(one.is_relative_to(folder) for folder in closed)
    }
    assert {one for one in files_in(copy) if "__pycache__" not in one.parts} == expected
    assert not [one for one in closed if (copy / one).exists()]


def test_python_finds_in_it_what_it_has_compiled(tmp_path):
    """A source that is newer than its bytecode would be compiled again by each player."""
    package = tmp_path / "compiled_course"
    package.mkdir()
    (package / "here.py").write_text("")
    py_compile.compile(str(package / "here.py"), doraise=True)
    (tmp_path / "copy").mkdir()
    copy = copy_course(package, tmp_path / "copy")
    told = subprocess.run(
        [sys.executable, "-v", "-c", "import compiled_course.here"],
        cwd=copy.parent,
        capture_output=True,
        text=True,
        check=True,
    )
    assert f"matches {copy / 'here.py'}" in told.stderr


def test_bytecode_of_what_is_hidden_is_not_in_it(tmp_path):
    """Neither of another version of Python, nor of a module that was moved, nor half written."""
    lesson = tmp_path / "gpuedu" / "exercises" / "one" / "two"
    (lesson / "__pycache__").mkdir(parents=True)
    compiled = ("picture.cpython-39.pyc", "picture.cpython-39.pyc.1407", "play.cpython-39.pyc")
    compiled = (*compiled, "answer.cpython-39.pyc")
    for name in ("picture.py", "play.py", *(f"__pycache__/{one}" for one in compiled)):
        (lesson / name).write_text("")
    (tmp_path / "copy").mkdir()
    names = {one.name for one in files_in(copy_course(tmp_path / "gpuedu", tmp_path / "copy"))}
    assert names == {"play.py", "play.cpython-39.pyc"}


def test_all_may_read_it_whatever_the_course_allows(tmp_path):
    package = tmp_path / "gpuedu"
    package.mkdir(mode=0o700)
    (package / "play.py").write_text("")
    (package / "play.py").chmod(0o600)
    (tmp_path / "copy").mkdir()
    copy = copy_course(package, tmp_path / "copy")
    assert copy.stat().st_mode & 0o777 == 0o755
    assert (copy / "play.py").stat().st_mode & 0o777 == 0o644


def test_a_grader_without_room_for_it_says_so(monkeypatch):
    def full(*_arguments):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(zygote, "copy_course", full)
    with pytest.raises(SandboxError, match="No space left on device") as told:
        zygote.Zygote()
    assert "TMPDIR" in told.value.remedy


def test_what_a_killed_grader_left_is_swept():
    program = (
        "import time\nfrom gpuedu.grading.sandbox.copies import FolderForACopy\n"
        "made = FolderForACopy()\nprint(made.name, flush=True)\ntime.sleep(60)"
    )
    grader = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    with grader.stdout:
        left = Path(grader.stdout.readline().strip())
    sweep_copies()
    assert left.is_dir()
    grader.send_signal(signal.SIGKILL)
    grader.wait()
    sweep_copies()
    assert not left.exists()


def test_what_has_no_lock_yet_is_being_made_and_swept_only_when_old():
    with FolderForACopy() as made:
        Path(made, "in-use").unlink()
        sweep_copies()
        assert Path(made).is_dir()
        os.utime(made, (0, 0))
        sweep_copies()
        assert not Path(made).exists()
