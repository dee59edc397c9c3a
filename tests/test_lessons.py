"""Each lesson runs from top to bottom: with the answers for all points, without them for none."""

from __future__ import annotations

import html
import re

import nbformat
import pytest
from nbclient import NotebookClient

from gpuedu.exercises.registry import load
from gpuedu.syllabus import ready_lessons

LESSONS = ready_lessons()


def run(path, home, monkeypatch, **options):
    monkeypatch.setenv("GPUEDU_HOME", str(home))
    notebook = nbformat.read(path, as_version=4)
    client = NotebookClient(
        notebook, timeout=120, resources={"metadata": {"path": str(home)}}, **options
    )
    return client.execute()


def points(notebook) -> dict[str, float]:
    """What each check cell displayed as its result."""
    return {
        cell.metadata.gpuedu.exercise: float(output.data["text/plain"])
        for cell in notebook.cells
        if cell.metadata.gpuedu.role == "check"
        for output in cell.outputs
        if output.output_type == "execute_result"
    }


def streams(notebook, name) -> list[str]:
    return [
        output.text
        for cell in notebook.cells
        for output in cell.get("outputs", [])
        if output.output_type == "stream" and output.name == name
    ]


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("entry", LESSONS, ids=lambda entry: entry.slug)
def test_the_solution_runs_and_earns_everything(root, tmp_path, monkeypatch, entry):
    path = root / "solutions" / entry.folder / f"{entry.folder}.ipynb"
    done = run(path, tmp_path, monkeypatch)
    assert points(done) == {name: load(name).judge.points for name in entry.exercises}
    assert streams(done, "stderr") == []
    shown = "".join(
        str(output.get("data", {}).get("text/plain", ""))
        for cell in done.cells
        for output in cell.get("outputs", [])
    )
    assert "fault of the course" not in shown
    assert "cannot be drawn" not in shown
    pictures = [
        output
        for cell in done.cells
        for output in cell.get("outputs", [])
        if "<img " in output.get("data", {}).get("text/html", "")
    ]
    assert len(pictures) >= 4
    for picture in pictures:
        (alt,) = re.findall(r'<img alt="([^"]{60,})"', picture["data"]["text/html"])
        assert html.unescape(alt) == picture["data"]["text/plain"]


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("entry", LESSONS, ids=lambda entry: entry.slug)
def test_the_unsolved_notebook_runs_without_an_exception_and_earns_nothing(
    root, tmp_path, monkeypatch, entry
):
    path = root / "notebooks" / entry.folder / f"{entry.folder}.ipynb"
    done = run(path, tmp_path, monkeypatch)
    assert points(done) == dict.fromkeys(entry.exercises, 0.0)
    assert streams(done, "stderr") == []
