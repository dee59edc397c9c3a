"""The three checks: results, counters, verdicts. Each gives its rows and what was missing."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

from tests.gpu import ncu, sanitizer
from tests.gpu.case import Case
from tests.gpu.child import Deadline, Ended, results_in, run_child
from tests.gpu.counters import from_metrics, metrics
from tests.gpu.device import find_tool
from tests.gpu.faults import FAULTS, Fault, found_by_machine
from tests.gpu.machine import MachineRun
from tests.gpu.made import Made
from tests.gpu.rows import (
    CounterRow,
    ResultRow,
    Status,
    VerdictRow,
    correct_row,
    counter_rows,
    fault_row,
    not_run,
    result_rows,
)

FAULT_TIME_S = 60.0
CHILD_TIME_S = 240.0
NO_TIME = "no time was left"


def check_results(
    cases: Sequence[Case | Made], deadline: Deadline
) -> tuple[list[ResultRow], list[str]]:
    """Every kernel through real numba.cuda or CuPy, against the machine's arrays and NumPy's."""
    ended = run_child("results", time_s=min(CHILD_TIME_S, deadline.left_s))
    problems = [] if ended.code == 0 else [f"results: {_how(ended)}"]
    return result_rows(cases, results_in(ended.output)), problems


def check_counters(
    runs: Sequence[MachineRun], deadline: Deadline
) -> tuple[list[CounterRow], list[str]]:
    """The lens's counts against Nsight Compute's."""
    tool = find_tool("ncu")
    if tool is None:
        return [], ["ncu (Nsight Compute) is not installed: no counter was compared"]
    text, problems = _profile(tool, deadline)
    found, untold = ncu.by_case(ncu.read_csv(text), [run.case for run in runs])
    rows = [
        row
        for run in runs
        if run.case.name in found and run.case.counted
        for row in counter_rows(run.case, run.counts, from_metrics(found[run.case.name]))
    ]
    if not rows and ncu.is_forbidden(text):
        return [], [f"ncu may not read counters here ({ncu.FORBIDDEN}): no counter was compared"]
    return rows, [*problems, *(f"ncu: {problem}" for problem in untold)]


def _profile(tool: str, deadline: Deadline) -> tuple[str, list[str]]:
    """What the profiler says of one run of all kernels; a second time without unknown metrics."""
    asked = list(metrics())
    dropped: list[str] = []
    for _ in range(2):
        with tempfile.TemporaryDirectory() as folder:
            log = Path(folder, "ncu.csv")
            under = ncu.command(tool, asked, str(log))
            ended = run_child("launches", time_s=min(CHILD_TIME_S, deadline.left_s), under=under)
            text = ended.output + "\n" + (log.read_text("utf-8") if log.is_file() else "")
        problems = [] if ended.code == 0 else [f"ncu: {_how(ended)}", *ncu.complaints(text)]
        unknown = [name for name in ncu.unknown_metrics(text) if name in asked]
        if not unknown:
            break
        asked = [name for name in asked if name not in unknown]
        dropped.append(f"ncu does not know {', '.join(unknown)} here")
    return text, [*problems, *dropped]


def check_verdicts(deadline: Deadline) -> tuple[list[VerdictRow], list[str]]:
    """The machine's findings against compute-sanitizer's."""
    tool = find_tool("compute-sanitizer")
    if tool is None:
        return [], ["compute-sanitizer is not installed: no verdict was compared"]
    rows = [_check_fault(tool, fault, deadline) for fault in FAULTS]
    rows += [_check_correct(tool, name, deadline) for name in sanitizer.TOOLS]
    skipped = [f"{row.kernel} under {row.tool}: {row.reason}" for row in rows if _is_skipped(row)]
    return rows, skipped


def _is_skipped(row: VerdictRow) -> bool:
    return row.status is Status.NOT_RUN


def _check_fault(tool: str, fault: Fault, deadline: Deadline) -> VerdictRow:
    ended = _sanitize(tool, fault.tool, "fault", fault.name, min(FAULT_TIME_S, deadline.left_s))
    reports = sanitizer.read_reports(ended.output)
    if not reports and not sanitizer.has_summary(ended.output):
        return not_run(fault.name, fault.tool, _how(ended))
    return fault_row(fault, found_by_machine(fault), reports)


def _check_correct(tool: str, name: str, deadline: Deadline) -> VerdictRow:
    ended = _sanitize(tool, name, "launches", "", min(CHILD_TIME_S, deadline.left_s))
    reports = sanitizer.read_reports(ended.output)
    # Without a summary silence means nothing: the run did not come to its end.
    if not reports and not sanitizer.has_summary(ended.output):
        return not_run("all correct kernels", name, _how(ended))
    return correct_row(name, reports)


def _sanitize(tool: str, name: str, work: str, kernel: str, time_s: float) -> Ended:
    """A child under a tool; once more without the option that an older version refuses."""
    if time_s <= 0:
        return Ended(None, NO_TIME)
    ended = run_child(work, time_s=time_s, under=sanitizer.command(tool, name), name=kernel)
    if sanitizer.refuses_option(ended.output):
        under = sanitizer.command(tool, name, all_spaces=False)
        ended = run_child(work, time_s=time_s, under=under, name=kernel)
    return ended


def _how(ended: Ended) -> str:
    """How a child ended, with the last line that it printed."""
    lines = ended.output.strip().splitlines()
    if ended.output == NO_TIME:
        return NO_TIME
    how = "ran out of its time" if ended.code is None else f"ended with code {ended.code}"
    return f"{how}; last line: {lines[-1].strip()}" if lines else how
