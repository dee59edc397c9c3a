"""The worked example in CONTRIBUTING, carried out in a copy of the course with an empty lesson."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.sampled import WHOLE, only_whole

SYLLABUS = """
[[lesson]]
slug = "example"
title = "Example"
question = "How is an exercise made?"
minutes = 10
memory_mb = 500
gains = "nothing"
ready = true
core = []
stretch = []
"""
EMPTY = """\
# %% [markdown]
# # How is an exercise made?
#
# **You will be able to** add one. **You need** a kernel. **Time** about 10 minutes.

# %% role="setup"
from gpuedu import check, cuda, setup

setup("example")

{exercise}
# %% [markdown]
# ## What you take with you
#
# - One folder.
# - One list of cells.
# - Four wrong answers.
#
# **Your number:** how many lines it took.

# %% [markdown]
# ## Sources
#
# - None.
"""
BLOCK = re.compile(r"^```(?:py|diff)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FILES = ("__init__.py", "play.py", "judge/__init__.py", "judge/wrong.diff", "judge/right/half.py")
CI = ["tests/test_proofs.py", "tests/test_syllabus.py", "tests/exercises/test_every_exercise.py"]


@pytest.fixture
def example(root: Path, tmp_path: Path) -> Path:
    """The course with one lesson, which has the exercise of the example and no other."""
    cells, *files = BLOCK.findall((root / "CONTRIBUTING.md").read_text("utf-8"))
    generated = shutil.ignore_patterns("__pycache__", "*.ipynb")
    for folder in ("gpuedu", "tests"):
        shutil.copytree(root / folder, tmp_path / folder, ignore=generated)
    for file in ("README.md", "pyproject.toml"):
        shutil.copy(root / file, tmp_path)
    (tmp_path / "gpuedu" / "syllabus.toml").write_text(SYLLABUS)
    lesson = tmp_path / "solutions" / "00_example" / "00_example.py"
    lesson.parent.mkdir(parents=True)
    lesson.write_text(EMPTY.format(exercise=cells))
    package = tmp_path / "gpuedu" / "exercises" / "example"
    for name, text in zip(FILES, files, strict=True):
        path = package / "reverse_in_place" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (package / "__init__.py").write_text('"""Lesson example."""\n')
    return tmp_path


def run(folder: Path, *command: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", *command],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


@only_whole
def test_the_example_passes_all_that_ci_demands(example):
    run(example, "gpuedu", "build")
    run(example, "gpuedu", "build", "--check")
    run(example, "gpuedu", "lint")
    run(example, "gpuedu", "prove", "reverse-in-place")
    run(example, "ruff", "check", "gpuedu/exercises/example", "solutions")
    run(example, "ruff", "format", "--check", "gpuedu/exercises/example", "solutions")
    if WHOLE:
        run(example, "pytest", "-q", "-p", "no:cacheprovider", "-k", "reverse or example", *CI)
