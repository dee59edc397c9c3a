"""A program's folder beside the notebook, and what of it the notebook holds."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

import gpuedu
from gpuedu.errors import WorkspaceError
from gpuedu.exercises.capstone.programs import given_program, read_folder, unpacked
from gpuedu.exercises.capstone.workspace import read_program, start_program

GIVEN = {"fast": ("make_it_fast", "reader"), "faster": ("make_it_fast_too", "writer")}
HANDED_IN = "# === train.py\ndef run(store, settings):\n    return {}\n# === more.py\nx = 1\n"


@pytest.fixture(autouse=True, params=list(GIVEN))
def folder(request, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return request.param


def test_a_folder_begins_with_the_slow_program(folder, capsys):
    start_program(folder)
    given = given_program(*GIVEN[folder])
    assert read_folder(Path(folder)) == given
    assert f"from {folder}" in Path(f"run_{folder}.py").read_text()
    assert f"{len(given) + 1} files written" in capsys.readouterr().out
    assert read_program(folder) is ...


def test_what_is_there_stays(folder, capsys):
    start_program(folder)
    Path(folder, "train.py").write_text("mine = 1\n")
    Path(folder, "model.py").unlink()
    start_program(folder)
    assert "1 files written" in capsys.readouterr().out.replace("1 file written", "1 files written")
    start_program(folder)
    assert "as you left them" in capsys.readouterr().out
    found = read_program(folder, HANDED_IN)
    assert found["train.py"] == "mine = 1\n"
    assert "more.py" not in found


def test_a_file_of_that_name(folder):
    Path(folder).write_text("a file")
    with pytest.raises(WorkspaceError, match="is a file"):
        start_program(folder)


@pytest.mark.parametrize("is_started", [True, False])
def test_what_is_handed_in_counts_where_the_folder_is_untouched(folder, is_started):
    if is_started:
        start_program(folder)
    found = read_program(folder, HANDED_IN)
    given = given_program(*GIVEN[folder])
    assert found == {**given, **unpacked(HANDED_IN)}
    assert read_program(folder, "\n# YOUR CODE HERE\n...") is ...


class Shell:
    def __init__(self):
        self.cells = []

    def set_next_input(self, text, replace):
        self.cells.append((text, replace))


def test_packing_puts_the_changed_files_into_the_cell(folder, monkeypatch, capsys):
    shell = Shell()
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
    start_program(folder)
    Path(folder, "train.py").write_text('"""Mine."""\nx = "\\n"\n')
    program = read_program(folder, pack=True)
    ((text, replace),) = shell.cells
    assert replace
    names = {}
    exec(text, {"read_program": lambda where, handed_in: names.update(at=where, text=handed_in)})
    assert text.rpartition("\n")[2].partition(" = ")[0] in {"program", "program_too"}
    assert (names["at"], set(unpacked(names["text"]))) == (folder, {"train.py"})
    assert unpacked(names["text"])["train.py"].strip() == program["train.py"].strip()
    assert "train.py" in capsys.readouterr().out


def test_packing_outside_of_a_notebook_and_of_what_cannot_be(folder, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: None))
    start_program(folder)
    Path(folder, "train.py").write_text("x = 1\n")
    read_program(folder, pack=True)
    assert "isn't a notebook" in capsys.readouterr().out
    Path(folder, "train.py").write_text("x = '''1'''\n")
    read_program(folder, pack=True)
    assert "three single quotes" in capsys.readouterr().out


@pytest.mark.parametrize("ranks", [(), ("2",)])
def test_the_script_runs_the_program_on_one_device_or_on_ranks(folder, ranks):
    start_program(folder)
    for name in ("train", "write"):
        text = f"def run(store, settings):\n    return ['{name}', settings['rank']]\n"
        Path(folder, f"{name}.py").write_text(text)
    command = [sys.executable, f"run_{folder}.py", *ranks]
    path = {"PYTHONPATH": str(Path(gpuedu.__file__).parents[1])}
    done = subprocess.run(
        command, env={**os.environ, **path}, capture_output=True, text=True, timeout=120
    )
    assert "['train', 0]" in done.stdout, done.stderr
    assert ("write" in done.stdout) == (folder == "faster" and not ranks)
