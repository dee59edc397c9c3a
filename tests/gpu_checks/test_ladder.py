"""The check of the ladder on a GPU, without one: the machine takes its place."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from gpuedu.backend import has_gpu
from gpuedu.ladder import rung
from tests.gpu_checks import ladder


@pytest.mark.parametrize("name", ["naive", "double-buffer", "c-tiled", "c-warp-tile"])
def test_a_rung_goes_through_the_host_api(name):
    assert not list(ladder.faults_of(rung(name), [(20, 30, 9), (1, 5, 1)]))


def test_a_wrong_rung_and_one_that_fails_are_told():
    naive = rung("naive")
    (told,) = ladder.faults_of(replace(naive, side=1, down=True), [(20, 30, 9)])
    assert "element (" in told and "is nan" in told
    (told,) = ladder.faults_of(replace(naive, make=lambda *_: None), [(20, 30, 9)])
    assert "TypeError" in told


def test_differences_are_found_beyond_the_bound_only():
    a, b, _ = ladder.operands((6, 7, 50))
    right = (a.astype(np.float64) @ b).astype(np.float32)
    assert ladder.difference(a, b, right, ladder.FLOAT32) == ""
    wrong = right.copy()
    wrong[2, 3] *= 1.001
    told = ladder.difference(a, b, wrong, ladder.FLOAT32)
    assert told.startswith("element (2, 3)") and told.endswith("1 are wrong")
    assert ladder.difference(a, b, wrong, ladder.BFLOAT16) == ""


@pytest.mark.skipif(has_gpu(), reason="for machines without a GPU")
def test_without_a_gpu_it_says_so(root):
    done = subprocess.run(
        [sys.executable, "-m", "tests.gpu_checks.ladder"], cwd=root, capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (ladder.NO_GPU, "")
    assert "there is no GPU" in done.stdout
