"""What a grader leaves of its control groups and copies is gone soon, without another run."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from gpuedu.grading.sandbox import PlayingLimits
from gpuedu.grading.sandbox.cgroups import _parents, can_limit

GRADER = """
import time
from gpuedu.grading.sandbox.cgroups import control_group
from gpuedu.grading.sandbox.limits import PlayingLimits
from gpuedu.grading.sandbox.sweeping import swept
with swept(), control_group(PlayingLimits()):
    print(flush=True)
    time.sleep(WAIT)
"""


def groups_of(process):
    pattern = f"gpuedu-{process}-*"
    return [one for parent, _ in _parents(PlayingLimits()) for one in parent.glob(pattern)]


@pytest.mark.skipif(not can_limit(), reason="no control groups")
@pytest.mark.parametrize("is_killed", [True, False])
def test_no_group_is_left_however_a_grader_ends(is_killed):
    source = GRADER.replace("WAIT", "60" if is_killed else "0.1")
    grader = subprocess.Popen([sys.executable, "-c", source], stdout=subprocess.PIPE)
    with grader.stdout:
        grader.stdout.readline()
    assert groups_of(grader.pid)
    if is_killed:
        grader.send_signal(signal.SIGKILL)
    assert grader.wait() == (-signal.SIGKILL if is_killed else 0)
    end_s = time.monotonic() + 60
    while groups_of(grader.pid):
        assert time.monotonic() < end_s
        time.sleep(0.02)


WORKER = """
import subprocess, sys
from gpuedu.grading.sandbox.sweeping import keep_swept
keep_swept()
judge = subprocess.Popen([sys.executable, "-c", sys.argv[1]], stdout=subprocess.PIPE, text=True)
print(judge.stdout.readline().strip(), flush=True)
"""
JUDGE = """
import time
from gpuedu.grading.player.namespaces import die_with_parent
from gpuedu.grading.sandbox.copies import FolderForACopy
die_with_parent()
made = FolderForACopy()
print(made.name, flush=True)
time.sleep(60)
"""


def test_no_copy_is_left_of_a_judge_that_ends_after_its_worker():
    command = [sys.executable, "-c", WORKER, JUDGE]
    left = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    assert left
    end_s = time.monotonic() + 60
    while Path(left).exists():
        assert time.monotonic() < end_s
        time.sleep(0.02)
