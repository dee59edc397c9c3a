"""Each lesson as the learner gets it runs from top to bottom, and earns no points.

CI runs some. What a stub earns is proved of every exercise in ``tests/test_proofs.py``, and all cells run
in ``test_solved.py``; what ``see`` and ``measure`` make of a stub is seen in these notebooks alone.
"""

from __future__ import annotations

import pytest

from gpuedu.syllabus import ready_lessons
from tests.lessons.notebooks import points, run, streams
from tests.sampled import sampled

IN_CI = ready_lessons()[0:15:6]


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize(
    "entry", sampled(ready_lessons(), chosen=IN_CI), ids=lambda entry: entry.slug
)
def test_the_unsolved_notebook_runs_without_an_exception_and_earns_nothing(
    root, tmp_path, monkeypatch, entry
):
    path = root / "notebooks" / entry.folder / f"{entry.folder}.ipynb"
    done = run(path, tmp_path, monkeypatch)
    assert points(done) == dict.fromkeys(entry.exercises, 0.0)
    assert streams(done, "stderr") == []
