"""The record of what the compilers say of the course's kernels is what they say today."""

import json
import os
from importlib import resources
from itertools import islice

import pytest

from gpuedu.compilers import CompilerMissingError, recorded
from gpuedu.compilers.frontend import require_compiler
from gpuedu.compilers.nvrtc_library import version
from gpuedu.compilers.ptxas import find_ptxas
from gpuedu.course import compiled_record
from gpuedu.exercises import session
from tests.sampled import WHOLE, sampled

# NVRTC leaves one or two loads narrower from one run to the next.
SLACK = 4
SLOW = {"register-tile": 5, "vector-loads": 3, "accumulate-in-float32": 3, "reduction": 2}
"""Exercises whose answers take the compilers long: CI takes each n-th answer, from the solution on."""


@pytest.fixture(autouse=True)
def compilers(monkeypatch):
    """Skip where they are not installed; progress stays in memory."""
    try:
        require_compiler()
        find_ptxas()
        version()
    except CompilerMissingError as missing:
        pytest.skip(str(missing))
    monkeypatch.setitem(os.environ, "NBGRADER_EXECUTION", "recording")
    monkeypatch.setattr(session, "_stores", [])


def comparable(entry):
    """An entry without what differs between machines, and its instructions alone."""
    plain = json.loads(json.dumps(entry))
    facts = plain.get("facts", {})
    facts.pop("compilers", None)
    facts.pop("by_line", None)
    return plain, sum(facts.pop("instructions", {}).values())


def require_same(found):
    known = recorded.entries()
    assert found and found.keys() <= known.keys(), "python -m gpuedu.course.compiled_record"
    for key, entry in found.items():
        (told, instructions), (kept, before) = comparable(entry), comparable(known[key])
        assert told == kept and abs(instructions - before) <= SLACK, key


@pytest.mark.parametrize(
    "exercise", sampled(sorted({*compiled_record.EXERCISES} - {"row-softmax"}), every=2)
)
def test_stored_answers_are_told_what_the_compilers_say(root, exercise, monkeypatch):
    """All of them where compiling is quick; in CI a part where it is not."""
    if exercise in SLOW and not WHOLE:
        stored, step = compiled_record.stored_answers, SLOW[exercise]
        monkeypatch.setattr(
            compiled_record, "stored_answers", lambda bench: islice(stored(bench), 0, None, step)
        )
    require_same(compiled_record.record(root, (), (exercise,)))


@pytest.mark.parametrize("lesson", sampled(compiled_record.LESSONS, every=2))
def test_pictures_of_solutions_show_what_the_compilers_say(root, lesson):
    require_same(compiled_record.record(root, (lesson,), ()))


def test_the_file_is_written_by_the_command():
    text = resources.files("gpuedu.compilers").joinpath(recorded.FILE).read_text("utf-8")
    assert text == compiled_record.text_of(dict(sorted(recorded.entries().items())))
