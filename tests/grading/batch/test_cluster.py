"""A class is graded over a real scheduler: the same verdicts, whatever becomes of its workers."""

from __future__ import annotations

import shutil
import signal
import sys
import threading
import time

import psutil
import pytest

from gpuedu.errors import GpueduError
from gpuedu.grading.batch import cluster as crews
from gpuedu.grading.batch.running import grade_class
from gpuedu.grading.batch.secret import class_secret
from gpuedu.grading.batch.submissions import find_submissions
from gpuedu.grading.verdict import read_verdicts
from tests.grading.batch.class_of import ROOT, comparable, make_class
from tests.grading.batch.cluster_of import SmallCluster
from tests.grading.batch.test_class import (
    LESSON,
    LIMITS,
    require_expected,
    run_command,
)
from tests.grading.batch.trial import marks
from tests.sampled import only_whole

pytest.importorskip("distributed")


@pytest.fixture(scope="module")
def scheduler(tmp_path_factory, zygote):
    made = SmallCluster(tmp_path_factory.mktemp("cluster"))
    yield made
    made.end()


@pytest.fixture
def cluster(scheduler):
    """The scheduler without workers."""
    yield scheduler
    scheduler.end_workers()


def tasks_in(folder, out, kinds, seed=4):
    expected = make_class(folder / "submitted", LESSON, kinds, seed=seed)
    return find_submissions(folder / "submitted", class_secret(out)), expected


def sandboxes_of(worker):
    """The sandboxes below a worker; they are there once something is graded."""
    try:
        below = psutil.Process(worker.pid).children(recursive=True)
        return [one for one in below if one.name() == "bwrap"]
    except psutil.NoSuchProcess:
        return []


def kill_while_it_grades(worker):
    while not sandboxes_of(worker):
        time.sleep(0.02)
    worker.send_signal(signal.SIGKILL)


def test_a_worker_that_is_killed_while_it_grades_loses_nothing(tmp_path, cluster):
    out, told = tmp_path / "verdicts", []
    tasks, expected = tasks_in(tmp_path, out, "rpwbhr")
    doomed, _ = cluster.start_worker(), cluster.start_worker(threads=2)
    killer = threading.Thread(target=kill_while_it_grades, args=(doomed,))
    killer.start()
    counts = grade_class(tasks, out, told.append, limits=LIMITS, scheduler=cluster.address)
    killer.join()
    assert counts == {"graded": 5, "failed: learner": 1}
    over_cluster = read_verdicts(out)
    require_expected(over_cluster, expected)
    before = marks(out)
    again = grade_class(tasks, out, told.append, limits=LIMITS, scheduler=cluster.address)
    assert again == {"there": 6}
    assert marks(out) == before
    here = tmp_path / "here"
    grade_class(tasks, here, lambda _: None, workers=2, limits=LIMITS)
    assert comparable(read_verdicts(here)) == comparable(over_cluster)


@only_whole
def test_a_class_that_is_killed_goes_on_over_the_cluster(tmp_path, cluster):
    expected = make_class(tmp_path / "submitted", LESSON, "rpwr", seed=9)
    cluster.start_worker()
    run = run_command(tmp_path, "--scheduler", cluster.address)
    with run.stdout:
        assert any(line.startswith("[1/4]") for line in run.stdout)
        run.send_signal(signal.SIGKILL)
        run.wait()
    before = marks(tmp_path / "verdicts")
    assert 1 <= len(before) < 4
    last = run_command(tmp_path, "--scheduler", cluster.address)
    printed, _ = last.communicate(timeout=120)
    assert last.returncode == 0, printed
    require_expected(read_verdicts(tmp_path / "verdicts"), expected)
    assert before.items() <= marks(tmp_path / "verdicts").items()


@only_whole
def test_a_worker_that_cannot_grade_is_left_out_and_told(tmp_path, cluster):
    out, warned = tmp_path / "verdicts", []
    tasks, expected = tasks_in(tmp_path, out, "rp")
    settings = {"limits": LIMITS, "scheduler": cluster.address, "warn": warned.append}
    other = tmp_path / "other"
    shutil.copytree(ROOT / "gpuedu", other / "gpuedu", ignore=shutil.ignore_patterns("__pycache__"))
    (other / "notebooks").symlink_to(ROOT / "notebooks")
    with (other / "gpuedu" / "units.py").open("a") as file:
        file.write("\n# mended\n")
    cluster.start_worker(PYTHONPATH=str(other))
    with pytest.raises(GpueduError, match=r"no worker of .* has different sources from the class"):
        grade_class(tasks, out, lambda _: None, **settings)
    assert read_verdicts(out) == []
    cluster.start_worker(PATH=str(tmp_path))
    cluster.wait_for(2)  # or the first alone would be asked
    with pytest.raises(GpueduError, match="bubblewrap is not installed"):
        grade_class(tasks, out, lambda _: None, **settings)
    cluster.start_worker()
    cluster.wait_for(3)  # or the others alone would be asked
    warned.clear()
    assert grade_class(tasks, out, lambda _: None, **settings) == {"graded": 2}
    require_expected(read_verdicts(out), expected)
    assert all("is left out: " in line for line in warned)


def test_without_a_scheduler_or_without_workers_it_is_said_and_it_ends(
    tmp_path, cluster, monkeypatch
):
    out = tmp_path / "verdicts"
    tasks, _ = tasks_in(tmp_path, out, "r")
    monkeypatch.setattr(crews, "WORKER_LIMIT_S", 1.5)
    with pytest.raises(GpueduError, match="has had no worker"):
        grade_class(tasks, out, lambda _: None, scheduler=cluster.address)
    monkeypatch.setattr(crews, "CONNECT_LIMIT_S", 1.0)
    with pytest.raises(GpueduError, match=r"there is no scheduler at tcp://127.0.0.1:1"):
        grade_class(tasks, out, lambda _: None, scheduler="tcp://127.0.0.1:1")
    with pytest.raises(GpueduError, match=r"there is no scheduler at nonsense://"):
        grade_class(tasks, out, lambda _: None, scheduler="nonsense://x")
    with pytest.raises(GpueduError, match=r"there is no scheduler at tls://"):
        grade_class(tasks, out, lambda _: None, scheduler="tls://127.0.0.1:1")  # no certificates
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(GpueduError, match=r"pip install distributed"):
        grade_class(tasks, out, lambda _: None, scheduler=cluster.address)


@only_whole
def test_a_scheduler_that_is_killed_ends_the_class_and_it_is_said(tmp_path, zygote):
    folder = tmp_path / "cluster"
    folder.mkdir()
    own = SmallCluster(folder)
    try:
        out = tmp_path / "verdicts"
        tasks, _ = tasks_in(tmp_path, out, "rrr")

        def kill(progress):
            own.scheduler.kill()

        own.start_worker()
        with pytest.raises(GpueduError, match=r"the scheduler at .* is gone"):
            grade_class(tasks, out, kill, limits=LIMITS, scheduler=own.address)
        assert len(read_verdicts(out)) == 1
    finally:
        own.end()
