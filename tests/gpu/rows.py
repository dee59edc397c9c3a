"""One row for each thing that was compared: what was expected, what came, and what that means."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from tests.gpu.case import Case, Prediction
from tests.gpu.counters import COUNTERS
from tests.gpu.faults import Fault
from tests.gpu.made import Made
from tests.gpu.sanitizer import Report


class Status(StrEnum):
    """What a comparison shows. Only ``DIFFERS`` speaks against the machine or the lens."""

    SAME = "same"
    EXPLAINED = "explained"
    NOT_JUDGED = "not judged"
    NOT_RUN = "not run"
    DIFFERS = "DIFFERS"


@dataclass(frozen=True)
class ResultRow:
    """One kernel's arrays: how far the GPU's are from the machine's and from NumPy's."""

    kernel: str
    status: Status
    from_machine: float | None = None
    from_oracle: float | None = None
    tolerance: float = 0.0
    reason: str = ""


@dataclass(frozen=True)
class CounterRow:
    """One counter of one kernel. ``expected`` is the lens's, ``difference`` got - expected."""

    kernel: str
    counter: str
    expected: int
    got: int | None
    status: Status
    reason: str = ""

    @property
    def difference(self) -> int | None:
        """What the GPU counts beyond the lens."""
        return None if self.got is None else self.got - self.expected


@dataclass(frozen=True)
class VerdictRow:
    """One kernel under one of the sanitizer's tools: kinds of faults and lines on each side."""

    kernel: str
    tool: str
    machine: tuple[str, ...]
    sanitizer: tuple[str, ...]
    machine_lines: tuple[int, ...]
    sanitizer_lines: tuple[int, ...]
    status: Status
    reason: str = ""


def result_rows(cases: Sequence[Case | Made], told: Iterable[dict]) -> list[ResultRow]:
    """Rows for all cases from what the child told; a case that it never came to was not run."""
    by_name = {entry["name"]: entry for entry in told}
    return [_result_row(case, by_name.get(case.name)) for case in cases]


def _result_row(case: Case | Made, told: dict | None) -> ResultRow:
    if told is None:
        return ResultRow(case.name, Status.NOT_RUN, reason="the child ended before")
    if "error" in told:
        return ResultRow(case.name, Status.DIFFERS, reason=told["error"])
    machine, oracle = told["gpu from machine"], told["gpu from oracle"]
    is_same = max(machine, oracle) <= case.tolerance
    status = Status.SAME if is_same else Status.DIFFERS
    return ResultRow(case.name, status, machine, oracle, case.tolerance)


def counter_rows(case: Case, expected: dict[str, int], got: dict[str, int]) -> list[CounterRow]:
    """Rows for the counters of a case, without those that are 0 on both sides."""
    predictions = {entry.counter: entry for entry in case.predictions}
    rows = []
    for name, counter in COUNTERS.items():
        ours, theirs = expected[name], got.get(name)
        prediction = predictions.get(name)
        if not ours and not theirs:
            continue
        if theirs is None:
            status, reason = Status.NOT_RUN, "the profiler has no such metric here"
        elif theirs == ours:
            status, reason = Status.SAME, ""
        elif prediction and theirs == prediction.value:
            status, reason = Status.EXPLAINED, prediction.reason
        elif counter.caveat:
            status, reason = Status.NOT_JUDGED, counter.caveat
        else:
            status, reason = Status.DIFFERS, _unexplained(prediction)
        rows.append(CounterRow(case.name, name, ours, theirs, status, reason))
    return rows


def _unexplained(prediction: Prediction | None) -> str:
    return f"{prediction.value} was predicted: {prediction.reason}" if prediction else "unknown"


def fault_row(
    fault: Fault, machine: tuple[set[str], set[int]], reports: Sequence[Report]
) -> VerdictRow:
    """The row of a planted fault: both must find it, or a known reason says why one does not."""
    kinds, lines = machine
    theirs = {report.kind for report in reports}
    their_lines = {line for report in reports for line in report.lines}
    wanted = {fault.kind} if fault.kind else set()
    if kinds != wanted:
        status, reason = Status.DIFFERS, f"the machine should find {fault.kind or 'nothing'}"
    elif wanted and (theirs == wanted or theirs == {_their_word(fault)}):
        status, reason = Status.SAME, ""
    elif theirs and fault.why_not_machine:
        status, reason = Status.EXPLAINED, fault.why_not_machine
    elif not theirs and fault.why_not_tool:
        status, reason = Status.EXPLAINED, fault.why_not_tool
    else:
        status, reason = Status.DIFFERS, "unknown"
    return VerdictRow(
        fault.name,
        fault.tool,
        tuple(sorted(kinds)),
        tuple(sorted(theirs)),
        tuple(sorted(lines)),
        tuple(sorted(their_lines)),
        status,
        reason,
    )


def _their_word(fault: Fault) -> str:
    """The sanitizer knows no negative index: to it, any address outside is out of bounds."""
    return "out-of-bounds" if fault.kind == "negative-index" else fault.kind or ""


def correct_row(tool: str, reports: Sequence[Report]) -> VerdictRow:
    """The row of all correct kernels under a tool: nobody may find anything."""
    kinds = tuple(sorted({report.kind for report in reports}))
    lines = tuple(sorted({line for report in reports for line in report.lines}))
    status = Status.DIFFERS if reports else Status.SAME
    reason = reports[0].headline if reports else ""
    return VerdictRow("all correct kernels", tool, (), kinds, (), lines, status, reason)


def not_run(kernel: str, tool: str, reason: str) -> VerdictRow:
    """The row of a check that could not be made."""
    return VerdictRow(kernel, tool, (), (), (), (), Status.NOT_RUN, reason)
