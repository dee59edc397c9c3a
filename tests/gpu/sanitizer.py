"""compute-sanitizer: its command, and what its reports say.

Format: Compute Sanitizer documentation, chapters on memcheck, racecheck, initcheck and synccheck.
Every line of its own begins with ``=========``; a report is a headline and indented lines.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

TOOLS = ("memcheck", "racecheck", "initcheck", "synccheck")
ERROR_CODE = 21
ALL_SPACES = ("--initcheck-address-space", "all")

_PREFIX = "========="
_HEADLINES = (
    (re.compile(r"Invalid __\w+__ (read|write|atomic)"), "out-of-bounds"),
    (re.compile(r"Uninitialized __\w+__ memory read"), "uninitialised-read"),
    (re.compile(r"(ERROR|WARN(ING)?): Race reported", re.IGNORECASE), "data-race"),
    (re.compile(r"Barrier error detected"), "divergent-barrier"),
)
_PLACE = re.compile(r" in (?P<file>[^\s:]+\.py):(?P<line>\d+)")
_THREAD = re.compile(r"by thread \((\d+),(\d+),(\d+)\) in block \((\d+),(\d+),(\d+)\)")
_OPTION_REFUSED = re.compile(r"unrecogni[sz]ed option|unknown option|invalid option", re.IGNORECASE)


@dataclass(frozen=True)
class Report:
    """One report: the kind in the machine's words, the Python lines and the thread it names."""

    kind: str
    headline: str
    lines: tuple[int, ...] = ()
    thread: str = ""


def command(tool: str, name: str, *, all_spaces: bool = True) -> tuple[str, ...]:
    """The command in front of a program, for one of the tools.

    ``all_spaces`` asks initcheck to watch shared memory too, which older versions refuse.
    Errors of the driver's API are left out: Numba asks for functions that a driver may not have.
    """
    more = ALL_SPACES if name == "initcheck" and all_spaces else ()
    return (
        tool, "--tool", name, *more, "--error-exitcode", str(ERROR_CODE),
        "--report-api-errors", "no", "--show-backtrace", "no", "--print-limit", "20",
    )  # fmt: skip


def refuses_option(output: str) -> bool:
    """Whether the tool did not know one of its options, and so ran nothing."""
    return _OPTION_REFUSED.search(output) is not None


def has_summary(output: str) -> bool:
    """Whether the tool came to its end and summed up."""
    return re.search(rf"^{_PREFIX} .*SUMMARY:", output, re.MULTILINE) is not None


def read_reports(output: str) -> list[Report]:
    """The reports about kernels in what a tool printed; notes and API errors are passed over."""
    reports: list[tuple[str, list[str]]] = []
    for line in output.splitlines():
        if not line.startswith(_PREFIX):
            continue
        text = line.removeprefix(_PREFIX)
        if text.startswith("    ") and reports:
            reports[-1][1].append(text)
        elif text.strip():
            reports.append((text.strip(), []))
    read = (_report(headline, details) for headline, details in reports)
    return [report for report in read if report]


def _report(headline: str, details: list[str]) -> Report | None:
    kinds = [kind for pattern, kind in _HEADLINES if pattern.match(headline)]
    if not kinds:
        return None
    text = "\n".join((" " + headline, *details))
    thread = _THREAD.search(text)
    lines = sorted({int(place["line"]) for place in _PLACE.finditer(text)})
    return Report(kinds[0], headline, tuple(lines), thread[0] if thread else "")
