"""The command line, as a learner, a teacher and a contributor type it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from gpuedu import __version__
from gpuedu.syllabus import exercise_ids, ready_lessons
from tests.sampled import only_whole


def gpuedu(root: Path, *command: str, cwd: Path | None = None) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, "-m", "gpuedu", *command],
        cwd=cwd or root,
        env={**os.environ, "PYTHONPATH": str(root)},
        capture_output=True,
        text=True,
        check=False,
    )


def test_without_a_command_it_lists_them(root):
    out = gpuedu(root).stdout + gpuedu(root).stderr
    for command in ("doctor", "start", "update", "build", "lint", "prove", "progress", "record"):
        assert command in out


def test_it_tells_its_release(root):
    assert gpuedu(root, "--version").stdout.strip() == f"gpuedu {__version__}"


@pytest.mark.parametrize("is_there", [True, False])
def test_where_nothing_was_handed_in_nothing_is_made(is_there, root, tmp_path):
    if is_there:
        (tmp_path / "submitted" / "ann").mkdir(parents=True)
    run = gpuedu(root, "grade", "submitted", "--out", "verdicts", cwd=tmp_path)
    assert run.returncode == 1 and "Traceback" not in run.stderr
    assert not (tmp_path / "verdicts").exists()


def test_a_terminal_without_the_letters_of_a_name_shows_their_numbers(root, tmp_path):
    from gpuedu.grading.verdict import GradingTask, State, Verdict, write_verdict

    verdict = Verdict(GradingTask("Zoë", "00_welcome", "", 1), State.FAILED_BY_LEARNER, "why")
    write_verdict(tmp_path, "a.verdict.json", verdict)
    run = subprocess.run(
        [sys.executable, "-m", "gpuedu", "report", str(tmp_path), "--no-misconceptions"],
        env={**os.environ, "PYTHONPATH": str(root), "PYTHONIOENCODING": "ascii"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0 and "Zo\\xeb" in run.stdout, run.stderr


def test_what_a_hosted_session_lacks_is_told_in_a_line(root):
    planted = "import sys; sys.modules['nbgrader'] = None; from gpuedu.cli import main; "
    done = subprocess.run(
        [sys.executable, "-c", f"{planted}sys.argv = ['gpuedu', 'build', '--check']; main()"],
        cwd=root,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1
    assert "needs the package nbgrader" in done.stderr and "make lab" in done.stderr
    assert "Traceback" not in done.stderr


def test_progress_needs_nothing_of_jupyterlab_or_nbgrader(root):
    names = ("nbgrader", "jupyterlab", "jupytext", "nbformat", "ipywidgets", "pyflakes", "pytest")
    planted = f"import sys; sys.modules.update(dict.fromkeys({names})); from gpuedu.cli import main"
    done = subprocess.run(
        [sys.executable, "-c", f"{planted}; sys.argv = ['gpuedu', 'progress']; main()"],
        cwd=root,
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_doctor_speaks_to_people_and_to_programs(root):
    table = gpuedu(root, "doctor")
    assert table.returncode == 0
    assert "tier" in table.stdout
    found = json.loads(gpuedu(root, "doctor", "--json").stdout)
    assert found["tier"] in ("cpu", "gpu", "multi")


def test_start_and_update_lay_out_a_workspace(root, tmp_path):
    done = gpuedu(root, "start", str(tmp_path / "mine"))
    assert done.returncode == 0, done.stderr
    for entry in ready_lessons():
        assert (tmp_path / "mine" / entry.folder / f"{entry.folder}.ipynb").is_file()
    again = gpuedu(root, "update", str(tmp_path / "mine"))
    assert again.returncode == 0, again.stderr


def test_a_workspace_that_cannot_be_made_is_told_in_a_line(root, tmp_path):
    (tmp_path / "file").write_text("in the way")
    done = gpuedu(root, "start", str(tmp_path / "file" / "mine"))
    assert done.returncode == 1
    assert "gpuedu: " in done.stderr
    assert "Traceback" not in done.stderr


@only_whole  # `make test` runs the command itself
def test_build_check_says_that_all_is_current(root):
    done = gpuedu(root, "build", "--check")
    assert (done.returncode, done.stderr) == (0, "")
    assert "are current" in done.stdout


def test_commands_that_need_the_sources_say_so_elsewhere(tmp_path, root, monkeypatch):
    from gpuedu.course import checkout
    from gpuedu.errors import GpueduError

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(checkout, "__file__", str(tmp_path / "gpuedu" / "course" / "checkout.py"))
    with pytest.raises(GpueduError, match="there are none here"):
        checkout.course_root()


@only_whole
def test_prove_takes_exercises_and_lessons_and_prints_a_table(root):
    done = gpuedu(root, "prove", "first-check", "--seeds", "2")
    assert done.returncode == 0
    assert "first-check" in done.stdout
    assert "bandwidth" not in done.stdout


def test_prove_prints_json_of_the_agreed_form(root):
    found = json.loads(gpuedu(root, "prove", "launch-bound", "--seeds", "2", "--json").stdout)
    (entry,) = found["exercises"]
    assert found["ok"] is True
    assert {"id", "lesson", "points", "solution", "stub", "wrong", "right", "ok"} <= set(entry)
    assert set(entry["wrong"]) == {"n", "rejected"}
    assert set(entry["right"]) == {"n", "accepted"}


def test_an_unknown_name_gives_the_nearest(root):
    done = gpuedu(root, "prove", "amdal")
    assert done.returncode == 1
    assert "no exercise is called 'amdal'" in done.stderr
    assert "amdahl" in done.stderr


def test_progress_can_be_carried_to_another_machine(root, tmp_path, monkeypatch):
    import gpuedu as course

    course.check("first-check", lambda n, itemsize: 2 * n * itemsize)
    saved = tmp_path / "progress.json"
    assert gpuedu(root, "progress", "--export", str(saved)).returncode == 0
    monkeypatch.setenv("GPUEDU_HOME", str(tmp_path / "other"))
    done = gpuedu(root, "progress", "--import", str(saved), "--json")
    assert done.returncode == 0, done.stderr
    assert "first-check" in done.stdout
    assert json.loads(done.stdout)


@pytest.mark.parametrize("content", ["{", "[1, 2]", ""])
def test_progress_that_cannot_be_read_is_refused(root, tmp_path, content):
    path = tmp_path / "bad.json"
    path.write_text(content)
    done = gpuedu(root, "progress", "--import", str(path))
    assert done.returncode == 1
    assert "Traceback" not in done.stderr


def test_a_missing_file_is_told(root, tmp_path):
    done = gpuedu(root, "progress", "--import", str(tmp_path / "none.json"))
    assert done.returncode == 1
    assert "cannot read" in done.stderr


def test_record_takes_the_same_options_with_and_without_the_command_lines_packages(root):
    from typer.testing import CliRunner

    from gpuedu import cli

    listed = CliRunner().invoke(cli.app, ["record", "--list"])
    assert listed.exit_code == 0
    assert gpuedu(root, "record", "--list").stdout == listed.stdout
    refused = CliRunner().invoke(cli.app, ["record", "--only", "x", "--fresh", "--time-s", "5"])
    assert refused.exit_code == gpuedu(root, "record", "--only", "x").returncode


def test_record_passes_everything_on(monkeypatch, tmp_path):
    from typer.testing import CliRunner

    from gpuedu import cli
    from gpuedu.recording import command

    told = []
    monkeypatch.setattr(command, "main", lambda arguments: told.append(arguments) or 3)
    options = ["--out", str(tmp_path), "--time-s", "5.0", "--only", "a", "--only", "b"]
    options += ["--fresh", "--caps"]
    assert CliRunner().invoke(cli.app, ["record", *options]).exit_code == 3
    assert told == [options]


def test_all_exercises_have_an_id_that_a_shell_takes():
    assert all(name.replace("-", "").isalnum() and name.islower() for name in exercise_ids())
