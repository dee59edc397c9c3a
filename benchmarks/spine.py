"""Measure the course's spine: import, check, build, the lessons, and JupyterLab's start.

    python benchmarks/spine.py            a table
    python benchmarks/spine.py --json     the same for a program to read
    python benchmarks/spine.py --setup    also `make lab` in a fresh clone with an empty HOME

Times are wall-clock seconds on this machine, medians where there are repeats; memory is the peak
resident size of the notebook's kernel and everything it started.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

import nbformat
import psutil
from nbclient import NotebookClient

from gpuedu.course.build import build
from gpuedu.syllabus import ready_lessons

ROOT = Path(__file__).resolve().parents[1]
MB = 1e6
ROOT_OPTION = "--allow-root" if os.geteuid() == 0 else ""


def fresh_process(code: str, repeats: int = 5) -> float:
    """Median seconds that ``code`` reports from a fresh interpreter."""
    times = []
    for _ in range(repeats + 1):
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT
        )
        times.append(float(done.stdout.split()[-1]))
    return statistics.median(times[1:])


def import_s() -> float:
    return fresh_process(
        "import time; t = time.perf_counter(); import gpuedu; print(time.perf_counter() - t)"
    )


def import_and_check_s() -> float:
    return fresh_process(
        "import time; t = time.perf_counter(); from gpuedu import check; "
        "check('first-check', lambda n, itemsize: 2 * n * itemsize); "
        "print(time.perf_counter() - t)"
    )


def check_s() -> float:
    return fresh_process(
        "import statistics, time\n"
        "from gpuedu import check\n"
        "times = []\n"
        "for _ in range(30):\n"
        "    t = time.perf_counter()\n"
        "    check('first-check', lambda n, itemsize: 2 * n * itemsize)\n"
        "    times.append(time.perf_counter() - t)\n"
        "print(statistics.median(times))"
    )


def build_s() -> float:
    with tempfile.TemporaryDirectory() as folder:
        started = time.perf_counter()
        build(ROOT, Path(folder))
        return time.perf_counter() - started


class PeakMemory:
    """Watches the resident memory of this process's descendants for the length of a block."""

    def __enter__(self) -> PeakMemory:
        self.peak_bytes, self._done = 0, threading.Event()
        self._known = {child.pid for child in psutil.Process().children(recursive=True)}
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._done.wait(0.05):
            total = 0
            for child in psutil.Process().children(recursive=True):
                if child.pid not in self._known:
                    try:
                        total += child.memory_info().rss
                    except psutil.Error:
                        continue
            self.peak_bytes = max(self.peak_bytes, total)


def lesson(path: Path) -> dict[str, float]:
    """Restart and run all of a solution."""
    notebook = nbformat.read(path, as_version=4)
    with tempfile.TemporaryDirectory() as home, PeakMemory() as memory:
        os.environ["GPUEDU_HOME"] = home
        started = time.perf_counter()
        NotebookClient(notebook, timeout=120, resources={"metadata": {"path": home}}).execute()
        seconds = time.perf_counter() - started
    return {"seconds": round(seconds, 2), "peak_mb": round(memory.peak_bytes / MB)}


def server_start_s(make: list[str], folder: Path, environment: dict[str, str]) -> float:
    """Seconds from ``make lab`` until its server answers for; the server is ended again."""
    runtime = Path(environment["JUPYTER_RUNTIME_DIR"])
    started = time.perf_counter()
    server = subprocess.Popen(
        [*make, "lab", f"LAB_OPTIONS=--no-browser --port=0 {ROOT_OPTION}"],
        cwd=folder,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        while not list(runtime.glob("jpserver-*.json")):
            if server.poll() is not None:
                raise RuntimeError(f"`make lab` ended with status {server.returncode}")
            time.sleep(0.02)
        return time.perf_counter() - started
    finally:
        children = psutil.Process(server.pid).children(recursive=True)
        for process in [*children, psutil.Process(server.pid)]:
            process.terminate()
        psutil.wait_procs(children, 20)
        server.wait()


def environment_at(home: Path) -> dict[str, str]:
    return {**os.environ, "HOME": str(home), "JUPYTER_RUNTIME_DIR": str(home / "runtime")}


def lab_start_s() -> float:
    """``make lab`` when nothing changed, in this checkout, with a workspace of its own."""
    times = []
    for _ in range(3):
        with tempfile.TemporaryDirectory() as folder:
            make = ["make", f"WORKSPACE={folder}/workspace"]
            times.append(server_start_s(make, ROOT, environment_at(Path(folder))))
    return statistics.median(times)


def lab_from_nothing_s() -> float:
    """``make lab`` in a fresh clone with an empty HOME: set-up, workspace, server."""
    with tempfile.TemporaryDirectory() as folder:
        clone, home = Path(folder) / "clone", Path(folder) / "home"
        home.mkdir()
        subprocess.run(["git", "clone", "-q", str(ROOT), str(clone)], check=True)
        return server_start_s(["make"], clone, environment_at(home))


def rows(with_setup: bool) -> list[tuple[str, Callable[[], object], str]]:
    found = [
        ("import_s", import_s, "0.3"),
        ("check_s", check_s, "0.2"),
        ("import_and_first_check_s", import_and_check_s, ""),
        ("build_s", build_s, "30"),
        ("lab_start_s", lab_start_s, "5"),
    ]
    for entry in ready_lessons():
        path = ROOT / "solutions" / entry.folder / f"{entry.folder}.ipynb"
        found.append((entry.folder, lambda path=path: lesson(path), "60 s, 1500 MB"))
    if with_setup:
        found.append(("lab_from_nothing_s", lab_from_nothing_s, ""))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--setup", action="store_true", help="also set up a fresh clone")
    options = parser.parse_args()
    found = {}
    if not options.json:
        print(f"{'what':<26}{'measured':<32}at most")
    for name, run, limit in rows(options.setup):
        value = run()
        found[name] = round(value, 4) if isinstance(value, float) else value
        if not options.json:
            shown = f"{found[name]}" if isinstance(value, float) else json.dumps(value)
            print(f"{name:<26}{shown:<32}{limit}", flush=True)
    if options.json:
        print(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
