"""The core needs NumPy alone, and a check of a kernel Jinja2 beside: that is what a tab has."""

from __future__ import annotations

import subprocess
import sys

import pytest

BLOCK = """
import importlib.abc, sys

class Absent(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        top = name.partition(".")[0]
        if top in ALLOWED or top in sys.stdlib_module_names and top not in NO_PROCESSES:
            return None
        raise ModuleNotFoundError(f"No module named {top!r}", name=top)

NO_PROCESSES = {"subprocess", "multiprocessing", "socket", "fcntl", "resource", "termios", "curses"}
sys.meta_path.insert(0, Absent())
for name in [name for name in sys.modules if name.partition(".")[0] in NO_PROCESSES]:
    del sys.modules[name]
"""

KERNEL = """
import numpy as np
from gpuedu import cuda, lens, simulate
from gpuedu.simt.host.numba_names import stand_in_for_numba
stand_in_for_numba()
from numba import float32

@cuda.jit
def sums(x, out):
    part = cuda.shared.array(32, float32)
    t = cuda.threadIdx.x
    part[t] = x[cuda.grid(1)]
    cuda.syncthreads()
    if t == 0:
        total = float32(0)
        for k in range(32):
            total += part[k]
        out[0] = total

x, out = np.arange(64, dtype=np.float32), np.zeros(1, np.float32)
account = lens(simulate(sums, 2, 32, x, out))
print([hazard.kind for hazard in simulate(sums, 2, 32, x, out).hazards])
print("sectors" in str(account))
"""

CHECK = """
from gpuedu import check, cuda

def add_ten(a, out):
    i = cuda.threadIdx.x
    out[i] = a[i] + 10

print(check("thread-index", cuda.jit(add_ten)))
print(check("thread-index", cuda.jit(lambda a, out: None)) < 1)
"""


def run(code: str, allowed: set[str], tmp_path) -> str:
    """What the code prints in a Python that has the standard library and ``allowed`` alone."""
    script = tmp_path / "script.py"  # a kernel's source is read from its file
    finder = f"exec(compile({BLOCK!r}, '<frozen finder>', 'exec'))"  # as the real one, no learner's
    script.write_text(f"ALLOWED = {allowed!r}\n{finder}\n{code}", "utf-8")
    done = subprocess.run(
        [sys.executable, script],
        capture_output=True,
        text=True,
        env={"PYTHONPATH": ":".join(filter(None, sys.path)), "GPUEDU_HOME": str(tmp_path)},
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


def test_a_kernel_runs_and_is_counted_with_numpy_alone(tmp_path):
    told = run(KERNEL, {"gpuedu", "numpy"}, tmp_path).splitlines()
    assert "data-race" in told[0]  # two blocks write out[0]
    assert told[1] == "True"


def test_a_kernel_is_checked_with_the_small_core(tmp_path):
    told = run(CHECK, {"gpuedu", "numpy", "jinja2", "markupsafe", "platformdirs"}, tmp_path)
    assert "3.0" in told.splitlines() and "This is a fault of the course" not in told
    assert told.splitlines()[-1] == "True"


@pytest.mark.parametrize(
    ("code", "what"),
    [
        ("from gpuedu import measure; measure('parallel-cpu', lambda *a: None)", "Numba"),
        ("from gpuedu import see; see('first-kernels/launch')", "matplotlib"),
        ("from gpuedu import measure; measure('bandwidth')", "PyTorch"),
    ],
)
def test_what_needs_more_says_what_it_needs_in_a_line(code, what, tmp_path):
    told = run(code, {"gpuedu", "numpy", "jinja2", "markupsafe", "platformdirs"}, tmp_path)
    assert f"This needs {what}, which is not installed" in told
    assert "fault of the course" not in told and "Traceback" not in told
