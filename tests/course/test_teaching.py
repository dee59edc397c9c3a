"""The pages of the teacher's desk: what they tell to type or to configure works."""

from __future__ import annotations

import re
import shlex
from types import SimpleNamespace

import pytest
from nbgrader.apps.nbgraderapp import NbGraderApp
from typer.testing import CliRunner

from gpuedu.cli import app
from gpuedu.course.book import site
from gpuedu.grading.verdict import ExerciseVerdict, GradingTask, State, Verdict, write_verdict
from gpuedu.syllabus import ready_lessons
from tests.conftest import ROOT

PAGES = sorted((ROOT / "docs" / "teaching").glob("*.md"))
DAY_S = 24 * 60 * 60


def blocks(page, language):
    text = page.read_text("utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_commands_of_nbgrader_are_there(page):
    known = set(NbGraderApp.subcommands)
    for line in "".join(blocks(page, "")).splitlines():
        words = shlex.split(line, comments=True)
        assert not words or words[0] != "nbgrader" or words[1] in known, line


def test_every_page_is_in_the_book_and_in_the_index():
    index = (ROOT / "docs" / "teaching" / "README.md").read_text("utf-8")
    for page in PAGES:
        assert page.relative_to(ROOT).as_posix() in site._GUIDES
        assert page.name == "README.md" or f"]({page.name})" in index


def test_the_table_of_memory_is_that_of_the_syllabus():
    text = (ROOT / "docs" / "teaching" / "setup.md").read_text("utf-8")
    rows = re.findall(r"^\| (.+) \| ([\d,]+) MB \|$", text, re.MULTILINE)
    told = {
        title: int(size.replace(",", ""))
        for titles, size in rows
        for title in re.findall(r"\*([^*]+)\*", titles)
    }
    (others,) = (int(size.replace(",", "")) for titles, size in rows if titles == "all others")
    assert len(told) == 5
    for entry in ready_lessons():
        assert told.get(entry.title, others) == entry.memory_mb, entry.title


def test_the_penalty_is_a_point_a_day_after_the_extra_days():
    (source,) = blocks(ROOT / "docs" / "teaching" / "late_and_extra_time.md", "py")
    config = SimpleNamespace(AssignLatePenalties=SimpleNamespace())
    exec(source, {"get_config": lambda: config, "__name__": "settings"})
    penalty = config.AssignLatePenalties.plugin_class().late_submission_penalty
    assert penalty("cy", 10, 1.5 * DAY_S) == 1.5
    assert penalty("cy", 1, 5 * DAY_S) == 1
    assert penalty("bo", 10, 1.5 * DAY_S) == 0
    assert penalty("ada", 10, 8 * DAY_S) == 1


@pytest.fixture
def verdicts(tmp_path):
    for number, learner in enumerate(("4242", "4243")):
        task = GradingTask(learner, "01_why_gpus", "", 1)
        part = ExerciseVerdict("amdahl", 2.0 + number, 4.0, "partly", ())
        write_verdict(tmp_path, f"{number}.verdict.json", Verdict(task, State.GRADED, "", (part,)))
    return tmp_path


def test_points_are_exported_by_the_commands_that_the_page_shows(verdicts, monkeypatch):
    monkeypatch.chdir(verdicts)
    (verdicts / "worksheet.csv").write_text(
        "Identifier,Grade,Maximum grade\nParticipant 4242,,10\nParticipant 4243,,10\n"
    )
    page = (ROOT / "docs" / "teaching" / "platforms.md").read_text("utf-8")
    commands = re.findall(r"^gpuedu (report verdicts .*)$", page, re.MULTILINE)
    assert len(commands) == 3
    for command in commands:
        words = [str(verdicts) if word == "verdicts" else word for word in command.split()]
        done = CliRunner().invoke(app, [*words, "--no-misconceptions"])
        assert done.exit_code == 0, done.output
    assert "4243,4243,,,,3\n" in (verdicts / "canvas.csv").read_text("utf-8")
    assert "4242,2\n" in (verdicts / "moodle.csv").read_text("utf-8")
    assert "Participant 4243,7.50,10\n" in (verdicts / "worksheet.csv").read_text("utf-8")


def test_a_key_is_written_where_one_asks_for_it(tmp_path):
    path = tmp_path / "key.html"
    done = CliRunner().invoke(app, ["key", "welcome", "--out", str(path)])
    assert done.exit_code == 0, done.output
    assert "Answer key: Welcome" in path.read_text("utf-8")
