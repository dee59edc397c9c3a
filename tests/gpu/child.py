"""Work on the GPU in a process of its own: a fault there ends the child, and nothing else."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import traceback
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tests.gpu.case import Case
from tests.gpu.cuda_c import c_cases
from tests.gpu.device import launch_on_gpu, run_on_gpu
from tests.gpu.faults import FAULTS
from tests.gpu.kernels import CASES
from tests.gpu.machine import apart, expected_of, run_on_machine
from tests.gpu.made import Made, made_cases

ROOT = Path(__file__).resolve().parents[2]
MARK = "RESULT "


class Deadline:
    """How much of the time for all checks is left."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds

    @property
    def left_s(self) -> float:
        """Seconds until the end, 0 where it has passed."""
        return max(0.0, self._end - time.monotonic())


@dataclass(frozen=True)
class Ended:
    """How a child ended: ``code`` is None where it ran out of its time."""

    code: int | None
    output: str


def run_child(work: str, *, time_s: float, under: tuple[str, ...] = (), name: str = "") -> Ended:
    """Run ``work`` (results, launches or fault) in a child, under a tool's command where given."""
    command = [*under, sys.executable, "-m", "tests.gpu", "--child", work]
    return run_command([*command, name] if name else command, time_s)


def run_command(command: list[str], time_s: float) -> Ended:
    """Run a command from the checkout for a limited time; both of its streams together."""
    path = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
    environment = os.environ | {"PYTHONPATH": path, "LC_ALL": "C", "PYTHONUNBUFFERED": "1"}
    process = subprocess.Popen(
        command,
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        start_new_session=True,
    )
    try:
        output, _ = process.communicate(timeout=max(time_s, 1))
    except subprocess.TimeoutExpired:
        # A tool's own child holds the pipe open: the whole group must go.
        os.killpg(process.pid, signal.SIGKILL)
        output, _ = process.communicate()
        return Ended(None, output)
    return Ended(process.returncode, output)


def do(work: str, name: str) -> int:
    """The child's side of ``run_child``."""
    if work == "results":
        for entry in (*CASES, *c_cases(), *made_cases()):
            print(MARK + json.dumps(_result(entry)), flush=True)
    elif work == "launches":
        for case in (*CASES, *c_cases()):
            launch_on_gpu(case, case.arguments())
    elif work == "fault":
        fault = next(entry for entry in FAULTS if entry.name == name)
        launch_on_gpu(fault, fault.arguments())
    else:
        raise SystemExit(f"no such work for a child: {work!r}")
    return 0


def _result(entry: Case | Made) -> dict:
    """One kernel on both sides; an error is told and does not stop the others."""
    try:
        on_gpu, on_machine, expected = (_made if isinstance(entry, Made) else _cased)(entry)
    except Exception:
        return {"name": entry.name, "error": fault_in(traceback.format_exc())}
    return {
        "name": entry.name,
        "gpu from oracle": apart(on_gpu, expected),
        "gpu from machine": apart(on_gpu, on_machine),
        "machine from oracle": apart(on_machine, expected),
        "tolerance": entry.tolerance,
    }


def fault_in(report: str) -> str:
    """A traceback's last line, or what the CUDA C compiler said before it counted its errors.

    >>> fault_in("CompileException: k.cu(3): error: expected a ;\\n\\n1 error detected in k.cu.")
    'CompileException: k.cu(3): error: expected a ;'
    """
    lines = [line.strip() for line in report.strip().splitlines()]
    return next((line for line in lines if "): error:" in line), lines[-1])


Arrays = tuple[np.ndarray, ...]


def _cased(case: Case) -> tuple[Arrays, Arrays, Arrays]:
    return run_on_gpu(case), run_on_machine(case).arrays, expected_of(case)


def _made(made: Made) -> tuple[Arrays, Arrays, Arrays]:
    from gpuedu.arrays import cupy as stand_in
    from gpuedu.backend import cp

    return made.on(cp), made.on(stand_in), made.expected()


def results_in(output: str) -> list[dict]:
    """What the child "results" told, in the order of the table."""
    lines = (line for line in output.splitlines() if line.startswith(MARK))
    return [json.loads(line.removeprefix(MARK)) for line in lines]
