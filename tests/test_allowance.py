"""A limit that waits for a processor do not use up."""

from __future__ import annotations

import math
import os
import subprocess
import sys
import threading
import time

import pytest

from gpuedu import allowance
from gpuedu.allowance import (
    MOST_WAITED,
    Allowance,
    ThreadTimes,
    waited_for_a_processor_s,
)
from gpuedu.errors import TimeLimitExceeded
from gpuedu.exercises.guard import play_guarded


@pytest.fixture
def waits(monkeypatch):
    """What the system says of waits, in seconds since each thread began."""
    said = {None: 5.0}
    monkeypatch.setattr(allowance, "waited_for_a_processor_s", lambda pid=None: said.get(pid, 0.0))
    return said


def test_without_waits_it_is_the_time_since_it_was_made(waits, monkeypatch):
    now = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    one = Allowance(10.0)
    now[0] += 7.0
    assert one.left_s() == 3.0
    now[0] += 4.0
    assert one.left_s() == -1.0


def test_a_wait_makes_it_longer_up_to_a_bound(waits, monkeypatch):
    monkeypatch.setattr(time, "monotonic", lambda: 100.0)
    one = Allowance(10.0)
    waits[None] += 6.0
    assert one.left_s() == 16.0
    waits[None] += 1000.0
    assert one.left_s() == 10.0 + MOST_WAITED * 10.0


def test_another_process_is_looked_at_by_its_number(waits):
    waits[77] = 0.0
    one = Allowance(10.0, 77)
    waits[77], waits[None] = 4.0, 50.0
    assert 13.0 < one.left_s() <= 14.0


def test_what_is_surely_left_is_the_clocks_until_that_is_over(waits, monkeypatch):
    now = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    one = Allowance(10.0)
    waits[None] += 6.0
    now[0] += 7.0
    assert (one.surely_left_s(), one.left_s()) == (3.0, 9.0)
    now[0] += 4.0
    assert one.surely_left_s() == one.left_s() == 5.0


@pytest.mark.skipif(sys.platform != "linux", reason="Linux alone tells it")
def test_times_are_read_anew_until_they_are_closed_or_the_thread_is_gone():
    own = ThreadTimes(threading.get_native_id())
    before, _ = own.ran_and_waited_s()
    end = time.thread_time() + 0.05
    while time.thread_time() < end:
        pass
    assert own.ran_and_waited_s()[0] >= before + 0.04
    own.close()
    assert own.ran_and_waited_s() == (0.0, 0.0)
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as other:
        times = ThreadTimes(other.pid)
        while times.ran_and_waited_s() == (0.0, 0.0):
            time.sleep(0.01)
    assert times.ran_and_waited_s() == (0.0, 0.0)
    times.close()


def test_no_limit_has_no_end(waits):
    waits[None] += 3.0
    assert Allowance(math.inf).left_s() == math.inf


@pytest.mark.skipif(sys.platform != "linux", reason="Linux alone tells it")
def test_two_on_one_processor_wait_for_each_other():
    spin = (
        f"import os, time\nos.sched_setaffinity(0, {{{min(os.sched_getaffinity(0))}}})\n"
        "end = time.process_time() + 1.0\nwhile time.process_time() < end: pass\n"
        "from gpuedu.allowance import waited_for_a_processor_s\nprint(waited_for_a_processor_s())"
    )
    both = [
        subprocess.Popen([sys.executable, "-c", spin], stdout=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    waited = [float(one.communicate()[0]) for one in both]
    assert max(waited) > 0.2


def test_who_is_not_there_waited_for_nothing():
    assert waited_for_a_processor_s(2**22 + 1) == 0.0


@pytest.mark.parametrize("in_a_thread", [False, True])
def test_a_loop_is_ended_when_the_allowance_is_over_and_not_before(monkeypatch, in_a_thread):
    """The clock says that 0.2 s are over; the machine made it wait for as long twice."""
    more, began = iter([0.2, 0.2]), []

    class Waiting(Allowance):
        def __init__(self, *arguments):
            super().__init__(*arguments)
            began.append(self._began_s)

        def left_s(self):
            left_s = super().left_s()
            more_s = next(more, 0.0) if left_s <= 0.001 else 0.0
            self._limit_s += more_s
            return left_s + more_s

    monkeypatch.setattr("gpuedu.exercises.time_limit.Allowance", Waiting)
    took = []

    def for_ever():
        try:
            while True:
                pass
        except TimeLimitExceeded:
            took.append(time.monotonic() - began[0])
            raise

    outcomes = []
    if in_a_thread:
        thread = threading.Thread(target=lambda: outcomes.append(play_guarded(for_ever, 0.2)))
        thread.start()
        thread.join()
    else:
        outcomes.append(play_guarded(for_ever, 0.2))
    assert "did not finish" in outcomes[0].problem.message
    assert took[0] > 0.55
