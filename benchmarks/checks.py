"""Measure how long a check takes, with its diagnosis and without drawing the card, by exercise.

``python benchmarks/checks.py [--wrong 3] [LESSON ...]``; lessons that launch processes or train
take long. The first check of an exercise is left out, since it imports what the others use.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from pathlib import Path

from gpuedu.course.proof import Bench, run_stored
from gpuedu.exercises.capture import captured
from gpuedu.exercises.examine import examine
from gpuedu.syllabus import lesson, ready_lessons

ROOT = Path(__file__).resolve().parents[1]


def check_s(bench: Bench, answers: list) -> float:
    """Seconds of one check."""
    start = time.perf_counter()
    with captured():
        examine(bench.exercise, answers)
    return time.perf_counter() - start


def measured(exercise: str, wrong: int) -> dict[str, float | str]:
    """Seconds of a check of the solution, and the median over the first few wrong answers."""
    bench = Bench(ROOT, exercise)
    with captured():
        solution = bench.answers(bench.solution_cells(), "solution")
    check_s(bench, solution)
    stored = list(bench.stored_wrong().values())
    spread = stored[:: max(1, len(stored) // wrong)][:wrong]
    faulty = [check_s(bench, run_stored(bench, one)) for one in spread]
    return {
        "exercise": exercise,
        "solution_s": round(check_s(bench, solution), 3),
        "wrong_s": round(statistics.median(faulty), 3),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("lessons", nargs="*")
    parser.add_argument("--wrong", type=int, default=3)
    options = parser.parse_args()
    entries = [lesson(name) for name in options.lessons] or ready_lessons()
    found = []
    for entry in entries:
        for exercise in entry.exercises:
            found.append(measured(exercise, options.wrong))
            print(json.dumps(found[-1]), flush=True)
    for kind in ("solution_s", "wrong_s"):
        times = [one[kind] for one in found]
        print(f"{kind}: median {statistics.median(times):.3f}, largest {max(times):.2f}")


if __name__ == "__main__":
    main()
