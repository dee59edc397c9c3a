"""Each lesson as the learner gets it runs from top to bottom, and earns no points."""

from __future__ import annotations

import pytest

from gpuedu.syllabus import ready_lessons
from tests.lessons.notebooks import points, run, streams


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("entry", ready_lessons(), ids=lambda entry: entry.slug)
def test_the_unsolved_notebook_runs_without_an_exception_and_earns_nothing(
    root, tmp_path, monkeypatch, entry
):
    path = root / "notebooks" / entry.folder / f"{entry.folder}.ipynb"
    done = run(path, tmp_path, monkeypatch)
    assert points(done) == dict.fromkeys(entry.exercises, 0.0)
    assert streams(done, "stderr") == []
