"""Where the extra is not installed: one line says so, at the setup and at each check."""

from __future__ import annotations

import subprocess
import sys

import pytest

from gpuedu import needs, setup
from gpuedu.errors import MissingPackageError
from gpuedu.exercises.examine import examine
from gpuedu.exercises.registry import load
from tests.exercises.stored import solution_answers

LINE = 'pip install "gpuedu[huggingface]"'


@pytest.fixture
def gone(monkeypatch):
    answers = {name: list(solution_answers(name).values()) for name in ("hf-trainer", "stream-it")}
    for name in ("accelerate", "datasets", "transformers"):
        for module in [one for one in sys.modules if one.partition(".")[0] == name]:
            monkeypatch.delitem(sys.modules, module)
        monkeypatch.setitem(sys.modules, name, None)
    return answers


def test_the_setup_says_what_is_missing(gone, capsys, monkeypatch, tmp_path):
    monkeypatch.setenv("GPUEDU_HOME", str(tmp_path))
    setup("hugging-face")
    told = capsys.readouterr().out
    assert told.count("Accelerate, which is not installed") == 1
    assert LINE in told
    assert needs.missing_in("serving", is_light=False) is None


@pytest.mark.parametrize("exercise", ["hf-trainer", "stream-it"])
def test_a_check_says_what_is_missing(gone, exercise):
    with pytest.raises(MissingPackageError) as told:
        examine(load(exercise), gone[exercise], 0)
    assert LINE in str(told.value)


def test_the_course_imports_nothing_of_it():
    code = (
        "import sys; from gpuedu.exercises.registry import load;"
        "[load(one) for one in ('hf-trainer', 'accelerate-it', 'stream-it')];"
        "import gpuedu.exercises.hugging_face.pictures;"
        "sys.exit(bool({'transformers', 'accelerate', 'datasets'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
