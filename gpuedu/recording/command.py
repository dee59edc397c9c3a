"""``gpuedu record``: measure on this machine's GPU and keep the results.

It needs only Numba, CuPy and NumPy, so it also runs from a bare checkout on a GPU machine:
``PYTHONPATH=. python3 -m gpuedu record --out FOLDER``.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from gpuedu.errors import GpueduError
from gpuedu.hardware.home import data_folder
from gpuedu.recording.bench import GpuBench, LostDeviceError
from gpuedu.recording.gpu import NoGpuError, describe_gpu, open_gpu
from gpuedu.recording.points import Series
from gpuedu.recording.progress import open_progress
from gpuedu.recording.recorder import Recorder
from gpuedu.units import format_time

RIGHT, WRONG, NO_GPU, INTERRUPTED = 0, 1, 3, 130
TIME_S = 540.0
_LEAST_TIME_S = 1.0


def main(
    arguments: Sequence[str] | None = None,
    *,
    open_bench: Callable[[], GpuBench] = open_gpu,
    restart: Callable[[Sequence[str]], int] | None = None,
) -> int:
    """Run what the command line asks for.

    Returns:
        0 if all is right, 1 if a result was wrong or a kernel failed, 2 for a wrong command line, 3
        if there is no GPU, 130 if it was interrupted.
    """
    options = _parser().parse_args(arguments)
    try:
        return _list() if options.list else _record(options, open_bench, restart or _restart)
    except NoGpuError as fault:
        return _told(fault, NO_GPU)
    except GpueduError as fault:
        return _told(fault, WRONG)


def _told(fault: GpueduError, status: int) -> int:
    remedy = f"; try: {fault.remedy}" if fault.remedy else ""
    print(f"gpuedu record: {fault.message}{remedy}", file=sys.stderr)
    return status


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="gpuedu record", description="Measure on this machine's GPU, and keep the records."
    )
    parser.add_argument("--out", type=Path, help="folder for the records; your own by default")
    parser.add_argument(
        "--time-s", type=float, default=TIME_S, help="seconds for all of it (default: %(default)g)"
    )
    parser.add_argument(
        "--only", action="append", default=[], metavar="NAME", help="this series; may be repeated"
    )
    parser.add_argument(
        "--fresh",
        action="store_true",
        help="measure again what is already there with the same versions",
    )
    parser.add_argument(
        "--caps",
        action="store_true",
        help="also measure under lower power limits; this changes a setting of the GPU, which may "
        "need an administrator's rights, and puts the default back",
    )
    parser.add_argument("--list", action="store_true", help="list the series, measure nothing")
    # What a run that lost the device passes on to the one that takes its place.
    parser.add_argument("--leave-out", action="append", default=[], help=argparse.SUPPRESS)
    return parser


def _list() -> int:
    from gpuedu.recording.series import all_series

    for series in all_series():
        asked = ", with --caps only" if series.changes_power_limit else ""
        print(f"{series.name} ({series.file}, {series.unit}{asked}): {series.what}")
    return RIGHT


def _record(
    options: argparse.Namespace,
    open_bench: Callable[[], GpuBench],
    restart: Callable[[Sequence[str]], int],
) -> int:
    bench = open_bench()
    chosen = _chosen(options)
    out = options.out or data_folder() / "recorded"
    with open_progress() as progress:
        progress.say(describe_gpu(bench))
        recorder = Recorder(bench, Path(out), progress, max(options.time_s, _LEAST_TIME_S))
        try:
            recorder.measure(chosen, fresh=options.fresh)
        except KeyboardInterrupt:
            progress.say(f"interrupted; {_summary(recorder)}")
            return INTERRUPTED
        except LostDeviceError as fault:
            name = recorder.current
            progress.say(f"{name}: {fault.message}; the GPU's context is lost, starting again")
            lost = (options, (*options.leave_out, name), recorder)
        else:
            lost = None
    if lost:
        return _begin_again(*lost, restart)
    print(_summary(recorder))
    for fault in recorder.faults:
        print(f"WRONG: {fault}")
    for name in options.leave_out:
        print(f"WRONG: {name}: it lost the GPU's context, and was left out")
    return WRONG if recorder.faults or options.leave_out else RIGHT


def _chosen(options: argparse.Namespace) -> list[Series]:
    """The series to measure; one that changes the GPU's power limit only with ``--caps``."""
    # Imported late: the kernels ask for a backend, and there is none to measure on without a GPU.
    from gpuedu.recording.series import find_series

    found = [s for s in find_series(options.only) if s.name not in options.leave_out]
    for series in found:
        if series.changes_power_limit and series.name in options.only and not options.caps:
            raise GpueduError(
                f"{series.name} changes the GPU's power limit while it is measured",
                remedy="--caps as well, where you may change it",
            )
    return [series for series in found if options.caps or not series.changes_power_limit]


def _begin_again(
    options: argparse.Namespace,
    left_out: Sequence[str],
    recorder: Recorder,
    restart: Callable[[Sequence[str]], int],
) -> int:
    """The same command in a new process, with the time that is left, without what failed."""
    for fault in recorder.faults:
        print(f"WRONG: {fault}", flush=True)
    # --fresh would measure once more what this run has written: it goes by names instead.
    names = [name for name in recorder.waiting if name not in left_out]
    if not names:
        return WRONG
    arguments = ["--time-s", f"{recorder.left_s:g}"]
    arguments += ["--out", str(options.out)] if options.out else []
    arguments += ["--fresh"] if options.fresh else []
    arguments += ["--caps"] if options.caps else []
    arguments += [part for name in names for part in ("--only", name)]
    arguments += [part for name in left_out for part in ("--leave-out", name)]
    return restart(arguments)


def _restart(arguments: Sequence[str]) -> int:
    sys.stdout.flush()
    os.execv(sys.executable, [sys.executable, "-m", "gpuedu", "record", *arguments])


def _summary(recorder: Recorder) -> str:
    """What was done, in lines."""
    parts = [
        f"{recorder.folder.path}: {len(recorder.done)} series written in "
        f"{format_time(recorder.spent_s)}"
    ]
    if recorder.skipped:
        parts.append(f"there already: {', '.join(recorder.skipped)} (--fresh measures them again)")
    if recorder.waiting:
        parts.append(
            f"not measured: {', '.join(recorder.waiting)} (the same command goes on with them)"
        )
    return "\n".join(parts)
