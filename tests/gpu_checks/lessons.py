"""The lessons with their solutions, on a GPU: ``python3 -m tests.gpu_checks.lessons [numbers]``.

Each solved lesson runs from its first cell to its last, in a process of its own, as a script: no
Jupyter is needed. Every exercise has to earn all its points, and nothing may be a fault of the
course. ``--out DIR`` keeps what each lesson showed (text, and its pictures as PNG). Exit status: 0 if
all is right, 1 if something is not, 3 where they were not run: there is no GPU (``--any-tier`` runs
without one), or a bare machine lacks what reads the lessons.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import io
import json
import linecache
import os
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from gpuedu.course.source import SourceCell, read_source
from gpuedu.syllabus import Lesson, lessons, ready_lessons

ROOT = Path(__file__).resolve().parents[2]
WRONG, NOT_RUN = 1, 3
_NEEDED = ("jupytext", "jinja2", "matplotlib", "sklearn", "tree_sitter_cuda")
LESSON_LIMIT_S = 180.0
FAULTS = ("fault of the course", "cannot be drawn")


def main() -> int:
    """Run the lessons that the command line names, all by default; a line for each."""
    options = _options()
    if options.child is not None:
        return run_lesson(lessons()[options.child], options.out)
    missing = [name for name in _NEEDED if find_spec(name) is None]
    if missing:
        print(f"the lessons were not run: {', '.join(missing)} is not installed")
        return NOT_RUN
    if not options.any_tier and not _has_gpu():
        print("the lessons were not run: there is no GPU that Numba can use")
        return NOT_RUN
    chosen = [e for e in ready_lessons() if not options.numbers or e.number in options.numbers]
    return WRONG if sum(not _run_apart(entry, options) for entry in chosen) else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python3 -m tests.gpu_checks.lessons")
    parser.add_argument("numbers", nargs="*", type=int, help="lessons, all by default")
    parser.add_argument("--out", type=Path, help="folder for what the lessons show")
    parser.add_argument("--any-tier", action="store_true", help="without a GPU, too")
    parser.add_argument("--child", type=int, help=argparse.SUPPRESS)
    return parser.parse_args()


def _has_gpu() -> bool:
    from gpuedu.backend import has_gpu

    return has_gpu()


def _run_apart(entry: Lesson, options: argparse.Namespace) -> bool:
    """Run a lesson in a process with a record of its own; print how it went."""
    out = options.out.resolve() / f"{entry.number:02}" if options.out else None
    command = [sys.executable, "-m", "tests.gpu_checks.lessons", "--child", str(entry.number)]
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as home:
        paths = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH", "")]))
        own = {"GPUEDU_HOME": home, "MPLBACKEND": "Agg", "PYTHONPATH": paths}
        try:
            done = subprocess.run(
                [*command, *(["--out", str(out)] if out else [])],
                cwd=home,  # what a lesson writes goes with its record
                env={**os.environ, **own},
                capture_output=True,
                text=True,
                timeout=LESSON_LIMIT_S,
                check=False,
            )
            said, is_right = done.stdout + done.stderr, done.returncode == 0
        except subprocess.TimeoutExpired:
            said, is_right = f"not done after {LESSON_LIMIT_S:.0f} s", False
    told = "right" if is_right else "WRONG"
    print(f"{entry.slug}: {told}, {time.monotonic() - started:.0f} s", flush=True)
    if said.strip():
        print(said.strip(), flush=True)
    return is_right


def run_lesson(entry: Lesson, out: Path | None) -> int:
    """Run all cells here; print what is wrong, keep what was shown; 0 if nothing is."""
    source = read_source(ROOT / "solutions" / entry.folder / f"{entry.folder}.py")
    if out is not None:
        out.mkdir(parents=True, exist_ok=True)
    shown, faults, points = io.StringIO(), [], {}
    _keep_pictures(out)
    names: dict[str, Any] = {"__name__": "__lesson__"}
    for cell in source.cells:
        if not cell.is_code:
            continue
        begun, started = shown.tell(), time.monotonic()
        shown.write(f"\n--- line {cell.line} {cell.exercise} {cell.role}\n")
        fault = _run_cell(cell, names, shown)
        shown.write(f"({time.monotonic() - started:.1f} s)\n")
        if cell.role == "setup":
            names["check"] = _noting(names["check"], points)
        text = shown.getvalue()[begun:]
        if fault or any(told in text for told in FAULTS):
            faults.append(f"line {cell.line}: {fault or text.strip()}")
    faults += _missing_points(entry, points)
    if out is not None:
        (out / "shown.txt").write_text(shown.getvalue(), "utf-8")
    print("\n".join(faults))
    return WRONG if faults else 0


def _keep_pictures(out: Path | None) -> None:
    """Draw each picture wholly, as a notebook does, and keep it; a script would only tell it."""
    from gpuedu.exercises import session
    from gpuedu.figures.style import to_png

    tell, drawn = session.draw_figure, []

    def draw_and_tell(axes: Any) -> None:
        png = to_png(axes)
        drawn.append(len(png))
        if out is not None:
            (out / f"{len(drawn):02}.png").write_bytes(png)
        tell(axes)

    session.draw_figure = draw_and_tell


def _run_cell(cell: SourceCell, names: dict[str, Any], shown: io.StringIO) -> str:
    """What a cell raised, as a traceback; empty if nothing."""
    name = f"<line {cell.line}>"
    linecache.cache[name] = (len(cell.text), None, cell.text.splitlines(keepends=True), name)
    try:
        with contextlib.redirect_stdout(shown):
            tree = ast.parse(cell.text)
            last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
            exec(compile(tree, name, "exec"), names)
            if last is not None:  # shown, as a notebook shows it
                value = eval(compile(ast.Expression(last.value), name, "eval"), names)
                print("" if value is None else repr(value))
    except Exception:
        return traceback.format_exc()
    return ""


def _noting(check: Callable[..., float], points: dict[str, float]) -> Callable[..., float]:
    def noted(exercise: str, *answers: Any) -> float:
        points[exercise] = check(exercise, *answers)
        return points[exercise]

    return noted


def _missing_points(entry: Lesson, points: dict[str, float]) -> list[str]:
    from gpuedu.exercises.registry import load

    full = {name: load(name).judge.points for name in entry.exercises}
    lost = {name: points.get(name) for name in full if points.get(name) != full[name]}
    return [f"points lost: {json.dumps(lost)}"] if lost else []


if __name__ == "__main__":
    sys.exit(main())
