"""The light installation: what `gpuedu start` needs, and what the lessons on kernels need.

An environment of its own would have to be fetched. Here the packages of this one that an installation
would not bring are refused, as if they were not there; which these are, their own metadata say.
"""

from __future__ import annotations

import importlib.metadata as metadata
import os
import re
import subprocess
import sys
import tomllib

import pytest
from packaging.requirements import Requirement

from gpuedu.exercises.registry import load
from gpuedu.syllabus import ready_lessons
from tests.sampled import sampled

REFUSING = """\
from importlib.machinery import PathFinder
find_spec = PathFinder.find_spec
def found_unless_refused(name, *rest):
    return None if name.partition(".")[0] in {names!r} else find_spec(name, *rest)
PathFinder.find_spec = found_unless_refused
"""
RUN_LESSON = """\
import linecache, re, sys
text = open(sys.argv[1]).read()
space = {"__name__": "__main__"}
headers = re.findall(r"^# %%.*$", text, re.MULTILINE)
for number, (header, cell) in enumerate(zip(headers, re.split(r"^# %%.*$", text, flags=re.M)[1:])):
    if "markdown" not in header:
        name = f"<cell {number}>"
        linecache.cache[name] = (len(cell), None, cell.splitlines(True), name)
        exec(compile(cell, name, "exec"), space)
"""
KERNELS = [entry for entry in ready_lessons() if entry.tab]
BEYOND = {"parallel-cpu"}
"""What a light installation cannot solve: it has Numba compile a loop."""


def brought(root, extra):
    """Names of the distributions that an installation with an extra brings."""
    project = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]
    wanted = [*project["dependencies"], *project["optional-dependencies"].get(extra, [])]
    found = set()
    while wanted:
        needed = Requirement(wanted.pop())
        name = needed.name.lower().replace("_", "-")
        if name in found or (needed.marker and not needed.marker.evaluate({"extra": ""})):
            continue
        found.add(name)
        wanted += metadata.requires(name) or []
    return found


def refused(root, extra):
    """What can be imported here and not there."""
    there = brought(root, extra)
    return sorted(
        name
        for name, owners in metadata.packages_distributions().items()
        if not {owner.lower().replace("_", "-") for owner in owners} & {*there, "gpuedu"}
    )


def run_without(names, code, *arguments, cwd, home):
    program = REFUSING.format(names=set(names)) + code
    return subprocess.run(
        [sys.executable, "-c", program, *map(str, arguments)],
        cwd=cwd,
        env={**os.environ, "GPUEDU_HOME": str(home)},
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_light_way_leaves_out_what_is_heavy(root):
    names = refused(root, "light")
    assert {"torch", "numba", "nbgrader", "triton", "sklearn", "jupytext"} <= set(names)
    assert not {"numpy", "matplotlib", "jupyterlab", "tree_sitter"} & set(names)


def test_start_works_with_what_the_package_itself_brings(root, tmp_path):
    code = "import sys; sys.argv = ['gpuedu', 'start', 'mine']\nfrom gpuedu.cli import main; main()"
    names = refused(root, "")
    assert {"jupyterlab", "matplotlib", "torch"} <= set(names)
    done = run_without(names, code, cwd=tmp_path, home=tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "mine" / "00_welcome" / "00_welcome.ipynb").is_file()


@pytest.mark.parametrize("entry", sampled(KERNELS, every=4), ids=lambda entry: entry.slug)
def test_the_lessons_on_kernels_are_solved_with_it(root, tmp_path, entry):
    source = root / "solutions" / entry.folder / f"{entry.folder}.py"
    done = run_without(refused(root, "light"), RUN_LESSON, source, cwd=tmp_path, home=tmp_path)
    assert done.returncode == 0, done.stderr[-2000:]
    for exercise in set(entry.exercises) - BEYOND:
        points = f"{load(exercise).judge.points:g}"
        assert re.search(rf"^{exercise}: {points} of {points}\b", done.stdout, re.M), exercise


def test_a_lesson_that_needs_more_says_so_in_one_line(root, tmp_path):
    code = (
        "from IPython.core.interactiveshell import InteractiveShell as Shell\n"
        "shell = Shell.instance()\n"
        "shell.run_cell('from gpuedu import check, setup\\nimport torch\\nsetup(\"ddp\")')\n"
        "shell.run_cell('import no_such_package')\n"
    )
    done = run_without(refused(root, "light"), code, cwd=tmp_path, home=tmp_path)
    told = done.stdout + done.stderr
    assert "This needs PyTorch, which is not installed" in told
    assert told.count("Traceback") == 1, told
    assert "no_such_package" in told
