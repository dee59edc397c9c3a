"""What a zygote imports: all that a lesson's players use, no more than that, in one thread."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from gpuedu.grading.judge.cells import imports_in

PROGRAM = """
import json, os, sys
from gpuedu.grading.player.preloading import import_lesson, import_machine

import_machine()
import_lesson(*sys.argv[1:3])
before = set(sys.modules)
{work}
print(json.dumps({{
    "torch": "torch" in sys.modules,
    "threads": len(os.listdir("/proc/self/task")),
    "late": sorted(set(sys.modules) - before),
}}))
"""
KERNEL = """
import linecache
import numpy as np
from gpuedu import cuda
from gpuedu.exercises.kernels.launching import run_kernel

text = "@cuda.jit\\ndef fill(out):\\n    out[cuda.grid(1)] = 1\\n"
linecache.cache["cell"] = (len(text), None, text.splitlines(keepends=True), "cell")
exec(compile(text, "cell", "exec"))
run_kernel(fill, 1, 32, np.zeros(32, np.float32))
"""
STEP = """
import torch

model = torch.nn.Linear(2, 1)
optimizer = torch.optim.AdamW(model.parameters())
model(torch.ones(1, 2)).sum().backward()
optimizer.step()
"""


def preloaded(slug, folder, work):
    one = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
    told = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(work=work), slug, imports_in(folder)],
        env={**os.environ, **one, "GPUEDU_TIER": "cpu"},
        check=True,
        capture_output=True,
        text=True,
    )
    return json.loads(told.stdout)


@pytest.mark.skipif(sys.platform != "linux", reason="players are for Linux")
def test_a_lesson_on_kernels_has_all_that_a_launch_uses_and_does_not_wait_for_pytorch():
    told = preloaded("first-kernels", "02_first_kernels", KERNEL)
    assert told == {"torch": False, "threads": 1, "late": []}


@pytest.mark.skipif(sys.platform != "linux", reason="players are for Linux")
def test_a_lesson_on_training_has_all_that_a_step_uses():
    told = preloaded("training-step", "09_training_step", STEP)
    assert told == {"torch": True, "threads": 1, "late": []}


HUGE = """
import array, re
from pathlib import Path
from gpuedu.grading.player.huge_pages import use_huge_pages

def huge_kb():
    told = Path("/proc/self/smaps_rollup").read_text()
    return int(re.search(r"AnonHugePages: +([0-9]+)", told)[1])

kept = array.array("q", range(2**21))
before = huge_kb()
use_huge_pages()
assert kept[-1] == 2**21 - 1 and sum(kept[:1000]) == 499_500
print(huge_kb() - before)
"""


def test_memory_is_put_into_huge_pages_and_keeps_its_numbers():
    version = tuple(map(int, os.uname().release.split(".")[:2]))
    if version < (6, 1) or not Path("/sys/kernel/mm/transparent_hugepage").exists():
        pytest.skip("this kernel puts no memory together when asked")
    told = subprocess.run([sys.executable, "-c", HUGE], capture_output=True, text=True, check=True)
    assert int(told.stdout) >= 8 * 1024
