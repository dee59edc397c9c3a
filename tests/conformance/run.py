"""Run Numba-CUDA's own tests, as its wheel ships them, on the SIMT machine.

``make conformance``. Prints, by module of the suite, how many tests passed, failed and are not
covered, with a reason for each of the last two. ``not_covered.toml`` says what is not covered; a
test that is skipped and is not in there has failed.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
import tomllib
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
LIST = HERE / "not_covered.toml"
BASELINE = HERE / "simulator.json"


@dataclass(frozen=True)
class Result:
    """One test: ``outcome`` is passed, failed or not covered."""

    id: str
    outcome: str
    reason: str = ""
    seconds: float = 0.0

    @property
    def module(self) -> str:
        """The test module."""
        return self.id.partition("::")[0]


def suite() -> Path:
    """Where the installed wheel has its tests."""
    found = find_spec("numba_cuda")
    if found is None or found.origin is None:
        sys.exit("numba-cuda is not installed: pip install numba-cuda[cu12]")
    return Path(found.origin).parent / "numba" / "cuda" / "tests"


def not_covered(path: Path = LIST) -> list[tuple[str, str]]:
    """Patterns of test ids, each with its reason."""
    groups = tomllib.loads(path.read_text("utf-8"))["group"]
    return [(pattern, group["reason"]) for group in groups for pattern in group["tests"]]


def pytest(arguments: list[str], settings: dict) -> tuple[int, str]:
    """Run pytest over the suite in a process of its own."""
    environment = os.environ | {
        "NUMBA_ENABLE_CUDASIM": "1",
        "GPUEDU_TIER": "cpu",
        "CONFORMANCE": json.dumps(settings),
        "PYTHONPATH": os.pathsep.join(map(str, (HERE / "site", HERE, ROOT))),
    }
    with tempfile.TemporaryDirectory() as folder:
        configuration = Path(folder, "pytest.ini")
        configuration.write_text("[pytest]\n")
        command = [
            sys.executable, "-m", "pytest", "-c", str(configuration), f"--rootdir={suite()}",
            "--import-mode=importlib", "-p", "no:cacheprovider", "-p", "no:xdist", "-p", "plugin",
            "-q", "-W", "ignore", *arguments,
        ]  # fmt: skip
        done = subprocess.run(command, env=environment, cwd=folder, text=True, capture_output=True)
    return done.returncode, done.stdout + done.stderr


def files_of(only: list[str]) -> list[Path]:
    """The suite's files of tests, or those of some of its modules."""
    parts = [suite() / part for part in only] or [suite()]
    return [file for part in parts for file in _files_in(part)]


def _files_in(part: Path) -> list[Path]:
    return sorted(part.rglob("test_*.py")) if part.is_dir() else [part]


def run(machine: str, only: list[str], everything: bool) -> list[Result]:
    """Run the suite, or some of its modules, on all cores; results by module."""
    cores = os.cpu_count() or 1
    files = files_of(only)
    # More shares than cores, so that no core waits long for the others' last modules.
    shares = [files[at :: 3 * cores] for at in range(3 * cores)]
    with ThreadPoolExecutor(cores) as pool:
        found = pool.map(lambda share: run_files(machine, share, everything), filter(None, shares))
        results = [result for part in found for result in part]
    if not results:
        sys.exit(f"there are no tests in {', '.join(only)}")
    return sorted(results, key=lambda result: result.module)


def run_files(machine: str, files: list[Path], everything: bool) -> list[Result]:
    """Run some files in a process of their own; results in their order."""
    with tempfile.NamedTemporaryFile("r") as file:
        settings = {
            "machine": machine,
            "results": file.name,
            "not_covered": not_covered() if machine == "gpuedu" else [],
            "everything": everything,
        }
        status, text = pytest([str(path) for path in files], settings)
        rows = [json.loads(line) for line in file]
    listed = {row["collected"]: row["listed"] for row in rows if "collected" in row}
    ended = {row["id"]: row for row in rows if "id" in row}
    if not rows:
        sys.exit(f"pytest ended with {status} and no results:\n{text[-3000:]}")
    return [judge(test, listed.get(test), ended.get(test), machine) for test in listed | ended]


def judge(test: str, listed: str | None, row: dict | None, machine: str) -> Result:
    """What a test's end means: nothing is left out but by the list, and the list holds no more."""
    if listed is not None and (row is None or row["outcome"] != "passed"):
        return Result(test, "not covered", listed)
    if row is None:
        return Result(test, "failed", "it did not run")
    reason, seconds = row["reason"], row["seconds"]
    if listed is not None:
        return Result(test, "failed", f"listed as not covered ({listed}), and it passes", seconds)
    if row["outcome"] == "skipped":
        outcome = "failed" if machine == "gpuedu" else "not covered"
        return Result(test, outcome, f"skipped: {reason}", seconds)
    return Result(test, row["outcome"], reason, seconds)


def baseline() -> set[str]:
    """The tests that pass on Numba's own simulator, as recorded."""
    return set(json.loads(BASELINE.read_text("utf-8"))["passed"]) if BASELINE.is_file() else set()


def record(results: list[Result]) -> None:
    """Keep what Numba's simulator passes."""
    passed = sorted(result.id for result in results if result.outcome == "passed")
    content = {"numba-cuda": metadata.version("numba-cuda"), "passed": passed}
    BASELINE.write_text(json.dumps(content, indent=1) + "\n", "utf-8")


def summary(results: list[Result], seconds: float) -> dict:
    """The figures of a run."""
    counts = Counter(result.outcome for result in results)
    simulator = [result for result in results if result.id in baseline()]
    return {
        "numba-cuda": metadata.version("numba-cuda"),
        "seconds": round(seconds, 1),
        "passed": counts["passed"],
        "failed": counts["failed"],
        "not covered": counts["not covered"],
        "of the simulator's": Counter(result.outcome for result in simulator),
        "beyond the simulator": counts["passed"]
        - sum(result.outcome == "passed" for result in simulator),
    }


def show(results: list[Result], figures: dict) -> None:
    """Print a table by module, then the reasons."""
    print(f"{'module':52} passed  failed  not covered")
    for module in dict.fromkeys(result.module for result in results):
        counts = Counter(result.outcome for result in results if result.module == module)
        print(f"{module:52} {counts['passed']:6} {counts['failed']:7} {counts['not covered']:12}")
    for title in ("not covered", "failed"):
        chosen = [result for result in results if result.outcome == title]
        print(f"\n{title}: {len(chosen)}")
        if title == "failed":
            for result in chosen:
                print(f"  {result.id}\n      {result.reason}")
            continue
        for reason, count in Counter(result.reason for result in chosen).most_common():
            modules = sorted({r.module for r in chosen if r.reason == reason})
            print(f"  {count:4}  {reason}\n        {', '.join(modules)}")
    simulator = figures["of the simulator's"]
    print(
        f"\nnumba-cuda {figures['numba-cuda']}: {figures['passed']} passed, {figures['failed']} "
        f"failed, {figures['not covered']} not covered, in {figures['seconds']} s. Of the "
        f"{sum(simulator.values())} that its own simulator passes: {simulator['passed']} pass here, "
        f"{simulator['failed']} fail, {simulator['not covered']} are not covered. Beyond it: "
        f"{figures['beyond the simulator']} pass."
    )


def main() -> int:
    """The command; 1 where a test failed."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("modules", nargs="*", help="such as cudapy/test_sm.py (default: all)")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    parser.add_argument("--everything", action="store_true", help="run what is not covered, too")
    parser.add_argument("--machine", choices=("gpuedu", "numba"), default="gpuedu")
    parser.add_argument(
        "--record", action="store_true", help="keep what passes on Numba's simulator"
    )
    asked = parser.parse_args()
    start = time.monotonic()
    results = run("numba" if asked.record else asked.machine, asked.modules, asked.everything)
    if asked.record:
        record(results)
    figures = summary(results, time.monotonic() - start)
    if asked.json:
        print(json.dumps(figures | {"tests": [asdict(result) for result in results]}, indent=1))
    else:
        show(results, figures)
    return int(figures["failed"] > 0)


if __name__ == "__main__":
    sys.exit(main())
