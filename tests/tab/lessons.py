"""Run the site's lessons in Chromium, whole: ``python -m tests.tab.lessons [lesson ...]``.

Each lesson three times: solved, as it is released, and with three stored wrong answers of each
exercise. The same notebooks run natively. In the tab a solved lesson earns all points, one that
was not touched none, and every card of a wrong answer says what it says natively, word for word.
What a tab cannot run says so in one line. ``GPUEDU_PYODIDE`` names Pyodide's folder.
"""

from __future__ import annotations

import argparse
import ast
import os
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import nbformat
from nbformat.v4 import new_code_cell, new_notebook

from gpuedu.course.lite.notebooks import for_tab, tab_lessons
from gpuedu.course.lite.site import build_site
from gpuedu.course.proof import Bench
from gpuedu.exercises.registry import load
from gpuedu.syllabus import Lesson
from gpuedu.syllabus import lesson as find_lesson
from tests.chromium import launched
from tests.tab.lite import skipping
from tests.tab.lite.native import Native
from tests.tab.lite.outputs import Notebook, cards_of, code_cells, earned, errors_of
from tests.tab.lite.server import SiteServer, served
from tests.tab.lite.visit import expose, profile
from tests.tab.node import ROOT, VARIABLE

WRONG = 3
NEEDS = {"parallel-cpu": "Numba"}
"""What exercises need that a tab does not have. All others are like anywhere."""

LINE = (
    "This needs {what}, which a browser tab does not have\n"
    "Try: open this lesson in JupyterLab on a computer; it needs no GPU there either"
)


@dataclass
class Outcome:
    """What was found about a lesson."""

    lesson: str
    exercises: int
    points: float = 0.0
    most: float = 0.0
    cards: int = 0
    seconds: float = 0.0
    faults: list[str] = field(default_factory=list)


def released(lesson: Lesson) -> Notebook:
    """A lesson as the site has it."""
    return _read(lesson, ROOT / "notebooks" / lesson.folder)


def solved(lesson: Lesson) -> Notebook:
    """The same with every answer in it."""
    return _read(lesson, ROOT / "solutions" / lesson.folder)


def _read(lesson: Lesson, folder: Path) -> Notebook:
    return for_tab(nbformat.read(folder / f"{lesson.folder}.ipynb", as_version=4), lesson.folder)


def wrong(lesson: Lesson, exercises: Sequence[str] = (), at_most: int = WRONG) -> Notebook:
    """The lesson's first cells, and then stored wrong answers, each with its check.

    The solution's cells come before each, since it replaces a part of them. The metadata of its own
    cell name the exercise and the stored file; for a grader it is a cell of the learner's own.
    """
    whole = solved(lesson)
    first = [cell for cell in code_cells(whole) if _role(cell) == "setup"]
    cells = [whole.cells[0], *first]
    for exercise in exercises or lesson.exercises:
        bench = Bench(ROOT, exercise)
        for name, text in list(bench.wrong_texts().items())[:at_most]:
            cells += [new_code_cell(source) for source in bench.solution_cells()]
            arguments = ", ".join([repr(exercise), *map(ast.unparse, bench.arguments)])
            told = {"wrong": {"exercise": exercise, "answer": name}}
            cells.append(new_code_cell(f"{text.rstrip()}\ncheck({arguments})", metadata=told))
    for number, cell in enumerate(cells):
        cell["id"] = f"cell-{number}"
    return new_notebook(cells=cells, metadata=whole.metadata)


def _role(cell: dict[str, Any]) -> str | None:
    return cell["metadata"].get("gpuedu", {}).get("role")


def in_tab(browser: Any, server: SiteServer, lesson: Lesson, notebook: Notebook) -> Notebook:
    """Run a notebook in the place of a lesson, in a fresh profile; returns it with its outputs."""
    server.put(f"files/{lesson.folder}.ipynb", nbformat.writes(nbformat.from_dict(notebook)))
    with profile(browser, server) as visitor:
        done = visitor.lesson(lesson.folder).run_all()
        if visitor.elsewhere.asked:
            raise AssertionError(f"somebody else was asked: {visitor.elsewhere.asked}")
    return done


def most_points(lesson: Lesson) -> dict[str, float]:
    """What each exercise of a lesson earns that a tab can run."""
    return {name: 0.0 if name in NEEDS else load(name).judge.points for name in lesson.exercises}


def compare_solved(lesson: Lesson, done: Notebook) -> list[str]:
    """What is not as it must be in a solved lesson."""
    faults = [f"solved: {fault}" for fault in errors_of(done)]
    points, most = earned(done), most_points(lesson)
    faults += [
        f"solved: {name} earns {points.get(name)} of {most[name]:g}"
        for name in lesson.exercises
        if points.get(name) != most[name]
    ]
    for cell in code_cells(done):
        name = cell["metadata"].get("gpuedu", {}).get("exercise")
        if _role(cell) == "check" and name in NEEDS:
            faults += _compare(f"solved: {name}", cards_of(cell), [LINE.format(what=NEEDS[name])])
    return faults


def compare_released(lesson: Lesson, done: Notebook) -> list[str]:
    """What is not as it must be in a lesson that nobody has touched."""
    faults = [f"released: {fault}" for fault in errors_of(done)]
    points = earned(done)
    if set(points) != set(lesson.exercises) or any(points.values()):
        faults.append(f"released: the stubs earn {points}")
    return faults


def compare_wrong(done: Notebook, native: Notebook) -> tuple[int, list[str]]:
    """How many cards were compared, and how they differ from the native ones.

    Nothing is taken out of a text: no card has a time or a name of this machine in it.
    """
    faults = [f"wrong: {fault}" for fault in errors_of(done)]
    compared = 0
    for here, there in zip(code_cells(done), code_cells(native), strict=True):
        told = here["metadata"].get("wrong")
        if told is None:
            continue
        name, cards = told["exercise"], cards_of(there)
        if name in NEEDS:
            cards = [LINE.format(what=NEEDS[name])]
        if not cards:
            faults.append(f"wrong: {name}/{told['answer']}: no card natively")
        faults += _compare(f"wrong: {name}/{told['answer']}", cards_of(here), cards)
        compared += 1
    return compared, faults


def _compare(where: str, here: list[str], wanted: list[str]) -> list[str]:
    if here == wanted:
        return []
    return [f"{where}: in the tab\n{_indented(here)}\n  and it should say\n{_indented(wanted)}"]


def _indented(cards: list[str]) -> str:
    return "\n".join(f"    {line}" for card in cards or ["nothing"] for line in card.splitlines())


def examine(browser: Any, server: SiteServer, lesson: Lesson) -> Outcome:
    """Run a lesson three times in the tab, and its wrong answers natively."""
    outcome = Outcome(lesson.folder, len(lesson.exercises))
    outcome.most = sum(most_points(lesson).values())
    started = time.monotonic()
    notebook = wrong(lesson)
    with Native(notebook) as native:
        done = in_tab(browser, server, lesson, solved(lesson))
        outcome.points = sum(earned(done).values())
        outcome.faults += compare_solved(lesson, done)
        done = in_tab(browser, server, lesson, released(lesson))
        outcome.faults += compare_released(lesson, done)
        done = in_tab(browser, server, lesson, notebook)
        outcome.cards, faults = compare_wrong(done, native.result())
    outcome.faults += faults
    outcome.seconds = time.monotonic() - started
    return outcome


def main() -> int:
    """The command; 1 where something is not as it must be, 2 where there is no browser."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("lessons", nargs="*", help="such as 02; all of the site by default")
    parser.add_argument("--site", type=Path, help="a site that is built already")
    asked = parser.parse_args()
    why = skipping.why_no_site()
    if why:
        print(f"The site's lessons were not run: {why}", file=sys.stderr)
        return 2
    chosen = [find_lesson(name) for name in asked.lessons] or tab_lessons()
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        site = asked.site or folder / "site"
        if not asked.site:
            build_site(ROOT, site, Path(os.environ[VARIABLE]))
        with served(site, folder / "overlay") as server, launched() as browser:
            expose(server)
            return _show([_told(browser, server, lesson) for lesson in chosen])


_FORMAT = "{:22} {:>9} {:>11} {:>6} {:>8}  {}"


def _told(browser: Any, server: SiteServer, lesson: Lesson) -> Outcome:
    outcome = examine(browser, server, lesson)
    print(f"{lesson.folder}: {outcome.seconds:.0f} s", file=sys.stderr, flush=True)
    return outcome


def _show(outcomes: list[Outcome]) -> int:
    print(_FORMAT.format("lesson", "exercises", "points", "cards", "seconds", ""))
    for one in outcomes:
        points = f"{one.points:g} of {one.most:g}"
        said = f"{len(one.faults)} faults" if one.faults else "as it should be"
        row = (one.lesson, one.exercises, points, one.cards, f"{one.seconds:.0f}", said)
        print(_FORMAT.format(*row))
    for one in outcomes:
        for fault in one.faults:
            print(f"{one.lesson}: {fault}")
    return int(any(one.faults for one in outcomes))


if __name__ == "__main__":
    sys.exit(main())
