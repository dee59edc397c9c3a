"""Compiled code in a process of its own: it can be ended, it may die, and the kernel lives on."""

from __future__ import annotations

import os
import signal
import textwrap
import threading

import pytest

from gpuedu.exercises import isolation
from gpuedu.exercises.examine import examine
from gpuedu.exercises.registry import load
from tests.sampled import sampled


def saxpy_from(body: str):
    """A compiled saxpy as a notebook's cell would define it."""
    namespace = {"__name__": "__lesson__"}
    code = "from numba import njit, prange\n\n@njit(parallel=True)\ndef saxpy(a, x, y, out):\n"
    exec(code + textwrap.indent(textwrap.dedent(body), "    "), namespace)
    return namespace["saxpy"]


RIGHT = """
for i in prange(x.size):
    out[i] = a * x[i] + y[i]
"""
FOREVER = """
i = 0
while i < 1000:
    i = i % 7
for i in prange(x.size):
    out[i] = i
"""


@pytest.fixture(autouse=True)
def _no_worker_left():
    isolation.end_workers()
    yield
    isolation.end_workers()


@pytest.fixture
def exercise():
    from dataclasses import replace

    loaded = load("parallel-cpu")
    return replace(loaded, play=replace(loaded.play, time_limit_s=20.0))


def test_a_compiled_loop_that_never_ends_is_ended(exercise):
    from dataclasses import replace

    short = replace(exercise, play=replace(exercise.play, time_limit_s=6.0))
    report = examine(short, [saxpy_from(FOREVER)])
    assert report.points == 0
    assert "did not finish" in report.results[0].fault.message
    assert not isolation._warm


ENDLESS = """
from numba import njit

@njit
def search(n):
    i = 0
    while i < 1000:
        i = i % 7
    return i

def helper(n):
    return search(n)

def copied_bytes(n, itemsize):
    return {call}
"""


@pytest.mark.parametrize("call", sampled(["search(n)", "helper(n)"], chosen=["helper(n)"]))
def test_compiled_code_is_isolated_in_every_exercise(call):
    from dataclasses import replace

    namespace = {"__name__": "__lesson__"}
    exec(ENDLESS.replace("{call}", call), namespace)
    loaded = load("first-check")
    short = replace(loaded, play=replace(loaded.play, time_limit_s=6.0))
    report = examine(short, [namespace["copied_bytes"]])
    assert report.points == 0
    assert "did not finish" in report.results[0].fault.message


def test_plain_code_stays_in_this_process():
    where = []

    def copied_bytes(n, itemsize):
        where.append(os.getpid())
        return 2 * n * itemsize

    assert examine(load("first-check"), [copied_bytes]).state == "solved"
    assert set(where) == {os.getpid()}


def test_what_kills_its_process_is_told_and_the_next_check_works(exercise):
    def saxpy(a, x, y, out):
        os.kill(os.getpid(), signal.SIGKILL)

    report = examine(exercise, [saxpy])
    assert "ended the process" in report.results[0].fault.message
    assert examine(exercise, [saxpy_from(RIGHT)]).state == "solved"


def test_a_warm_worker_is_kept_and_used_again(exercise):
    examine(exercise, [saxpy_from(RIGHT)])
    (first,) = isolation._warm
    examine(exercise, [saxpy_from(RIGHT)])
    assert isolation._warm == [first]


def test_what_cannot_be_sent_is_refused_with_a_reason(exercise):
    held = threading.Lock()

    def saxpy(a, x, y, out):
        held.acquire()

    report = examine(exercise, [saxpy])
    assert report.state == "refused"
    assert "cannot be sent" in report.refusal


def test_no_process_is_left(exercise):
    examine(exercise, [saxpy_from(RIGHT)])
    (worker,) = isolation._warm
    process = worker._process
    isolation.end_workers()
    assert process.returncode is not None
