"""A submission for plain nbgrader is rebuilt from the release, whatever kernel its notebook names."""

from __future__ import annotations

import nbformat

from gpuedu.course.lite.notebooks import for_tab
from gpuedu.course.rebuild import RebuildFromRelease

LESSON = "02_first_kernels"


def test_a_notebook_of_a_browser_tab_gets_the_releases_kernel_and_keeps_its_answer(
    root, monkeypatch
):
    monkeypatch.chdir(root)
    released = nbformat.read(root / "notebooks" / LESSON / f"{LESSON}.ipynb", as_version=4)
    mine = for_tab(nbformat.read(root / "notebooks" / LESSON / f"{LESSON}.ipynb", 4), LESSON)
    answer = next(cell for cell in mine.cells if cell.id == "blocks-answer")
    answer.source += "\n# mine"
    told = {"nbgrader": {"assignment": LESSON, "notebook": LESSON}}
    rebuilt, _ = RebuildFromRelease().preprocess(mine, told)
    assert mine.metadata.kernelspec.name == "python"  # as JupyterLite names it
    assert rebuilt.metadata.kernelspec == released.metadata.kernelspec
    assert next(c for c in rebuilt.cells if c.id == "blocks-answer").source.endswith("# mine")
