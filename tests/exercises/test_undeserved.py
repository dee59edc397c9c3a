"""Answers that leave something undone have no points for it, though nothing of it is seen to fail.

Each file in ``undeserved/`` is one: its first line names the properties that it must not earn, and
its name the exercise, with a word behind ``--`` where there are several.
"""

from __future__ import annotations

import builtins
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from unittest.mock import patch

import pytest

import gpuedu
from gpuedu.course.proof import Bench
from gpuedu.exercises.capture import captured
from gpuedu.exercises.guard import play_guarded
from gpuedu.grading.sandbox.hidden import hidden_files, hidden_folders
from tests.sampled import only_whole

ROOT = Path(__file__).parents[2]
ANSWERS = sorted(Path(__file__).with_name("undeserved").glob("*.py"))
MARK = "# must lose: "
SEED = 7
COSTLY = {"make-it-fast", "make-it-fast--idle-steps", "make-it-fast--show"}
"""Answers that take half a minute."""


def _earned(bench, text):
    """The properties that hold, of the answer behind the solution's given cells."""
    given = [cell.text for cell in bench.source.cells_of(bench.id, "given")]
    with captured(), _hidden_from_answers():
        report = bench.try_answers([*given, text], "undeserved", SEED)
    return {name for name, holds in report.held().items() if holds}


@contextmanager
def _hidden_from_answers():
    """What a player has not is there for the course itself, and not for what imports it besides."""
    package, found = Path(gpuedu.__file__).parent, builtins.__import__
    hidden = {*hidden_files(package), *hidden_folders(package)}

    def import_(name, namespace=None, *rest, **named):
        place = (package.parent / name.replace(".", "/")).with_suffix(".py")
        is_course = str((namespace or {}).get("__name__")).startswith("gpuedu.")
        if not is_course and hidden.intersection((place, *place.parents)):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return found(name, namespace, *rest, **named)

    with patch.object(builtins, "__import__", import_):
        yield


@pytest.mark.parametrize(
    "path",
    [pytest.param(one, id=one.stem, marks=[only_whole] * (one.stem in COSTLY)) for one in ANSWERS],
)
def test_what_is_left_undone_earns_nothing(path):
    bench, text = Bench(ROOT, path.stem.partition("--")[0]), path.read_text("utf-8")
    first, _, _ = text.partition("\n")
    assert first.startswith(MARK), f"{path.name} says on its first line what it must lose"
    lost = set(first.removeprefix(MARK).split(", "))
    assert lost <= {prop.name for prop in bench.exercise.judge.properties}
    outcome = play_guarded(partial(_earned, bench, text), 120)
    assert outcome.problem is None, outcome.problem
    assert not lost & outcome.observed
