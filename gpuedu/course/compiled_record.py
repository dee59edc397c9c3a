"""Record what the compilers say about the course's own kernels, for use where there are none.

``python -m gpuedu.course.compiled_record`` runs the solutions of the lessons whose kernels are
compiled from top to bottom, and checks every stored answer of the exercises that ask a compiler.
Whatever the compilers answer in the process goes into ``gpuedu/compilers/recorded.json``.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from gpuedu.compilers import recorded
from gpuedu.course.proof import CELL_LIMIT_S, Bench, run_cell
from gpuedu.course.source import read_source
from gpuedu.exercises.capture import captured
from gpuedu.exercises.examine import examine
from gpuedu.exercises.guard import play_guarded
from gpuedu.syllabus import lesson

LESSONS = ("tiling", "registers")
EXERCISES = (
    *("elementwise", "reduction", "raw-kernel", "row-softmax"),
    *("accumulate-in-float32", "register-tile", "vector-loads"),
)


def record(root: Path, lessons: Iterable[str], exercises: Iterable[str]) -> recorded.Entries:
    """What the compilers answer, in the file's form, sorted."""
    with recorded.noting() as found, captured():
        for slug in lessons:
            run_solution(root, slug)
        for exercise in exercises:
            bench = Bench(root, exercise)
            for name, cells in stored_answers(bench):
                _check(bench, cells, name)
    return dict(sorted(found.items()))


def run_solution(root: Path, slug: str) -> None:
    """Run the code cells of a lesson's solution in their own namespace."""
    folder = lesson(slug).folder
    namespace = {"__name__": "__lesson__"}
    cells = read_source(root / "solutions" / folder / f"{folder}.py").cells
    for number, cell in enumerate(cell for cell in cells if cell.is_code):
        run_cell(cell.text, f"<{slug} {number}>", namespace)


def stored_answers(bench: Bench) -> Iterator[tuple[str, list[str]]]:
    """The solution of an exercise, and every answer that is stored: name and cells."""
    solution = bench.solution_cells()
    yield "solution", solution
    for kind, texts in (("wrong", bench.wrong_texts()), ("right", bench.right_texts())):
        for name, text in texts.items():
            yield f"{kind} {name}", [*solution, text]


def _check(bench: Bench, cells: list[str], name: str) -> None:
    outcome = play_guarded(lambda: bench.answers(cells, name), CELL_LIMIT_S)
    if outcome.problem is None:
        examine(bench.exercise, outcome.observed, 0)


def text_of(found: recorded.Entries) -> str:
    """The file's text: an entry a line."""
    lines = (f"{json.dumps(key)}: {json.dumps(entry)}" for key, entry in found.items())
    return "{\n" + ",\n".join(lines) + "\n}\n"


def main() -> int:
    """The command, in a checkout."""
    os.environ["NBGRADER_EXECUTION"] = "recording"  # progress stays in memory
    root = Path(__file__).resolve().parents[2]
    found = record(root, LESSONS, EXERCISES)
    path = root / "gpuedu" / "compilers" / recorded.FILE
    path.write_text(text_of(found), "utf-8")
    print(f"wrote {len(found)} entries, {path.stat().st_size:,} bytes, into {path.name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
