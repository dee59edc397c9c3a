"""A class is graded: what the generator knows, at any number of kills, and nothing twice."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import subprocess
import sys
import time

import psutil
import pytest

from gpuedu.errors import GpueduError
from gpuedu.exercises.registry import load
from gpuedu.grading.batch.running import grade_class
from gpuedu.grading.batch.secret import DIGEST, NAME, class_secret
from gpuedu.grading.batch.submissions import find_submissions
from gpuedu.grading.judge.cells import Cells
from gpuedu.grading.judge.examining import examine_cells
from gpuedu.grading.judge.stage import Stage
from gpuedu.grading.judge.zygote import Zygote
from gpuedu.grading.sandbox import PlayingLimits
from gpuedu.grading.sandbox.cgroups import _parents
from gpuedu.grading.verdict import read_verdicts
from tests.grading.batch.class_of import comparable, make_class
from tests.hostile.answers import RIGHT
from tests.sampled import only_whole

LESSON = "00_welcome"
LIMITS = PlayingLimits(cells_s=4.0, grace_s=2.0, output_bytes=2**20, memory_bytes=2**30)


@pytest.fixture
def small_class(tmp_path, zygote):
    expected = make_class(tmp_path / "submitted", LESSON, "rpuwbhrbp", seed=4)
    return tmp_path, expected


def require_expected(verdicts, expected):
    assert [one["learner"] for one in verdicts] == sorted(expected)
    for verdict in verdicts:
        wanted = expected[verdict["learner"]]
        assert verdict["state"] == wanted.state, verdict
        assert verdict["reason"] or wanted.state == "graded"
        found = {one["id"]: one["points"] for one in verdict["exercises"]}
        assert set(found) == set(wanted.points)
        for exercise, points in wanted.points.items():
            if points < 0:  # a misconception: not all of them
                assert found[exercise] < -points, (verdict["learner"], exercise)
            else:
                assert found[exercise] == points, (verdict["learner"], exercise)
        assert verdict["points"] == sum(found.values())


def test_a_class_is_graded_as_the_generator_knows(small_class):
    folder, expected = small_class
    out, told = folder / "verdicts", []
    tasks = find_submissions(folder / "submitted", class_secret(out))
    counts = grade_class(tasks, out, told.append, workers=2, limits=LIMITS)
    verdicts = read_verdicts(out)
    require_expected(verdicts, expected)
    assert counts == {"graded": 7, "failed: learner": 2}
    assert [one.done for one in told] == list(range(1, 10))
    assert not list(out.glob(".*"))
    again = grade_class(tasks, out, told.append, workers=1, limits=LIMITS)
    assert again == {"there": 9}
    assert read_verdicts(out) == verdicts


def run_command(folder, *more, before=()):
    command = [*before, sys.executable, "-m", "gpuedu", "grade", str(folder / "submitted")]
    command += ["--out", str(folder / "verdicts"), "--workers", "2", *more]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


@only_whole
def test_a_class_that_is_killed_again_and_again_ends_the_same(tmp_path, zygote):
    expected = make_class(tmp_path / "submitted", LESSON, "rpwubrp", seed=9)
    chance = random.Random(2)
    for _ in range(3):
        run = run_command(tmp_path)
        lines = 0
        for line in run.stdout:  # at a moment that is drawn, some time behind a verdict
            lines += line.startswith("[")
            if lines > chance.randrange(2):
                break
        time.sleep(chance.random() * 0.3)
        run.send_signal(signal.SIGKILL)
        run.wait()
        run.stdout.close()
    last = run_command(tmp_path)
    printed, _ = last.communicate(timeout=300)
    assert last.returncode == 0, printed
    killed = read_verdicts(tmp_path / "verdicts")
    require_expected(killed, expected)
    unbroken = tmp_path / "unbroken"
    tasks = find_submissions(tmp_path / "submitted", class_secret(tmp_path / "verdicts"))
    grade_class(tasks, unbroken, lambda _: None, workers=2)
    assert comparable(read_verdicts(unbroken)) == comparable(killed)
    # Nothing of a killed run is left running.
    end_s = time.monotonic() + 120
    while left := [one for one in processes() if str(tmp_path) in one]:
        assert time.monotonic() < end_s, left
        time.sleep(0.05)
    while dead := [one for one in groups() if not psutil.pid_exists(int(one.name.split("-")[1]))]:
        assert time.monotonic() < end_s, dead
        time.sleep(0.05)


def groups():
    return [one for parent, _ in _parents(LIMITS) for one in parent.glob("gpuedu-*")]


def processes():
    for one in psutil.process_iter():
        if one.pid != os.getpid():
            with contextlib.suppress(psutil.Error):
                yield " ".join(one.cmdline())


def test_only_what_a_killed_run_half_wrote_is_removed_from_the_folder(tmp_path):
    (tmp_path / ".gitignore").write_text("mine")
    (tmp_path / ".git").mkdir()
    left, new = (tmp_path / f".abc.verdict.json.9999999{number}" for number in (8, 9))
    for one in (left, new):
        one.write_text("{")
    os.utime(left, (0, 0))
    assert grade_class([], tmp_path, lambda _: None, sandbox=False) == {}
    # A writer may be on another machine: what is new is not left.
    assert sorted(one.name for one in tmp_path.iterdir()) == [new.name, ".git", ".gitignore"]


def test_verdicts_of_another_format_are_refused(tmp_path):
    out = tmp_path / "verdicts"
    out.mkdir()
    (out / "x.verdict.json").write_text("{}")
    with pytest.raises(GpueduError, match="another format"):
        read_verdicts(out)


def test_the_secret_is_drawn_once_and_is_the_owners(tmp_path):
    first = class_secret(tmp_path / "out")
    assert class_secret(tmp_path / "out") == first
    assert len(first) >= 40
    assert (tmp_path / "out" / NAME).stat().st_mode & 0o077 == 0
    own = tmp_path / "secret.txt"
    own.write_text("  my class  \n")
    assert class_secret(tmp_path / "mine", own) == "my class"
    own.write_text("\n")
    with pytest.raises(GpueduError, match="is empty"):
        class_secret(tmp_path / "out", own)
    with pytest.raises(GpueduError, match="cannot be read"):
        class_secret(tmp_path / "out", tmp_path / "none")


def test_a_folder_keeps_to_the_secret_that_it_was_used_with(tmp_path):
    mine, other = tmp_path / "mine.txt", tmp_path / "other.txt"
    mine.write_text("my class\n")
    other.write_text("another class\n")
    out = tmp_path / "out"
    for _ in range(2):
        assert class_secret(out, mine) == "my class"
    assert [path.name for path in out.iterdir()] == [DIGEST]
    assert "my class" not in (out / DIGEST).read_text()
    with pytest.raises(GpueduError, match=r"another secret before.*name the earlier file"):
        class_secret(out, other)
    with pytest.raises(GpueduError, match=r"no file was named this time.*`--secret`"):
        class_secret(out)
    drawn = class_secret(tmp_path / "drawn")
    with pytest.raises(GpueduError, match=r"another secret before.*leave out the secret's file"):
        class_secret(tmp_path / "drawn", other)
    other.write_text(drawn)
    assert class_secret(tmp_path / "drawn", other) == drawn


def test_grade_refuses_another_secret_than_variants_used(tmp_path):
    (tmp_path / "mine.txt").write_text("my class")
    (tmp_path / "other.txt").write_text("another class")
    (tmp_path / "submitted" / "ann" / LESSON).mkdir(parents=True)
    (tmp_path / "submitted" / "ann" / LESSON / f"{LESSON}.ipynb").write_text("{}")
    command = ["variants", "handouts", "--verdicts", "verdicts", "--lesson", LESSON]
    assert gpuedu_in(tmp_path, *command, "--secret", "mine.txt").returncode == 0
    for extra in ((), ("--secret", "other.txt")):
        done = gpuedu_in(tmp_path, "grade", "submitted", "--out", "verdicts", *extra)
        assert done.returncode != 0
        assert "secret" in done.stderr and "another folder of verdicts" in done.stderr


def gpuedu_in(folder, *command):
    command = [sys.executable, "-m", "gpuedu", *command]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def test_without_a_sandbox_code_is_run_only_if_that_is_said_and_the_verdict_says_so(tmp_path):
    expected = make_class(tmp_path / "submitted", LESSON, "rpb", seed=4)
    run = run_command(tmp_path, "--no-sandbox", before=as_ordinary_user())
    printed, _ = run.communicate(timeout=300)
    assert run.returncode == 0, printed
    verdicts = read_verdicts(tmp_path / "verdicts")
    require_expected(verdicts, expected)
    assert [one["sandbox"] for one in verdicts] == [False] * 3


def as_ordinary_user():
    """What starts a command as nobody special, who may all the same read what the test may read."""
    if os.geteuid() != 0:
        return ()
    command = ["bwrap", "--unshare-user", "--uid", "1000", "--gid", "1000", "--dev-bind", "/", "/"]
    try:
        subprocess.run([*command, "true"], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError) as why:
        pytest.skip(f"root, and cannot become somebody else: {why}")
    return command


@pytest.mark.skipif(os.geteuid() != 0, reason="only root is refused")
def test_root_never_runs_learners_code_without_a_sandbox(tmp_path):
    make_class(tmp_path / "submitted", LESSON, "r", seed=4)
    run = run_command(tmp_path, "--no-sandbox")
    printed, _ = run.communicate(timeout=300)
    assert run.returncode != 0
    assert "learners' code as root" in printed and "leave it out" in printed
    assert not (tmp_path / "verdicts").exists()


def test_without_a_sandbox_what_hangs_is_still_ended(tmp_path):
    zygote = Zygote(sandbox=False)
    try:
        report = grade_answer(zygote, "while True:\n    pass")
        assert (report.state, report.points) == ("refused", 0.0)
        assert grade_answer(zygote, RIGHT).state == "solved"
    finally:
        zygote.end()


def grade_answer(zygote, answer):
    cells = Cells((("setup", "from gpuedu import check"), ("a", answer)), ("copied_bytes",))
    with Stage(zygote, LIMITS) as stage:
        return examine_cells(stage, load("first-check"), cells, 3)


def test_without_a_sandbox_nothing_is_graded(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(GpueduError, match="bubblewrap is not installed"):
        grade_class([], tmp_path / "out", lambda _: None)
