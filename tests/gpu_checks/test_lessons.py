"""The run of the solved lessons as scripts, which ``make gpu`` does on a GPU."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from gpuedu.course import source
from gpuedu.exercises import session
from gpuedu.syllabus import lessons
from tests.gpu_checks import lessons as running
from tests.sampled import only_whole

WELCOME = lessons()[0]


@only_whole
def test_a_solved_lesson_is_right_and_what_it_shows_is_kept(root, tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "tests.gpu_checks.lessons", "0", "--any-tier", "--out", tmp_path],
        cwd=root,
        capture_output=True,
        text=True,
        check=False,
    )
    assert re.fullmatch(r"welcome: right, \d+ s\n", done.stdout), done.stdout + done.stderr
    assert done.returncode == 0
    shown = (tmp_path / "00" / "shown.txt").read_text("utf-8")
    assert "first-check" in shown and "[figure]" in shown
    assert len(list((tmp_path / "00").glob("*.png"))) >= 4


@pytest.mark.parametrize(
    ("role", "text", "told"),
    [
        ("code", "1 / 0", "ZeroDivisionError"),
        ("answer", "def copied_bytes(n, itemsize):\n    return 0", "points lost"),
        ("check", "check('first-check')", "points lost"),
    ],
)
def test_a_lesson_that_breaks_or_loses_points_is_told(
    root, tmp_path, monkeypatch, capsys, role, text, told
):
    kept = source.read_source(root / "solutions" / WELCOME.folder / f"{WELCOME.folder}.py")
    cells = list(kept.cells)
    at = next(i for i, cell in enumerate(cells) if cell.role == role)
    cells[at] = source.SourceCell(text, role, cells[at].line, cells[at].exercise)
    broken = source.LessonSource(kept.path, tuple(cells))
    monkeypatch.setattr(running, "read_source", lambda path: broken)
    monkeypatch.setattr(session, "draw_figure", session.draw_figure)  # put back afterwards
    monkeypatch.setattr(session, "_stores", [])
    monkeypatch.setenv("GPUEDU_HOME", str(tmp_path))
    assert running.run_lesson(WELCOME, None) == running.WRONG
    assert told in capsys.readouterr().out


def test_without_a_gpu_nothing_is_run(monkeypatch, capsys):
    monkeypatch.setattr(running, "_has_gpu", lambda: False)
    monkeypatch.setattr(sys, "argv", ["lessons"])
    assert running.main() == running.NOT_RUN
    assert "no GPU" in capsys.readouterr().out


def test_on_a_bare_machine_it_says_what_is_missing(monkeypatch, capsys):
    monkeypatch.setattr(running, "find_spec", lambda name: None if name == "jupytext" else name)
    monkeypatch.setattr(sys, "argv", ["lessons", "--any-tier"])
    assert running.main() == running.NOT_RUN
    assert capsys.readouterr().out == "the lessons were not run: jupytext is not installed\n"
