"""Nsight Compute: its command, and what its CSV says.

Format: Nsight Compute CLI documentation, "Command Line Options" (``--csv``, ``--page raw``) and
"Output Pages". The raw page has a row for each launch, with a column for each metric and a row of
units below the header; the details page has a row for each launch and metric. Both are read.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from tests.gpu.case import Case

FORBIDDEN = "ERR_NVGPUCTRPERM"
_UNKNOWN_METRIC = re.compile(r"Failed to find metric (\S+)")


@dataclass(frozen=True)
class ProfiledLaunch:
    """One launch as the profiler saw it: its number, the kernel's name, the metrics."""

    number: int
    kernel: str
    metrics: dict[str, float] = field(default_factory=dict)


def command(tool: str, metrics: Iterable[str], log: str) -> tuple[str, ...]:
    """The command in front of a program; what the profiler says goes to the file ``log``."""
    return (
        tool, "--csv", "--page", "raw", "--print-units", "base", "--clock-control", "none",
        "--target-processes", "all", "--metrics", ",".join(metrics), "--log-file", log,
    )  # fmt: skip


def complaints(text: str) -> list[str]:
    """The errors and warnings that the profiler printed."""
    lines = (line.strip() for line in text.splitlines())
    return [line for line in lines if line.startswith(("==ERROR==", "==WARNING=="))]


def is_forbidden(text: str) -> bool:
    """Whether the driver refuses its counters to this user."""
    return FORBIDDEN in text


def unknown_metrics(text: str) -> list[str]:
    """Metrics that this device or version does not have."""
    return [name.rstrip(".,") for name in _UNKNOWN_METRIC.findall(text)]


def read_csv(text: str) -> list[ProfiledLaunch]:
    """The launches in a CSV, in order of their numbers; other lines around it are passed over."""
    lines = text.splitlines()
    starts = [n for n, line in enumerate(lines) if line.startswith('"ID"')]
    if not starts:
        return []
    rows = [row for row in lines[starts[0] :] if row.startswith('"')]
    launches: dict[int, ProfiledLaunch] = {}
    for row in csv.DictReader(rows):
        if not (row["ID"] or "").isdigit():  # the row of units, or a second header
            continue
        number = int(row["ID"])
        launch = launches.setdefault(number, ProfiledLaunch(number, row["Kernel Name"]))
        launch.metrics.update(_metrics(row))
    return [launches[number] for number in sorted(launches)]


def _metrics(row: dict[str, str]) -> dict[str, float]:
    cells = {row["Metric Name"]: row["Metric Value"]} if "Metric Name" in row else row
    numbers = ((name, _number(cell)) for name, cell in cells.items() if "__" in (name or ""))
    return {name: number for name, number in numbers if number is not None}


def _number(cell: str | None) -> float | None:
    """A number with or without separators of thousands; None for "n/a", "nan" and the like.

    >>> _number("1,024"), _number("n/a")
    (1024.0, None)
    """
    text = (cell or "").replace(",", "")
    return float(text) if re.fullmatch(r"[-+]?\d+(\.\d*)?([eE][-+]?\d+)?", text) else None


def is_kernel(name: str, function: str) -> bool:
    """Whether the profiler's name of a kernel, mangled or not, is that of a Python function.

    >>> is_kernel("tests::gpu::copy[abi:v1](Array<float, 1, C>)", "copy")
    True
    >>> is_kernel("_ZN5tests3gpu4copyB2v1E5ArrayIfE", "copy"), is_kernel("copy_shifted", "copy")
    (True, False)
    """
    if name.startswith("_Z"):
        return re.search(rf"(?<!\d){len(function)}{function}(?![a-z_0-9])", name) is not None
    base = re.split(r"[\[(<]", name, maxsplit=1)[0].split()[-1]
    return re.split(r"::|\.", base)[-1] == function


def by_case(
    launches: Sequence[ProfiledLaunch], cases: Sequence[Case]
) -> tuple[dict[str, dict[str, float]], list[str]]:
    """The metrics of each case by its name, and what could not be told apart.

    Each case is launched once, in the order of the table. Cases that share a kernel are told apart
    by that order, which needs as many launches as cases.
    """
    found: dict[str, dict[str, float]] = {}
    problems = []
    for function in dict.fromkeys(case.kernel.__name__ for case in cases):
        own = [case for case in cases if case.kernel.__name__ == function]
        seen = [launch for launch in launches if is_kernel(launch.kernel, function)]
        if len(own) == len(seen):
            found |= {case.name: launch.metrics for case, launch in zip(own, seen, strict=True)}
        else:
            problems.append(f"{function}: {len(seen)} launches seen, {len(own)} expected")
    return found, problems
