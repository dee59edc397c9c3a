"""How many submissions a minute: our grader in its sandbox, and nbgrader's own autograde beside it.

    python benchmarks/grading.py [--submissions 30] [--workers 2] [--json FILE]

Both grade the same notebooks: a lesson on kernels, solved, and a lesson that imports PyTorch, with
those exercises solved whose own code takes next to no time. ``heavy`` is a lesson in which the
learner's own training takes the time: what it takes by itself, over the workers, against what the
class takes. ``sandbox_ms`` is what a player costs with and without the sandbox.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path

import nbformat
import psutil

from gpuedu.course.demo import fill_in, lay_out, run_nbgrader
from gpuedu.course.proof import Bench
from gpuedu.grading.batch.running import grade_class
from gpuedu.grading.batch.submissions import find_submissions
from gpuedu.grading.judge.zygote import Zygote
from gpuedu.grading.sandbox import PlayingLimits

ROOT = Path(__file__).resolve().parents[1]
KERNELS = ("02_first_kernels", None)
TORCH = (
    "10_mixed_precision",
    ("float-anatomy", "accumulate", "master-weights", "loss-scaler", "adam-in-half"),
)
HEAVY = ("08_training_step", ("train-digits",))
MOST_NBGRADER = 8
"""nbgrader grades one after another, so its rate needs no more."""


def answered(lesson: str, exercises: Iterable[str] | None) -> str:
    """A learner's notebook in which some exercises are solved, all by default."""
    path = ROOT / "solutions" / lesson / f"{lesson}.ipynb"
    answers = {
        cell.id: cell.source
        for cell in nbformat.read(path, as_version=4).cells
        if cell.metadata["gpuedu"]["role"] == "answer"
        and (exercises is None or cell.metadata["gpuedu"]["exercise"] in exercises)
    }
    released = (ROOT / "notebooks" / lesson / f"{lesson}.ipynb").read_text("utf-8")
    return fill_in(released, answers)


def hand_in(folder: Path, lesson: str, text: str, count: int) -> None:
    """The same notebook from many learners; each gets cases of their own."""
    for number in range(count):
        path = folder / f"learner{number:03}" / lesson / f"{lesson}.ipynb"
        path.parent.mkdir(parents=True)
        path.write_text(text, "utf-8")


def time_ours(lesson: str, text: str, count: int, workers: int) -> float:
    """Seconds for a class, with the start of the workers."""
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        hand_in(folder / "submitted", lesson, text, count)
        tasks = find_submissions(folder / "submitted", "benchmark")
        began_s = time.perf_counter()
        counts = grade_class(tasks, folder / "verdicts", lambda _: None, workers=workers)
        assert counts == {"graded": count}, counts
        return time.perf_counter() - began_s


def time_nbgrader(lesson: str, text: str, count: int) -> float:
    """Seconds of ``nbgrader autograde``."""
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        lay_out(ROOT, folder, lesson)
        run_nbgrader(folder, lambda _: None, "generate_assignment", lesson)
        hand_in(folder / "submitted", lesson, text, count)
        began_s = time.perf_counter()
        run_nbgrader(folder, lambda _: None, "autograde", lesson)
        return time.perf_counter() - began_s


def compare(lesson: str, exercises: Iterable[str] | None, count: int, workers: int) -> dict:
    """Submissions a minute of both."""
    text = answered(lesson, exercises)
    few = min(count, MOST_NBGRADER)
    theirs = 60 * few / time_nbgrader(lesson, text, few)
    ours = 60 * count / time_ours(lesson, text, count, workers)
    return {
        "lesson": lesson,
        "nbgrader_per_min": round(theirs, 1),
        "gpuedu_per_min": round(ours, 1),
        "times_faster": round(ours / theirs, 1),
    }


def measure_heavy(workers: int) -> dict[str, float]:
    """A class whose own code takes the time."""
    lesson, exercises = HEAVY
    count = 4 * workers
    own_s = statistics.median(_own_s(exercises) for _ in range(3))
    measured_s = time_ours(lesson, answered(lesson, exercises), count, workers)
    return {"ideal_s": round(count * own_s / workers, 1), "measured_s": round(measured_s, 1)}


def _own_s(exercises: Iterable[str]) -> float:
    """Seconds that the checks of some exercises take here, once all is imported."""
    total = 0.0
    for exercise in exercises:
        bench = Bench(ROOT, exercise)
        cells = bench.solution_cells()
        bench.try_answers(cells, "warm")
        began_s = time.perf_counter()
        bench.try_answers(cells, "timed")
        total += time.perf_counter() - began_s
    return total


def measure_players() -> dict[str, float]:
    """What starting and ending a player takes, in the sandbox and without; what a worker holds."""
    found = {}
    for name, sandbox in (("sandboxed_ms", True), ("plain_ms", False)):
        zygote = Zygote(sandbox=sandbox)
        found[name] = 1e3 * statistics.median(_player_s(zygote) for _ in range(15))
        if sandbox:
            inside = psutil.Process(zygote._process.pid).children(recursive=True)
            found["worker_mb"] = sum(one.memory_full_info().pss for one in inside) / 2**20
        zygote.end()
    found["sandbox_ms"] = found["sandboxed_ms"] - found["plain_ms"]
    return {name: round(value, 1) for name, value in found.items()}


def _player_s(zygote: Zygote) -> float:
    request = {"do": "load", "lesson": "welcome", "exercise": "first-check", "limit_s": 5.0}
    request |= {"cells": [["a", "def copied_bytes(n, itemsize): ..."]]}
    request |= {"arguments": ["copied_bytes"]}
    began_s = time.perf_counter()
    with zygote.player(PlayingLimits()) as player:
        player.ask(request, 30)
    return time.perf_counter() - began_s


def main() -> None:
    """Measure, and print JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--submissions", type=int, default=30)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    result = {
        "kernel_lesson": compare(*KERNELS, given.submissions, given.workers),
        "torch_lesson": compare(*TORCH, given.submissions, given.workers),
        "heavy": measure_heavy(given.workers),
        **measure_players(),
    }
    text = json.dumps(result, indent=2)
    print(text)
    if given.json:
        given.json.write_text(text + "\n")


if __name__ == "__main__":
    subprocess.run([sys.executable, "-m", "gpuedu", "build", "--check"], cwd=ROOT, check=True)
    main()
