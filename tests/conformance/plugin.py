"""The pytest plugin under which Numba-CUDA's tests run: on its simulator, or on ours.

``CONFORMANCE`` in the environment is JSON: ``machine`` ("gpuedu" or "numba"), ``results`` (the file
that gets JSON lines), ``not_covered`` (patterns of ids with their reasons; such tests do not run)
and ``everything`` (they run all the same).
"""

from __future__ import annotations

import fnmatch
import json
import os
import signal
from pathlib import Path

import pytest

LIMIT_S = 600


class TooLongError(Exception):
    """A test did not end in its time."""


def settings() -> dict:
    """What the run was asked for."""
    return json.loads(os.environ["CONFORMANCE"])


@pytest.fixture
def initialize_from_pytest_config() -> None:
    """The fixture that the test-suite's own conftest has, which the wheel lacks."""


def identity(item: pytest.Item | pytest.TestReport | pytest.CollectReport) -> str:
    """A test's or module's id from the suite's root: ``cudapy/test_sm.py::TestClass::test_name``."""
    return item.nodeid.rpartition("cuda/tests/")[2]


def reason_for(test: str, patterns: list[tuple[str, str]]) -> str | None:
    """Why a test is not covered; None where it should pass."""
    for pattern, reason in patterns:
        if fnmatch.fnmatchcase(test, pattern):
            return reason
    return None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Write what was found, and leave out what is not covered."""
    listed = {item: write_collected(identity(item)) for item in items}
    if not settings()["everything"]:
        items[:] = [item for item in items if listed[item] is None]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item):
    """Stop a test that does not end; no test takes near as long, even on a busy machine."""

    def stop(_number: int, _frame: object) -> None:
        raise TooLongError(f"longer than {LIMIT_S} s")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(LIMIT_S)
    try:
        return (yield)
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def append(row: dict) -> None:
    """Write a line of JSON to the results."""
    with Path(settings()["results"]).open("a") as file:
        file.write(json.dumps(row) + "\n")


def write_collected(test: str) -> str | None:
    """Write that a test, or a module that cannot be imported, is there; why it is not covered."""
    listed = reason_for(test, settings()["not_covered"])
    append({"collected": test, "listed": listed})
    return listed


class Results:
    """Writes each test's outcome as a JSON line."""

    def write(self, test: str, outcome: str, reason: str, seconds: float = 0.0) -> None:
        """One line."""
        row = {"id": test, "outcome": outcome, "reason": reason, "seconds": round(seconds, 3)}
        append(row)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """A passed call, or the first phase that was not passed."""
        if report.when == "call" or (report.when == "setup" and not report.passed):
            self.write(identity(report), report.outcome, reason(report), report.duration)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """A module that cannot be imported."""
        if not report.passed:
            write_collected(identity(report))
            self.write(identity(report), report.outcome, reason(report))


def reason(report: pytest.TestReport | pytest.CollectReport) -> str:
    """Why a test did not pass, in a line."""
    if report.outcome == "passed":
        return ""
    if isinstance(report.longrepr, tuple):
        return report.longrepr[2].removeprefix("Skipped: ")
    crash = getattr(report.longrepr, "reprcrash", None)
    text = crash.message if crash else str(report.longrepr)
    return " ".join(text.split())[:400]


def pytest_sessionstart(session: pytest.Session) -> None:
    """Begin to write."""
    session.config.pluginmanager.register(Results())
