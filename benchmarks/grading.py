"""How many submissions a minute: our grader in its sandbox, and nbgrader's own autograde beside it.

    python benchmarks/grading.py [--submissions 30] [--workers 2] [--growth | --only NAME ...]

Both commands grade the same notebooks, from their start to their end: a lesson on kernels, solved,
a lesson that imports PyTorch, with those exercises solved whose own code takes next to no time, and
one in which nine exercises train, solved.
``heavy`` is a lesson in which the learner's own training takes the time: what it takes by itself on
one core, over the workers, against what the class takes. ``own_together_s`` is the same training in
plain processes, as many at once as there are workers: what the machine itself makes of them.
``sandbox_ms`` is what a player costs with the sandbox more than without. ``growth`` is the kernel
lesson with 10 and 300 submissions, and with one worker.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import nbformat
import psutil
import torch

from gpuedu.course.demo import fill_in, lay_out, run_nbgrader
from gpuedu.course.proof import Bench
from gpuedu.grading.judge.stage import Stage
from gpuedu.grading.judge.zygote import Zygote
from gpuedu.grading.sandbox import PlayingLimits
from gpuedu.grading.verdict import read_verdicts

ROOT = Path(__file__).resolve().parents[1]
KERNELS = ("02_first_kernels", None)
TORCH = (
    "15_mixed_precision",
    ("float-anatomy", "accumulate", "master-weights", "loss-scaler", "adam-in-half"),
)
TRAINING = ("09_training_step", None)
LESSONS = {"kernel_lesson": KERNELS, "torch_lesson": TORCH, "training_lesson": TRAINING}
HEAVY = ("11_optimizers", "train-digits")
MORE_STEPS = ("range(150)", "range(2_000)")
"""A learner who trains longer: half a second becomes several, all of it the learner's own."""


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
    """Seconds of ``gpuedu grade``."""
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        hand_in(folder / "submitted", lesson, text, count)
        grade = [sys.executable, "-m", "gpuedu", "grade", "submitted", "--out", "verdicts"]
        began_s = time.perf_counter()
        subprocess.run(
            [*grade, "--workers", str(workers)],
            cwd=folder,
            check=True,
            stdout=subprocess.DEVNULL,
        )
        took_s = time.perf_counter() - began_s
        verdicts = read_verdicts(folder / "verdicts")
        assert [one["state"] for one in verdicts] == ["graded"] * count
        assert len({one["points"] for one in verdicts}) == 1
        return took_s


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


def compare(lesson: str, exercises: Iterable[str] | None, given: argparse.Namespace) -> dict:
    """Submissions a minute of both."""
    text = answered(lesson, exercises)
    theirs = 60 * given.nbgrader / time_nbgrader(lesson, text, given.nbgrader)
    ours = 60 * given.submissions / time_ours(lesson, text, given.submissions, given.workers)
    return {
        "lesson": lesson,
        "nbgrader_per_min": round(theirs, 1),
        "gpuedu_per_min": round(ours, 1),
        "times_faster": round(ours / theirs, 1),
    }


def measure_heavy(count: int, workers: int) -> dict[str, float]:
    """A class whose own code takes the time."""
    lesson, exercise = HEAVY
    text = answered(lesson, (exercise,))
    assert MORE_STEPS[0] in text
    own_s = statistics.median(_own_s(exercise) for _ in range(3))
    with ProcessPoolExecutor(workers, multiprocessing.get_context("spawn")) as pool:
        together_s = statistics.median(pool.map(_own_s, [exercise] * 4 * workers))
    measured_s = time_ours(lesson, text.replace(*MORE_STEPS), count, workers)
    ideal_s = count * own_s / workers
    return {
        "own_s": round(own_s, 2),
        "own_together_s": round(together_s, 2),
        "ideal_s": round(ideal_s, 1),
        "measured_s": round(measured_s, 1),
        "above_percent": round(100 * (measured_s / ideal_s - 1), 1),
    }


def _own_s(exercise: str) -> float:
    """Seconds that the check takes here on one core, once all is imported."""
    bench = Bench(ROOT, exercise)
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    bench.try_answers(bench.solution_cells(), "warm")
    cells = [one.replace(*MORE_STEPS) for one in bench.solution_cells()]
    began_s = time.perf_counter()
    bench.try_answers(cells, "timed")
    took_s = time.perf_counter() - began_s
    torch.set_num_threads(before)
    return took_s


def measure_growth(workers: int) -> dict[str, float]:
    """Submissions a minute of classes of other sizes, and with one worker."""
    lesson, exercises = KERNELS
    text = answered(lesson, exercises)
    found = {}
    for count, busy in ((10, workers), (30, 1), (300, workers)):
        took_s = time_ours(lesson, text, count, busy)
        found[f"{count} submissions, workers {busy}"] = round(60 * count / took_s, 1)
    return found


def measure_players() -> dict[str, float]:
    """What starting and ending a player takes, in the sandbox and without; what a worker holds."""
    found = {}
    for name, sandbox in (("sandboxed_ms", True), ("plain_ms", False)):
        zygote = Zygote(sandbox=sandbox)
        found[name] = 1e3 * statistics.median(_player_s(zygote) for _ in range(15))
        if sandbox:
            inside = psutil.Process(zygote._process.pid).children(recursive=True)
            found["worker_mb"] = sum(map(_pss_bytes, inside)) / 2**20
        zygote.end()
    found["sandbox_ms"] = found["sandboxed_ms"] - found["plain_ms"]
    return {name: round(value, 1) for name, value in found.items()}


def _pss_bytes(process: psutil.Process) -> int:
    """Its share of memory; 0 of a player that has just ended."""
    try:
        return process.memory_full_info().pss
    except psutil.NoSuchProcess:
        return 0


def _player_s(zygote: Zygote) -> float:
    request = {"do": "load", "lesson": "welcome", "exercise": "first-check", "limit_s": 5.0}
    request |= {"cells": [["a", "def copied_bytes(n, itemsize): ..."]]}
    request |= {"arguments": ["copied_bytes"]}
    zygote.prepare("welcome", "import torch")
    began_s = time.perf_counter()
    with Stage(zygote, PlayingLimits()) as stage:
        stage.learner().ask(request, 30)
    return time.perf_counter() - began_s


def main() -> None:
    """Measure, and print JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--submissions", type=int, default=30)
    parser.add_argument("--nbgrader", type=int, default=0, help="graded by nbgrader; as many")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--growth", action="store_true")
    parser.add_argument("--only", nargs="+", choices=[*LESSONS, "heavy", "players"], default=[])
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    given.nbgrader = given.nbgrader or given.submissions
    only = given.only or [*LESSONS, "heavy", "players"]
    result = {name: compare(*lesson, given) for name, lesson in LESSONS.items() if name in only}
    if "heavy" in only:
        result["heavy"] = measure_heavy(given.submissions, given.workers)
    if "players" in only:
        result |= measure_players()
    if given.growth:
        result["growth_per_min"] = measure_growth(given.workers)
    text = json.dumps(result, indent=2)
    print(text)
    if given.json:
        given.json.write_text(text + "\n")


if __name__ == "__main__":
    subprocess.run([sys.executable, "-m", "gpuedu", "build", "--check"], cwd=ROOT, check=True)
    main()
