"""The page of all figures: what cells show is found, and what fails is named."""

from __future__ import annotations

import base64

import nbformat
import pytest

from gpuedu.course.gallery import figures_of, write_gallery
from gpuedu.errors import GpueduError
from gpuedu.syllabus import lesson

PNG = b"\x89PNG and more"
LESSON = lesson("welcome")


def shown(alt: str) -> str:
    return (
        f'<img alt="{alt}" width="80" src="data:image/png;base64,{base64.b64encode(PNG).decode()}">'
    )


def cell_with(*pages: str) -> dict:
    return {"id": "tiled-code", "outputs": [{"data": {"text/html": page}} for page in pages]}


def test_each_figure_of_a_cell_is_found():
    cell = cell_with("<b>a card</b>", shown("one &lt; two"), shown("another"))
    assert [(one.cell, one.png, one.alt) for one in figures_of(cell)] == [
        ("tiled-code", PNG, "one < two"),
        ("tiled-code.2", PNG, "another"),
    ]


def test_a_cell_without_figures_has_none():
    assert list(figures_of({"id": "intro-text"})) == []
    assert list(figures_of(cell_with("<b>a card</b>"))) == []


def lay_solution(root, source: str) -> None:
    folder = root / "solutions" / LESSON.folder
    folder.mkdir(parents=True)
    cell = nbformat.v4.new_code_cell(source, id="first-code")
    nbformat.write(nbformat.v4.new_notebook(cells=[cell]), folder / f"{LESSON.folder}.ipynb")


def test_a_page_is_written(tmp_path):
    lay_solution(tmp_path, f"from IPython.display import HTML\nHTML({shown('a < b')!r})")
    assert write_gallery(tmp_path, tmp_path / "out", [LESSON]) == 1
    page = (tmp_path / "out" / "index.html").read_text("utf-8")
    assert f'src="{LESSON.folder}/first-code.png" alt="a &lt; b"' in page
    assert (tmp_path / "out" / LESSON.folder / "first-code.png").read_bytes() == PNG


def test_a_cell_that_fails_is_told(tmp_path):
    lay_solution(tmp_path, "raise ValueError('no such device')")
    with pytest.raises(GpueduError, match=f"{LESSON.folder}: a cell fails.*no such device"):
        write_gallery(tmp_path, tmp_path / "out", [LESSON])


def test_a_missing_notebook_is_told(tmp_path):
    with pytest.raises(GpueduError, match="there is no"):
        write_gallery(tmp_path, tmp_path / "out", [LESSON])
