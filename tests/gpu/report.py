"""The result as printed tables and as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tests.gpu.machine import MachineRun
from tests.gpu.rows import CounterRow, ResultRow, Status, VerdictRow

FILE = "against-gpu.json"
WHAT = "The SIMT machine's results, counts and verdicts against a real GPU and NVIDIA's tools."


@dataclass
class Outcome:
    """All rows, with the device that they are of and what could not be compared."""

    device: dict[str, Any]
    results: Sequence[ResultRow] = ()
    counters: Sequence[CounterRow] = ()
    verdicts: Sequence[VerdictRow] = ()
    missing: list[str] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def rows(self) -> list[ResultRow | CounterRow | VerdictRow]:
        """Every row of the three tables."""
        return [*self.results, *self.counters, *self.verdicts]

    @property
    def is_right(self) -> bool:
        """Whether something ran on the GPU and nothing speaks against the machine or the lens."""
        statuses = {row.status for row in self.rows}
        return Status.SAME in statuses and Status.DIFFERS not in statuses

    def to_plain(self) -> dict[str, Any]:
        """What goes into the file."""
        return {
            "name": "against-gpu",
            "what": WHAT,
            **self.device,
            "date": datetime.now(UTC).date().isoformat(),
            "seconds": round(self.seconds),
            "missing": self.missing,
            "summary": summary(self),
            "results": [_finite(asdict(row)) for row in self.results],
            "counters": [asdict(row) | {"difference": row.difference} for row in self.counters],
            "verdicts": [asdict(row) for row in self.verdicts],
        }


def _finite(row: dict[str, Any]) -> dict[str, Any]:
    """JSON has no infinity: it is written as a text."""
    return {name: str(v) if v == float("inf") else v for name, v in row.items()}


def summary(outcome: Outcome) -> dict[str, dict[str, int]]:
    """For each table, how many rows have each status."""
    tables = {
        "results": outcome.results,
        "counters": outcome.counters,
        "verdicts": outcome.verdicts,
    }
    return {
        name: {str(s): n for s in Status if (n := sum(row.status is s for row in rows))}
        for name, rows in tables.items()
    }


def save(outcome: Outcome, folder: Path) -> Path:
    """Write the one file of a run; the folder is made where it is not there."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / FILE
    path.write_text(json.dumps(outcome.to_plain(), indent=1, allow_nan=False) + "\n", "utf-8")
    return path


def to_text(outcome: Outcome) -> str:
    """The tables for a terminal."""
    parts = [
        table(
            ("kernel", "from machine", "from NumPy", "tolerance", "status", "reason"),
            ([r.kernel, r.from_machine, r.from_oracle, r.tolerance, r.status, r.reason]
             for r in outcome.results),
        ),
        table(
            ("kernel", "counter", "lens", "GPU", "difference", "status", "reason"),
            ([r.kernel, r.counter, r.expected, r.got, r.difference, r.status, r.reason]
             for r in outcome.counters),
        ),
        table(
            ("kernel", "tool", "machine", "sanitizer", "lines", "its lines", "status", "reason"),
            ([r.kernel, r.tool, r.machine, r.sanitizer, r.machine_lines, r.sanitizer_lines,
              r.status, r.reason] for r in outcome.verdicts),
        ),
    ]  # fmt: skip
    counted = [
        f"{name}: " + (", ".join(f"{n} {status}" for status, n in found.items()) or "none")
        for name, found in summary(outcome).items()
    ]
    missing = [f"missing: {line}" for line in outcome.missing]
    return "\n".join((*filter(None, parts), *missing, *counted))


def machine_text(runs: Iterable[MachineRun]) -> str:
    """The machine's counts for a terminal, one kernel a line."""
    lines = []
    for run in runs:
        state = "right" if run.is_right else f"WRONG (apart {run.apart:.3g}, {run.hazards})"
        counts = ", ".join(f"{name} {n}" for name, n in run.counts.items() if n)
        lines.append(f"{run.case.name}: {state}; {counts}")
    return "\n".join(lines)


def table(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Columns as wide as their widest cell; empty without rows.

    >>> print(table(("name", "n"), [("a", 1), ("bc", None)]))
    name  n
    a     1
    bc    -
    """
    cells = [[_cell(value) for value in row] for row in rows]
    if not cells:
        return ""
    lines = [list(header), *cells]
    widths = [max(len(line[column]) for line in lines) for column in range(len(header))]
    aligned = (
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True))
        for line in lines
    )
    return "\n".join(line.rstrip() for line in aligned) + "\n"


def _cell(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, tuple):
        return " ".join(map(str, value)) or "-"
    return f"{value:.3g}" if isinstance(value, float) else str(value)
