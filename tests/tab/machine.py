"""Hold the machine in a tab's Python against itself and against its tests: all of it.

``python -m tests.tab.machine``, with ``GPUEDU_PYODIDE`` set (see ``tests/tab/node.py``). Three
things run under Pyodide, whose addresses, indices and default integers have 32 bits:

- the project's own tests of machine, trace and lens;
- Numba-CUDA's own tests, as ``make conformance`` runs them natively;
- seeded kernels, whose results and whole traces must be those that this Python gives, bit for bit.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from tests.conformance import run as conformance
from tests.tab import accounts, node

OWN_TESTS = (
    *("tests/test_widths.py", "tests/trace", "tests/lens", "tests/simt"),
    "tests/exercises/test_time_limit.py",
)
ALL_GENERATED, ALL_PLANTED = 100, 1000


@dataclass(frozen=True)
class Report:
    """What a run of pytest in the tab came to: rows with id, outcome and reason."""

    rows: tuple[dict, ...]

    def ids(self, outcome: str) -> list[str]:
        """The tests with that outcome."""
        return [row["id"] for row in self.rows if row["outcome"] == outcome]

    @property
    def failures(self) -> str:
        """Each failed test with the end of its traceback; empty where none failed."""
        failed = [row for row in self.rows if row["outcome"] == "failed"]
        return "\n".join(f"{row['id']}\n    {row['reason']}" for row in failed)

    @property
    def skips(self) -> Counter[str]:
        """How many tests were skipped, by reason."""
        return Counter(row["reason"] for row in self.rows if row["outcome"] == "skipped")


def run_pytest(
    script: str, arguments: Iterable[str], sample: str | None, *, cuda_c: bool = False
) -> Report:
    """Run a script that runs pytest in the tab, with the parser of CUDA C if asked for.

    Raises:
        RuntimeError: It ended before it had run a test.
    """
    with tempfile.TemporaryDirectory() as folder:
        results = Path(folder, "results")
        results.touch()
        environment = {"RESULTS": "/out/results"} | ({"SAMPLE": sample} if sample else {})
        done = node.run(
            script,
            list(arguments),
            mounts={"/out": Path(folder)},
            environment=environment,
            cuda_c=cuda_c,
        )
        rows = [json.loads(line) for line in results.read_text("utf-8").splitlines()]
    if not rows or done.status > 1:
        raise RuntimeError(
            f"{script} ended with {done.status}:\n{(done.stdout + done.stderr)[-3000:]}"
        )
    return Report(tuple(worst(rows).values()))


def worst(rows: list[dict]) -> dict[str, dict]:
    """The row of each test that says most against it: one with subtests has a row for each."""
    order = ("passed", "skipped", "failed")
    return {row["id"]: row for row in sorted(rows, key=lambda row: order.index(row["outcome"]))}


def own_tests(sample: str | None = None) -> Report:
    """The project's own tests, or a sample of them (``seed:number``)."""
    return run_pytest("tests/tab/suite.py", OWN_TESTS, sample, cuda_c=True)


def numba_tests(sample: str | None = None) -> Report:
    """Numba-CUDA's own tests, or a sample of them; what fails here as well says nothing of a tab."""
    report = run_pytest("tests/tab/numba_tests.py", (), sample)
    here = set(failing_here(report.ids("failed")))
    excused = "fails natively as well"
    return Report(
        tuple(
            row | {"outcome": "skipped", "reason": excused} if row["id"] in here else row
            for row in report.rows
        )
    )


def failing_here(tests: list[str]) -> list[str]:
    """Those of Numba-CUDA's tests that fail in this Python, too."""
    if not tests:
        return []
    with tempfile.NamedTemporaryFile("r") as file:
        settings = {
            "machine": "gpuedu",
            "results": file.name,
            "not_covered": conformance.not_covered(),
            "everything": False,
        }
        conformance.pytest([str(conformance.suite() / test) for test in tests], settings)
        rows = [json.loads(line) for line in file]
    found = worst([row for row in rows if "id" in row])
    return [test for test, row in found.items() if row["outcome"] == "failed"]


def differences(seed: int, generated_seeds: int, planted_kernels: int) -> tuple[int, list[str]]:
    """How many kernels ran in the tab and here, and what of which differs."""
    asked = (seed, generated_seeds, planted_kernels)
    done = node.run("tests/tab/accounts.py", list(map(str, asked)))
    if done.status:
        raise RuntimeError(f"accounts.py ended with {done.status}:\n{done.stderr[-3000:]}")
    in_tab, here = json.loads(done.stdout), accounts.accounts(*asked)
    found = [
        f"{name}: {part}"
        for name in here | in_tab
        for part in here.get(name, {}) | in_tab.get(name, {})
        if here.get(name, {}).get(part) != in_tab.get(name, {}).get(part)
    ]
    return len(in_tab), found


def tell_tests(title: str, run: Callable[[], Report]) -> bool:
    """Run tests and print what came of them; whether none failed."""
    begin = time.monotonic()
    report = run()
    passed, failed = len(report.ids("passed")), len(report.ids("failed"))
    seconds = time.monotonic() - begin
    print(
        f"{title}: {passed} passed, {failed} failed, {report.skips.total()} skipped, {seconds:.0f} s"
    )
    for reason, number in report.skips.most_common():
        print(f"  {number:5}  {reason}")
    if failed:
        print(report.failures)
    return not failed


def main() -> int:
    """The command; 1 where something failed or differs."""
    reason = node.why_not()
    if reason:
        sys.exit(f"The machine cannot be tried in a tab's Python here: {reason}")
    is_good = tell_tests("the project's own tests in a tab", own_tests)
    is_good &= tell_tests("Numba-CUDA's own tests in a tab", numba_tests)
    begin = time.monotonic()
    number, found = differences(0, ALL_GENERATED, ALL_PLANTED)
    print(
        f"{number} seeded kernels in a tab and here: {len(found)} differences in results and "
        f"traces, {time.monotonic() - begin:.0f} s",
        *found,
        sep="\n  ",
    )
    return int(not is_good or bool(found))


if __name__ == "__main__":
    sys.exit(main())
