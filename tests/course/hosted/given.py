"""Every lesson as it is handed out, in an environment as Colab's or Binder's: no cell may fail.

``python -m tests.course.hosted.given colab`` (half an hour, 2 GB of disk, a package index) takes
the versions in ``versions.txt`` and the notebooks of ``gpuedu build --colab``; ``... binder`` takes
the packages of ``environment.yml``, by pip instead of conda, runs ``postBuild`` in a copy of this
checkout's last commit, and the workspace's notebooks. It prints each lesson's seconds and its peak
of memory as JSON, and ends with status 1 where a cell fails, a learner would have points already,
or a lesson takes more memory than the syllabus says.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from threading import Event, Thread

import psutil
import yaml

from gpuedu.course.colab import write_hosted
from gpuedu.syllabus import Lesson, ready_lessons
from tests.conftest import ROOT
from tests.course.hosted.trial import VERSIONS, environment, package, run
from tests.lessons.notebooks import points

EVERY_S = 0.25
MB = 1_000_000
CPU_TORCH = "torch==2.13.0"
"""The build that an index without PyTorch's own CPU builds has for a CPU."""


def main() -> int:
    """Run the trial; 0 where everything is as it should be."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("host", choices=["colab", "binder"])
    parser.add_argument("--lessons", nargs="+", help="these alone")
    parser.add_argument("--environment", type=Path, help="use this one, or make and keep it")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="gpuedu-given-") as scratch:
        folder = Path(scratch)
        where = given.environment or folder / "env"
        python, notebooks = (_colab if given.host == "colab" else _binder)(folder, where)
        told = {}
        for entry in ready_lessons():
            if not given.lessons or entry.slug in given.lessons:
                told[entry.slug] = _tried(entry, python, notebooks[entry.folder], folder)
                print(f"{entry.slug}: {told[entry.slug]}", file=sys.stderr, flush=True)
    print(json.dumps(told, indent=1))
    return 1 if any(one["wrong"] for one in told.values()) else 0


def _colab(folder: Path, where: Path) -> tuple[Path, dict[str, Path]]:
    """The interpreter and the notebooks; the first that runs installs the course."""
    python = environment(where, ["pip==24.1.2"], ["--requirement", str(VERSIONS)])
    written = write_hosted(ROOT, folder / "hosted", package(folder))
    return python, {path.stem: path for path in written}


def _binder(folder: Path, where: Path) -> tuple[Path, dict[str, Path]]:
    """The interpreter and the notebooks of the workspace that ``postBuild`` starts."""
    course = folder / "course"
    subprocess.run(["git", "clone", "--quiet", "--no-hardlinks", ROOT, course], check=True)
    named = yaml.safe_load((course / "environment.yml").read_text("utf-8"))["dependencies"]
    (by_pip,) = (entry["pip"] for entry in named if isinstance(entry, dict))
    plain = [entry for entry in named if isinstance(entry, str) and not _is_program(entry)]
    plain += [entry for entry in by_pip if not entry.startswith("--")]
    python = environment(where, [*plain, CPU_TORCH])
    itself = ["--editable", f"{course}[cluster,compilers]", CPU_TORCH]
    subprocess.run([python, "-m", "pip", "install", "--quiet", *itself], check=True)
    path = f"{python.parent}{os.pathsep}{os.environ['PATH']}"
    subprocess.run(
        ["bash", "postBuild"],
        cwd=course,
        env={**_clean(), "PATH": path},
        stdout=sys.stderr,
        check=True,
    )
    found = (course / "workspace").glob("*/*.ipynb")
    return python, {path.stem: path for path in found}


def _is_program(entry: str) -> bool:
    return entry == "pip" or entry.startswith("python=")


def _clean() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}


def _tried(entry: Lesson, python: Path, path: Path, folder: Path) -> dict:
    began_s = time.monotonic()
    with _Watched() as watched:
        done = run(python, path, folder)
    wrong = [
        output.evalue[:300]
        for cell in done.cells
        for output in cell.get("outputs", [])
        if output.output_type == "error"
    ]
    if not wrong and (found := points(done)) != dict.fromkeys(entry.exercises, 0.0):
        wrong.append(f"points at the start: {found}")
    if watched.peak_mb > entry.memory_mb:
        wrong.append(f"{watched.peak_mb} MB, and the syllabus says {entry.memory_mb}")
    return {
        "seconds": round(time.monotonic() - began_s, 1), "peak_mb": watched.peak_mb, "wrong": wrong
    }  # fmt: skip


class _Watched:
    """The peak of what all processes that this one started hold together, in MB.

    Pages that several of them share are counted once (Linux' proportional set size).
    """

    def __init__(self) -> None:
        self.peak_mb = 0
        self._over = Event()
        self._thread = Thread(target=self._watch, daemon=True)

    def __enter__(self) -> _Watched:
        self._thread.start()
        return self

    def __exit__(self, *raised: object) -> None:
        self._over.set()
        self._thread.join()

    def _watch(self) -> None:
        me = psutil.Process()
        while not self._over.wait(EVERY_S):
            held = sum(map(_held_bytes, me.children(recursive=True)))
            self.peak_mb = max(self.peak_mb, held // MB)


def _held_bytes(process: psutil.Process) -> int:
    try:
        return process.memory_full_info().pss
    except psutil.Error:  # it has ended meanwhile
        return 0


if __name__ == "__main__":
    sys.exit(main())
