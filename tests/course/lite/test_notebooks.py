"""A tab's notebooks: the released ones, with a first cell that does nothing elsewhere."""

import ast

import nbformat
import pytest

from gpuedu.course.lite.notebooks import tab_lessons, write_notebooks
from gpuedu.course.signposts import drop_ways_in
from tests import asynchronous

CUDA_C = {"03_cupy", "06_scans", "08_registers"}


@pytest.fixture(scope="module")
def written(root, tmp_path_factory):
    paths = write_notebooks(root, tmp_path_factory.mktemp("files") / "in" / "it")
    return {path.stem: nbformat.read(path, as_version=4) for path in paths}


def test_each_lesson_of_a_tab_is_there(written):
    assert list(written) == [entry.folder for entry in tab_lessons()]
    assert len(written) >= 8


def test_the_cells_are_the_released_ones_below_a_first_cell(root, written):
    for folder, notebook in written.items():
        nbformat.validate(notebook)
        released = nbformat.read(root / "notebooks" / folder / f"{folder}.ipynb", as_version=4)
        drop_ways_in(released)
        assert notebook.cells[1:] == released.cells
        assert notebook.cells[0].id == "install"
        assert notebook.metadata.kernelspec.name == "python"


def begins_of(notebook):
    """The calls of ``begin`` in the first cell."""
    return [
        node
        for node in ast.walk(ast.parse(notebook.cells[0].source))
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "begin"
    ]


def test_the_first_cell_names_its_lesson_and_whether_it_has_cuda_c(written):
    for folder, notebook in written.items():
        (begin,) = begins_of(notebook)
        assert begin.args[0].value == folder
        assert bool(begin.keywords) == (folder in CUDA_C), folder
        assert ("pcpp" in notebook.cells[0].source) == (folder in CUDA_C), folder


def test_outside_of_a_tab_the_first_cell_does_nothing(written):
    source = written["00_welcome"].cells[0].source
    code = compile(source, "<cell>", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    namespace = {}
    done = eval(code, namespace)
    if done is not None:
        asynchronous.run(done)
    assert set(namespace) - {"__builtins__"} == {"sys"}
