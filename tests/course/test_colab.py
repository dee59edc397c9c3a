"""Notebooks for hosted sessions: the same cells behind one that installs the package."""

from __future__ import annotations

import ast
import sys

import nbformat

from gpuedu.course.colab import write_hosted
from gpuedu.syllabus import ready_lessons


def test_the_first_cell_installs_and_the_rest_is_the_release(root, tmp_path):
    written = write_hosted(root, tmp_path / "colab", "gpuedu @ git+https://example.org/x")
    assert len(written) == len(ready_lessons())
    for path, entry in zip(written, ready_lessons(), strict=True):
        hosted = nbformat.read(path, as_version=4)
        nbformat.validate(hosted)
        release = nbformat.read(root / "notebooks" / entry.folder / path.name, as_version=4)
        assert hosted.cells[1:] == release.cells
        assert "gpuedu @ git+https://example.org/x" in hosted.cells[0].source
        ast.parse(hosted.cells[0].source)


def test_the_cell_does_nothing_where_the_package_is(root, tmp_path, monkeypatch):
    path = write_hosted(root, tmp_path, "no-such-package")[0]
    source = nbformat.read(path, as_version=4).cells[0].source
    monkeypatch.setattr("subprocess.run", lambda *a, **k: sys.exit("installed"))
    exec(source, {})


def test_the_cell_installs_where_it_is_not(root, tmp_path, monkeypatch):
    path = write_hosted(root, tmp_path, "a-package")[0]
    source = nbformat.read(path, as_version=4).cells[0].source
    called = []
    monkeypatch.setattr("subprocess.run", lambda command, check: called.append(command))
    monkeypatch.setitem(sys.modules, "gpuedu", None)
    exec(source, {})
    assert called == [[sys.executable, "-m", "pip", "install", "--quiet", "a-package"]]
