"""A new release comes into a notebook that lies in the browser, and answers stay."""

import copy
import json

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from gpuedu.course.tab.release import bring, read_notebook

ROLE = {"gpuedu": {"exercise": "blocks", "role": "answer"}}


@pytest.fixture
def former():
    cells = [
        new_markdown_cell("Old words.", id="words"),
        new_code_cell("...", id="answer", metadata=ROLE),
    ]
    return new_notebook(cells=cells)


@pytest.fixture
def newer(former):
    found = copy.deepcopy(former)
    found.cells[0].source = "New words."
    found.cells.append(new_code_cell("see()", id="picture"))
    return found


def texts(path):
    return [cell.source for cell in nbformat.read(path, as_version=4).cells]


def test_new_words_come_and_an_answer_stays(former, newer, tmp_path):
    path = tmp_path / "lesson.ipynb"
    former.cells[1].source = "mine"
    path.write_text(nbformat.writes(former), "utf-8")
    former.cells[1].source = "..."
    counts = bring(path, nbformat.writes(former), nbformat.writes(newer))
    assert counts.answers_kept == 1 and counts.added == 1
    assert texts(path) == ["New words.", "mine", "see()"]


def test_once_it_is_there_nothing_changes(former, newer, tmp_path):
    path = tmp_path / "lesson.ipynb"
    path.write_text(nbformat.writes(former), "utf-8")
    assert bring(path, nbformat.writes(former), nbformat.writes(newer))
    before = path.read_bytes()
    assert bring(path, nbformat.writes(former), nbformat.writes(newer)) is None
    assert path.read_bytes() == before


def test_what_was_never_saved_or_never_changed_is_left_alone(former, newer, tmp_path):
    path = tmp_path / "lesson.ipynb"
    old, new = nbformat.writes(former), nbformat.writes(newer)
    assert bring(path, old, new) is None and not path.exists()
    path.write_text(old, "utf-8")
    assert bring(path, None, new) is None
    assert bring(path, old, old) is None
    assert path.read_text("utf-8") == old


def test_a_cells_text_may_be_a_list_of_lines(former):
    text = nbformat.writes(former)
    assert isinstance(json.loads(text)["cells"][0]["source"], list)
    assert read_notebook(text).cells[0].source == "Old words."
