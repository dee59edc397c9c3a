"""One room's work does not take the processors from another's, however many processes it has."""

from __future__ import annotations

import os
import subprocess
import sys
import time

import psutil
import pytest

from gpuedu.grading.judge.stage import Stage
from gpuedu.grading.sandbox import PlayingLimits, cgroups, fairness
from tests.hostile.answers import RIGHT
from tests.sampled import sampled

PROCESSOR = min(os.sched_getaffinity(0))
BUSY = f"""
import contextlib, os
for _ in range(COUNT):
    if os.fork() == 0:
        with contextlib.suppress(PermissionError):
            os.setsid()
        os.sched_setaffinity(0, {{{PROCESSOR}}})
        while True: pass
"""


def run(stage, count):
    request = {"do": "load", "lesson": "welcome", "exercise": "first-check", "limit_s": 9.0}
    request |= {"cells": [["a", RIGHT + BUSY.replace("COUNT", str(count))]]}
    assert stage.learner().ask({**request, "arguments": ["copied_bytes"]}, 30.0)["problem"] is None


def used_s(stage):
    """Processor time that all in a stage's room have used."""
    processes = stage._compartment._group._processes()
    return sum(sum(psutil.Process(one).cpu_times()[:2]) for one in processes)


@pytest.mark.parametrize("is_given", sampled([True, False], every=2))
def test_one_busy_process_gets_as_much_as_forty_of_another_room(zygote, monkeypatch, is_given):
    """On one processor; where the kernel gives rooms a share, and where they are watched."""
    if not is_given:
        parents = cgroups._parents

        def without_processors(limits):
            settings = [(where, dict(wanted)) for where, wanted in parents(limits)]
            for _, wanted in settings:
                wanted.pop("cpu.weight", None)
            return [one for one in settings if "cpu.shares" not in one[1]]

        monkeypatch.setattr(cgroups, "_parents", without_processors)
        monkeypatch.setattr(cgroups, "_is_fair", lambda _made: False)
    with Stage(zygote, PlayingLimits()) as many, Stage(zygote, PlayingLimits()) as one:
        run(many, 40)
        run(one, 1)
        time.sleep(0.5)
        before_s = used_s(many), used_s(one)
        while (total_s := sum((used_s(many), used_s(one))) - sum(before_s)) < 1.0:
            time.sleep(0.05)
        assert used_s(one) - before_s[1] > total_s / 5  # of 41 processes that are alike, 1/41


def test_the_more_of_them_compute_the_nicer_they_are_and_one_alone_stays(monkeypatch):
    spin = [sys.executable, "-c", "print(flush=True)\nwhile True: pass"]
    sleep = [sys.executable, "-c", "import time; print(flush=True); time.sleep(99)"]
    started = [subprocess.Popen(one, stdout=subprocess.PIPE) for one in (spin, sleep, spin)]
    try:
        for one in started:
            one.stdout.readline()
        first, _, third = pids = [one.pid for one in started]
        while [fairness._computes(one) for one in pids] != [True, False, True]:
            time.sleep(0.01)  # the one that sleeps is not there yet
        fairness.lower([first])
        assert os.getpriority(os.PRIO_PROCESS, first) == os.getpriority(os.PRIO_PROCESS, 0)
        fairness.lower(pids)
        assert all(os.getpriority(os.PRIO_PROCESS, one.pid) == 4 for one in started)
        fairness.lower([third, 2**22 + 1])  # a number that nobody has
        monkeypatch.setattr(fairness, "_MANY", 1)
        fairness.lower([first, third])
        assert os.sched_getscheduler(first) == os.SCHED_IDLE
    finally:
        for one in started:
            one.kill()
            one.communicate()
