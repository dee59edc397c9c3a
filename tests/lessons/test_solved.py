"""Each lesson with its answers runs from top to bottom, and earns all points.

CI runs some. What a solution earns is proved of every exercise in ``tests/test_proofs.py``; given cells
run here, and in ``test_unsolved.py``, which runs others in CI.
"""

from __future__ import annotations

import html
import re

import pytest

from gpuedu.exercises.registry import load
from gpuedu.syllabus import ready_lessons
from tests.lessons.notebooks import points, run, streams
from tests.sampled import sampled

IN_CI = ready_lessons()[1::6]


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize(
    "entry", sampled(ready_lessons(), chosen=IN_CI), ids=lambda entry: entry.slug
)
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
