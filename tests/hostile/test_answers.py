"""Learners' code that cheats or breaks: no undeserved point, no survivor, and it always ends."""

from __future__ import annotations

import time
from dataclasses import replace

import psutil
import pytest

from gpuedu.exercises.registry import load
from gpuedu.grading.judge.cells import Cells
from gpuedu.grading.judge.examining import examine_cells
from gpuedu.grading.judge.stage import Stage
from gpuedu.grading.sandbox import PlayingLimits
from tests.hostile import answers

LIMITS = PlayingLimits(cells_s=2.0, grace_s=1.0, output_bytes=2**20, memory_bytes=2**30)
SETUP = ("setup", "from gpuedu import check")


def grade(zygote, answer, exercise="first-check", arguments=("copied_bytes",)):
    with Stage(zygote, LIMITS) as stage:
        return graded_on(stage, answer, exercise, arguments)


def graded_on(stage, answer, exercise="first-check", arguments=("copied_bytes",)):
    cells, known = Cells((SETUP, ("answer", answer)), arguments), load(exercise)
    play = replace(known.play, time_limit_s=min(known.play.time_limit_s, 2.0))
    return examine_cells(stage, replace(known, play=play), cells, 11)


@pytest.fixture(autouse=True)
def nothing_survives(zygote):
    sandbox = psutil.Process(zygote._process.pid)
    before = set(sandbox.children(recursive=True))
    yield
    end_s = time.monotonic() + 120
    while left := set(filter(_is_running, sandbox.children(recursive=True))) - before:
        assert time.monotonic() < end_s, left
        time.sleep(0.01)


def _is_running(process):
    """Not so what has ended: it is reaped when the next player is asked for."""
    try:
        return process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def test_the_right_answer_has_its_points(zygote):
    report = grade(zygote, answers.RIGHT)
    assert (report.state, report.points) == ("solved", 2.0)


@pytest.mark.parametrize("name", answers.ENDLESS)
def test_what_never_ends_is_ended(name, zygote):
    report = grade(zygote, answers.RIGHT + answers.ENDLESS[name])
    assert (report.state, report.points) == ("refused", 0.0)
    assert report.refusal


@pytest.mark.parametrize("name", answers.BROKEN)
def test_what_breaks_is_refused_with_a_reason(name, zygote):
    report = grade(zygote, answers.RIGHT + answers.BROKEN[name])
    assert (report.state, report.points) == ("refused", 0.0)
    assert report.refusal


@pytest.mark.parametrize("name", answers.WRONG)
def test_what_is_wrong_has_no_undeserved_point(name, zygote):
    report = grade(zygote, answers.WRONG[name])
    assert report.state in ("wrong", "partly", "refused")
    assert report.points < 2.0
    assert report.refusal or any(one.fault and one.fault.message for one in report.results)


@pytest.mark.parametrize("name", answers.HARMLESS)
def test_what_changes_nothing_has_the_points_of_its_answer(name, zygote):
    report = grade(zygote, answers.HARMLESS[name] + "\n" + answers.RIGHT)
    assert (report.state, report.points) == ("solved", 2.0), report.refusal


def test_a_kernel_is_judged_by_what_it_does_and_not_by_what_python_says_of_it(zygote):
    """Python around the kernel replaces the machine and what is read of it; nothing changes."""
    cell = """
from gpuedu import cuda
import gpuedu.exercises.kernels.launches as play
import gpuedu.exercises.kernels.launching as launching

def forged(kernel, grid, block, a, out, **rest):
    out[:] = a + 10
    raise SystemError("never reached")

play.run_kernel = launching.run_kernel = forged

@cuda.jit
def add_ten(a, out):
    i = cuda.threadIdx.x
    out[i] = a[i] + 11
"""
    report = grade(zygote, cell, "thread-index", ("add_ten",))
    assert report.points < report.max_points
    assert "SystemError" not in str([result.fault for result in report.results])


def test_a_kernel_of_a_forged_text_is_the_text(zygote):
    """What ``inspect`` tells of a function is what runs, not the function."""
    cell = """
import linecache
from gpuedu import cuda

@cuda.jit
def add_ten(a, out):
    i = cuda.threadIdx.x
    if i < a.size:
        out[i] = a[i] + 10

text = "".join(linecache.cache["<answer>"][2]).replace("+ 10", "+ 99")
linecache.cache["<answer>"] = (len(text), None, text.splitlines(True), "<answer>")
"""
    report = grade(zygote, cell, "thread-index", ("add_ten",))
    assert 0 <= report.points < report.max_points


def test_no_state_passes_from_one_player_to_the_next(zygote):
    left = "import os, tempfile\nplace = os.path.join(tempfile.gettempdir(), 'left')\n"
    left += "open(place, 'w').write('x')\nopen('/dev/shm/left', 'w').write('x')\n"
    left += "open('left', 'w').write('x')\nimport math\nmath.left = 1\n" + answers.RIGHT
    assert grade(zygote, left).state == "solved"
    look = "import os, math, tempfile\nplace = os.path.join(tempfile.gettempdir(), 'left')\n"
    look += "assert not os.path.exists(place) and not os.path.exists('left')\n"
    look += "assert os.listdir('/dev/shm') == [] and not hasattr(math, 'left')\n" + answers.RIGHT
    report = grade(zygote, look)
    assert report.state == "solved", report.refusal


def grade_device(zygote, answer):
    return grade(zygote, answer, "stay-on-device", ("predict_on_device",))


def test_copies_are_counted_where_the_device_is(zygote):
    assert grade_device(zygote, answers.STAYS).state == "solved"
    costly = grade_device(zygote, answers.COPIES)
    assert list(costly.held().values()) == [True, False, False, False], costly.refusal


@pytest.mark.parametrize("name", answers.COUNTERS)
def test_who_replaces_a_counter_is_counted_all_the_same(name, zygote):
    report = grade_device(zygote, answers.COUNTERS[name] + "\n" + answers.COPIES)
    assert list(report.held().values()) == [True, False, False, False], report.refusal


@pytest.mark.parametrize("name", answers.UNANSWERED)
def test_the_device_refuses_what_is_no_request_and_goes_on(name, zygote):
    report = grade_device(zygote, answers.UNANSWERED[name] + answers.STAYS)
    assert report.state == "solved", report.refusal


@pytest.mark.parametrize("name", answers.LOST)
def test_who_says_to_the_device_what_is_no_request_has_no_points(name, zygote):
    report = grade_device(zygote, answers.LOST[name])
    assert report.points == 0.0
    assert any(one.fault and one.fault.message for one in report.results)
