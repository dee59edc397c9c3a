"""``python3 -m tests.gpu``: everything, ``--list``, or ``--machine-only``."""

from __future__ import annotations

import argparse
import os
import sys
import time
from importlib import import_module
from pathlib import Path
from types import ModuleType

from tests.gpu import checks
from tests.gpu.child import Deadline, do
from tests.gpu.cuda_c import c_cases, why_no_cuda_c
from tests.gpu.device import describe_device, why_no_gpu
from tests.gpu.faults import FAULTS, found_by_machine
from tests.gpu.kernels import CASES
from tests.gpu.machine import apart, run_on_machine
from tests.gpu.made import made_cases
from tests.gpu.report import Outcome, machine_text, save, to_text

WRONG, NO_GPU = 1, 3
TIME_S = 540.0


def main(arguments: list[str] | None = None) -> int:
    """Run what the command line asks for; 0 right, 1 a difference, 2 usage, 3 no GPU."""
    options = _options(arguments)
    if options.child:
        return do(*options.child, *[""] * (2 - len(options.child)))
    if options.list:
        return list_kernels()
    if options.machine_only:
        return check_machine()
    missing = why_no_gpu()
    if missing:
        print(f"make gpu: {missing}; nothing was run.")
        return NO_GPU
    return check_gpu(Path(options.out), options.time_s)


def _options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python3 -m tests.gpu", description=__doc__)
    parser.add_argument("--list", action="store_true", help="list the kernels, run nothing")
    parser.add_argument(
        "--machine-only", action="store_true", help="run the SIMT machine's side, without a GPU"
    )
    parser.add_argument(
        "--out", default=os.environ.get("OUT") or ".", help="folder of the JSON file (or $OUT)"
    )
    parser.add_argument(
        "--time-s", type=float, default=TIME_S, help="seconds after which the rest is left out"
    )
    parser.add_argument("--child", nargs="+", help=argparse.SUPPRESS)
    return parser.parse_args(arguments)


def list_kernels() -> int:
    """The correct kernels, then those made around expressions, then the faulty ones."""
    for case in (*CASES, *c_cases()):
        print(f"{case.name}: {case.kernel.__name__}, grid {case.grid}, block {case.block}")
    for made in made_cases():
        print(f"{made.name}: made around expressions by CuPy")
    for fault in FAULTS:
        print(f"{fault.name}: {fault.kind or 'nothing'} on the machine; {fault.tool}")
    return 0


def check_machine() -> int:
    """The machine's side of all tables."""
    runs = [run_on_machine(case) for case in (*CASES, *c_cases())]
    print(machine_text(runs))
    is_right = all(run.is_right for run in runs)
    for made in made_cases():
        distance = apart(made.on(stand_in()), made.expected())
        is_right &= distance <= made.tolerance
        print(f"{made.name}: {'right' if distance <= made.tolerance else 'WRONG'}, made")
    if why_no_cuda_c():
        print(left_out())
    for fault in FAULTS:
        kinds, lines = found_by_machine(fault)
        is_right &= kinds == ({fault.kind} if fault.kind else set())
        print(f"{fault.name}: finds {sorted(kinds) or 'nothing'} in lines {sorted(lines)}")
    return 0 if is_right else WRONG


def stand_in() -> ModuleType:
    """CuPy's stand-in, which lies above CUDA C's readers and so is not there without them."""
    return import_module("gpuedu.arrays.cupy")


def left_out() -> str:
    """What to say where CUDA C cannot be run."""
    return f"no kernel in CUDA C was compared: {why_no_cuda_c()}"


def check_gpu(folder: Path, time_s: float) -> int:
    """All three tables; printed, and written to one file."""
    start, deadline = time.monotonic(), Deadline(time_s)
    outcome = Outcome(describe_device())
    print(f"{outcome.device['device']}: {outcome.device['versions']}", flush=True)
    if why_no_cuda_c():
        outcome.missing.append(left_out())
    runs = [run_on_machine(case) for case in (*CASES, *c_cases())]
    outcome.missing += [
        f"{r.case.name}: the machine itself is wrong" for r in runs if not r.is_right
    ]
    outcome.results, missing = checks.check_results((*CASES, *c_cases(), *made_cases()), deadline)
    outcome.missing += missing
    outcome.counters, missing = checks.check_counters(runs, deadline)
    outcome.missing += missing
    outcome.verdicts, missing = checks.check_verdicts(deadline)
    outcome.missing += missing
    outcome.seconds = time.monotonic() - start
    print(to_text(outcome))
    print(f"written to {save(outcome, folder)} after {outcome.seconds:.0f} s")
    return 0 if outcome.is_right and all(run.is_right for run in runs) else WRONG


if __name__ == "__main__":
    sys.exit(main())
