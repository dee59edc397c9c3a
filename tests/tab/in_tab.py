"""In the tab, a plugin of pytest: what needs something that no tab has is skipped, with its reason.

Nothing is skipped by name. A test is skipped where it failed because a package, processes, threads
or signals are not there, and the reason says which. In the environment ``RESULTS`` names a file
that gets a line of JSON for each test, and ``SAMPLE``, a seed and a number such as ``0:200``, asks
for so many of the tests, drawn at random.
"""

from __future__ import annotations

import json
import os
import random
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

# Top-level names of packages that a tab does not have.
_NAMES = """
    numba numba_cuda llvmlite cuda cupy torch triton tree_sitter tree_sitter_cuda pcpp cloudpickle
    psutil pynvml matplotlib nbformat sklearn cffi filecheck ml_dtypes mpmath _multiprocessing
"""
PACKAGES = frozenset(_NAMES.split())
# What the system says where there are no processes or threads.
SAYINGS = {
    "emscripten does not support processes": "processes",
    "can't start new thread": "threads",
}


def needs(fault: BaseException | None) -> str | None:
    """What a tab does not have and ``fault`` came of; None where it came of something else."""
    while fault is not None:
        name = getattr(fault, "name", None) if isinstance(fault, ModuleNotFoundError) else None
        if name and name.partition(".")[0] in PACKAGES:
            return name
        for saying, what in SAYINGS.items():
            if isinstance(fault, (OSError, RuntimeError)) and saying in str(fault):
                return what
        fault = fault.__cause__ or (None if fault.__suppress_context__ else fault.__context__)
    return None


def _skip(report: pytest.TestReport | pytest.CollectReport, path: Path, what: str) -> None:
    report.outcome = "skipped"
    report.longrepr = (str(path), 0, f"Skipped: needs {what}, which a tab does not have")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Draw the sample, if one is asked for; the tests keep their order."""
    if "SAMPLE" in os.environ:
        seed, number = map(int, os.environ["SAMPLE"].split(":"))
        chosen = set(random.Random(seed).sample(range(len(items)), min(number, len(items))))
        items[:] = [item for at, item in enumerate(items) if at in chosen]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo
) -> Iterator[pytest.TestReport]:
    """A failed test that needed what is not there was skipped."""
    report = yield
    if report.failed and call.excinfo and (what := needs(call.excinfo.value)):
        _skip(report, item.path, what)
    return report


def pytest_exception_interact(
    node: pytest.Collector, call: pytest.CallInfo, report: pytest.CollectReport
) -> None:
    """So was a module that cannot be imported."""
    if isinstance(report, pytest.CollectReport) and call.excinfo:
        what = needs(call.excinfo.value)
        if what:
            _skip(report, node.path, what)
            _forget(node.path)


def _forget(path: Path) -> None:
    """Who imports a module that was imported by half gets the same error, not the half."""
    for name, module in list(sys.modules.items()):
        if getattr(module, "__file__", None) == str(path):
            del sys.modules[name]


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Write the outcome of a call, or of the first phase that did not pass."""
    if report.when == "call" or not report.passed:
        _write(report)


def pytest_collectreport(report: pytest.CollectReport) -> None:
    """Write that a module was not collected."""
    if not report.passed:
        _write(report)


def _write(report: pytest.TestReport | pytest.CollectReport) -> None:
    if "RESULTS" not in os.environ:
        return
    why = ""
    if report.skipped:
        why = report.longrepr[2].removeprefix("Skipped: ")
    elif report.failed:
        why = str(report.longrepr).strip()[-400:]
    row = {"id": report.nodeid, "outcome": report.outcome, "reason": why}
    with Path(os.environ["RESULTS"]).open("a") as file:
        file.write(json.dumps(row) + "\n")
