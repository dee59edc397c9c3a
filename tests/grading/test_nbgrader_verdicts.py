"""Nothing is graded twice: verdicts that are there are taken, whoever had them made."""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
from pathlib import Path

import pytest
from nbgrader.api import Gradebook

from gpuedu.errors import GpueduError
from gpuedu.grading.batch.secret import NAME, class_secret
from gpuedu.grading.nbgrader import _update_or_create_student
from gpuedu.grading.verdict import read_verdicts
from tests.grading.classroom import LESSON, answered, exported, hand_in, make_course, nbgrader
from tests.sampled import sampled

OWN_SECRET = """
get_config().ClassVerdicts.secret = "word.txt"
"""


@pytest.fixture(
    params=sampled(["secret beside the verdicts", "secret in a file of the teacher's"], every=2)
)
def graded(request, tmp_path, zygote):
    """A course whose submissions `gpuedu grade` has graded."""
    own = "file" in request.param
    folder = make_course(tmp_path, settings=OWN_SECRET if own else "")
    (folder / "word.txt").write_text("a long word of the teacher's\n")
    nbgrader(folder, "generate_assignment", LESSON)
    hand_in(folder, "right", answered(folder))
    hand_in(folder, "little", answered(folder, "first-check"))
    command = ["grade", "submitted", "--out", "verdicts", "--workers", "1"]
    command += ["--secret", "word.txt"] if own else []
    subprocess.run(
        [sys.executable, "-m", "gpuedu", *command], cwd=folder, check=True, capture_output=True
    )
    return folder


def test_autograde_takes_what_was_graded_and_starts_no_sandbox(graded, monkeypatch):
    before = {path: path.stat().st_mtime_ns for path in (graded / "verdicts").iterdir()}
    monkeypatch.setenv("PATH", "/nowhere")  # there is no bubblewrap, so none can be started
    nbgrader(graded, "autograde", LESSON)
    nbgrader(graded, "autograde", LESSON, "--force")
    assert {path: path.stat().st_mtime_ns for path in (graded / "verdicts").iterdir()} == before
    scores = {who: float(row["score"]) for (_, who), row in exported(graded).items()}
    assert scores == {one["learner"]: one["points"] for one in read_verdicts(graded / "verdicts")}
    assert 0 < scores["little"] < scores["right"]
    hand_in(graded, "new", answered(graded))
    with pytest.raises(GpueduError, match=r"(?s)bubblewrap.*for student 'new'"):
        nbgrader(graded, "autograde", LESSON)
    ungraded = exported(graded)[LESSON, "new"]
    assert float(ungraded["score"]) == 0
    assert not (graded / "autograded" / "new" / LESSON).exists()


FORMGRADER = """
import sys
from gpuedu.grading.verdict import read_verdicts
from nbgrader.apps import NbGraderAPI, NbGraderApp
from pathlib import Path

app = NbGraderApp()
app.initialize([])
api = NbGraderAPI(app.coursedir, parent=app)
for _ in sys.stdin:
    print(api.autograde("LESSON", "little")["success"], flush=True)
""".replace("LESSON", LESSON)


def test_the_formgrader_sets_aside_what_a_command_graded_since_it_began(graded):
    command = [sys.executable, "-m", "gpuedu", "grade", "submitted", "--out", "verdicts"]
    command += [] if (graded / "verdicts" / NAME).exists() else ["--secret", "word.txt"]
    formgrader = subprocess.Popen(
        [sys.executable, "-c", FORMGRADER],
        cwd=graded,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    said = []
    for exercises in (("first-check",), ("first-check", "bandwidth"), ()):
        hand_in(graded, "little", answered(graded, *exercises))
        if len(exercises) == 2:
            subprocess.run(command, cwd=graded, check=True, capture_output=True)
            continue
        formgrader.stdin.write("once\n")
        formgrader.stdin.flush()
        said.append(formgrader.stdout.readline().strip())
    formgrader.communicate()
    assert said == ["True", "True"]
    learners = [one["learner"] for one in read_verdicts(graded / "verdicts")]
    assert learners == ["little", "right"]


def _take(folder, start, found):
    start.wait()
    found.put(class_secret(folder))


def test_commands_that_begin_at_once_take_the_same_secret(tmp_path):
    context = multiprocessing.get_context("fork")
    for attempt in range(5):
        folder = tmp_path / str(attempt)
        start, found = context.Event(), context.Queue()
        those = [context.Process(target=_take, args=(folder, start, found)) for _ in range(6)]
        for one in those:
            one.start()
        start.set()
        secrets = {found.get(timeout=300) for _ in those}
        for one in those:
            one.join()
        assert len(secrets) == 1
        assert len(secrets.pop()) == 48
        assert [path.name for path in folder.iterdir()] == ["class-secret.txt"]


def test_a_learner_whom_another_command_enters_meanwhile_is_taken(tmp_path, monkeypatch, caplog):
    # nbgrader calls `alembic` by name
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent), prepend=os.pathsep)
    place = f"sqlite:///{tmp_path / 'gradebook.db'}"
    with Gradebook(place) as ours:
        add = Gradebook.add_student

        def late(self, student, **settings):
            with Gradebook(place) as theirs:
                monkeypatch.setattr(Gradebook, "add_student", add)
                theirs.add_student(student)
            return add(self, student, **settings)

        monkeypatch.setattr(Gradebook, "add_student", late)
        assert _update_or_create_student(ours, "ann").id == "ann"
        assert [one.id for one in ours.students] == ["ann"]
