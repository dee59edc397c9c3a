"""Notebooks for hosted sessions: the same cells, after one that installs the package."""

from __future__ import annotations

import io
import subprocess
import sys
import tomllib
from pathlib import Path

import nbformat
import pytest
import yaml
from IPython.core.interactiveshell import InteractiveShell

from gpuedu import __version__
from gpuedu.course.addresses import REPOSITORY
from gpuedu.course.colab import write_hosted
from gpuedu.course.signposts import drop_ways_in
from gpuedu.syllabus import ready_lessons


def first_cell(root, tmp_path, package=None):
    return nbformat.read(write_hosted(root, tmp_path, package)[0], as_version=4).cells[0].source


@pytest.fixture
def pip(monkeypatch):
    """pip, planted: what was called, what it says and how it ends."""

    class Planted:
        said, status, calls, kept = "Collecting gpuedu\n", 0, [], None

        def list(self, command, capture_output):
            assert command[-2:] == ["list", "--format=freeze"]
            return subprocess.CompletedProcess(command, 0, b"torch==2.11.0+cu128\n")

        def install(self, command, **_):
            self.calls.append(command)
            self.kept = Path(command[command.index("--constraint") + 1]).read_text()
            self.stdout, self.wait = io.StringIO(self.said), lambda: self.status
            return self

    planted = Planted()
    planted.calls = []
    monkeypatch.setattr("subprocess.run", planted.list)
    monkeypatch.setattr("subprocess.Popen", planted.install)
    monkeypatch.setitem(sys.modules, "gpuedu", None)
    return planted


def run_cell(source):
    """Run the cell as a session does; returns the exception that ended it, or None."""
    try:
        exec(source, {"__name__": "__main__"})
    except Exception as fault:
        return fault
    return None


def test_the_first_cell_installs_and_the_rest_is_the_release(root, tmp_path):
    written = write_hosted(root, tmp_path / "colab", "gpuedu @ git+https://example.org/x")
    assert len(written) == len(ready_lessons())
    for path, entry in zip(written, ready_lessons(), strict=True):
        hosted = nbformat.read(path, as_version=4)
        nbformat.validate(hosted)
        release = nbformat.read(root / "notebooks" / entry.folder / path.name, as_version=4)
        drop_ways_in(release)
        assert hosted.cells[1:] == release.cells
        assert "gpuedu @ git+https://example.org/x" in hosted.cells[0].source
        assert hosted.cells[0].metadata.cellView == "form"


def test_it_installs_this_release_from_the_public_repository(root, tmp_path, pip):
    run_cell(first_cell(root, tmp_path))
    (command,) = pip.calls
    assert command[-1] == f"gpuedu[lessons] @ git+{REPOSITORY}@v{__version__}"
    assert REPOSITORY.startswith("https://")


def test_the_address_is_the_same_wherever_it_is_given(root):
    project = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]
    assert project["urls"]["Repository"] == REPOSITORY
    assert project["version"] == __version__
    citation = yaml.safe_load((root / "CITATION.cff").read_text("utf-8"))
    assert citation["repository-code"] == REPOSITORY
    assert f"git clone {REPOSITORY}.git" in (root / "README.md").read_text("utf-8")


def test_the_cell_does_nothing_where_the_package_is(root, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("subprocess.run", lambda *a, **k: sys.exit("installed"))
    assert run_cell(first_cell(root, tmp_path, "no-such-package")) is None
    assert f"gpuedu {__version__} is ready" in capsys.readouterr().out


def test_any_package_goes_into_the_cell_as_it_is_written(root, tmp_path, pip):
    package = 'C:\\wheels\\"new"\\gpuedu.whl'
    run_cell(first_cell(root, tmp_path, package))
    assert pip.calls[0][-1] == package


def test_what_the_session_has_is_held_and_what_pip_does_is_shown(root, tmp_path, pip, capsys):
    pip.said = "Collecting gpuedu\nRequirement already satisfied: numpy\nInstalling gpuedu\n"
    run_cell(first_cell(root, tmp_path))
    assert pip.kept == "torch==2.11.0+cu128\n"
    shown = capsys.readouterr().out
    assert "Collecting gpuedu" in shown and "Installing gpuedu" in shown
    assert "already satisfied" not in shown


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("ERROR: Package 'gpuedu' requires a different Python: 3.9 not in '>=3.11'", "too old"),
        ("fatal: unable to access 'https://x/': Could not resolve host: x", "reach the internet"),
        ("error: pathspec 'v0.1.0' did not match any file(s) known to git", "no release"),
        ("ERROR: ... these package versions have conflicting dependencies.", "too old"),
        ("OSError: [Errno 28] No space left on device", "disk"),
        ("error: subprocess-exited-with-error\n  git clone --filter=blob:none", "fetched"),
        ("something nobody thought of", "pip could not install"),
    ],
)
def test_what_went_wrong_is_said_in_plain_words(root, tmp_path, pip, said, told):
    pip.said, pip.status = f"Collecting gpuedu\n{said}\n", 1
    fault = run_cell(first_cell(root, tmp_path))
    plain, *_, last = str(fault).splitlines()
    assert told in plain and last == said.splitlines()[-1]
    assert "run this cell again" in str(fault).lower()


def test_a_session_shows_the_plain_words_and_no_traceback(root, tmp_path, pip, capsys):
    pip.said, pip.status = "No space left on device\n", 1
    result = InteractiveShell().run_cell(first_cell(root, tmp_path))
    assert not result.success  # so that "run all" stops here
    out, err = capsys.readouterr()
    assert "The disk of this session is full." in out + err
    assert "Traceback" not in out + err and "run.wait" not in out + err
