"""The commands for those who make the course or teach it: `gpuedu build`, `key`, `prove` ..."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from gpuedu.course.checkout import course_root
from gpuedu.errors import GpueduError
from gpuedu.syllabus import exercise_ids, lesson_of, ready_lessons
from gpuedu.syllabus import lesson as find_lesson

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for a program to read.")]


def print_json(value: Any) -> None:
    """Print a value as a program reads it."""
    print(json.dumps(value, indent=2, ensure_ascii=False))


def build(
    check: Annotated[
        bool, typer.Option("--check", help="Write nothing; fail if a notebook is out of date.")
    ] = False,
    colab: Annotated[
        Path | None,
        typer.Option("--colab", help="Folder to write notebooks for hosted sessions into."),
    ] = None,
    package: Annotated[
        str | None,
        typer.Option("--package", help="What such a session installs; this release by default."),
    ] = None,
    lite: Annotated[
        Path | None, typer.Option("--lite", help="Folder to write the site for browsers into.")
    ] = None,
    pyodide: Annotated[
        Path | None,
        typer.Option("--pyodide", help="A folder with Pyodide to put into the site."),
    ] = None,
    book: Annotated[
        Path | None, typer.Option("--book", help="Write the book, a site to read, there.")
    ] = None,
    solutions: Annotated[
        bool, typer.Option(help="With --book: solutions in it, each behind a click.")
    ] = True,
) -> None:
    """Build notebooks from the lessons' sources, and recompute what is known of wrong answers."""
    from gpuedu.course.build import build, build_readme, build_syllabus, compare
    from gpuedu.course.known_mistakes import outdated, record

    root = course_root()
    if colab is not None:
        from gpuedu.course.colab import write_hosted

        print(f"wrote {len(write_hosted(root, colab, package))} notebooks into {colab}")
        return
    if lite is not None:
        from gpuedu.course.lite.site import build_site

        print(f"wrote the site into {lite}: {build_site(root, lite, pyodide)}")
        return
    if book is not None:
        from gpuedu.course.book.site import build_book

        print(f"wrote the book into {book}: {build_book(root, book, solutions=solutions)}")
        return
    if not check:
        build_syllabus(root)
        written = build(root)
        build_readme(root)
        print(f"built {len(written)} notebooks from {len(written) // 2} lessons")
        for exercise in record(root, exercise_ids()):
            print(f"computed what the wrong answers of {exercise} give")
        return
    differences = [(one.state, one.path) for one in compare(root)]
    differences += [("stale", path) for path in outdated(root, exercise_ids())]
    for state, path in differences:
        print(f"{state:8} {path}")
    if differences:
        raise GpueduError(
            f"{len(differences)} files do not match their sources",
            remedy="`gpuedu build`, then commit what it wrote",
        )
    print(f"all {2 * len(ready_lessons())} notebooks are current")


def lint() -> None:
    """Check the lessons' sources against the house rules."""
    from gpuedu.course.lint import lint

    root = course_root()
    faults = [fault for lesson in ready_lessons() for fault in lint(root, lesson)]
    for fault in faults:
        print(fault)
    if faults:
        raise GpueduError(f"{len(faults)} faults")
    print(f"{len(ready_lessons())} lessons, no fault")


def gallery(
    folder: Annotated[Path, typer.Argument(help="Where the page and its figures go.")],
    lessons: Annotated[
        list[str] | None, typer.Argument(help="Lessons by slug or number; all by default.")
    ] = None,
) -> None:
    """Write every figure of the lessons onto one page to look at; runs solved notebooks."""
    from gpuedu.course.gallery import write_gallery

    chosen = [find_lesson(name) for name in lessons or ()] or list(ready_lessons())
    print(f"wrote {write_gallery(course_root(), folder, chosen)} figures: {folder / 'index.html'}")


def key(
    lesson: Annotated[str, typer.Argument(help="A lesson by slug or number.")],
    out: Annotated[
        Path | None, typer.Option(help="The page; NN_lesson_key.html here by default.")
    ] = None,
) -> None:
    """Write a lesson's answer key: solutions, what is checked, hints, common mistakes."""
    from gpuedu.course.desk.key import write_key

    entry = find_lesson(lesson)
    print(f"wrote {write_key(course_root(), entry, out or Path(f'{entry.folder}_key.html'))}")


def slides(
    lesson: Annotated[str, typer.Argument(help="A lesson by slug or number.")],
    out: Annotated[
        Path | None, typer.Option(help="The page; NN_lesson_slides.html here by default.")
    ] = None,
) -> None:
    """Write slides to teach a lesson from, with votes on its predictions; runs its notebook."""
    from gpuedu.course.desk.slides import write_slides

    entry = find_lesson(lesson)
    path = out or Path(f"{entry.folder}_slides.html")
    print(f"wrote {write_slides(course_root(), entry, path)} slides: {path}")


def prove(
    ids: Annotated[
        list[str] | None, typer.Argument(help="Exercises or lessons; all by default.")
    ] = None,
    seeds: Annotated[
        int | None,
        typer.Option(help="Seeds that the solution must pass; 20, or 3 where it trains.", min=1),
    ] = None,
    repeats: Annotated[
        int,
        typer.Option(help="Seeds on which each stored answer is tried.", min=1),
    ] = 1,
    workers: Annotated[int, typer.Option(help="Processes; one per core by default.", min=0)] = 0,
    quick: Annotated[
        bool,
        typer.Option(
            "--quick", help="Play a wrong answer only until it loses its property; few seeds."
        ),
    ] = False,
    mutants: Annotated[
        bool,
        typer.Option(
            "--mutants",
            help="Try every single edit of right answers instead, with one seed.",
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Prove exercises: the solution passes, the stub and every known wrong answer fail."""
    from gpuedu.course.proof import prove_all

    workers = workers or os.cpu_count() or 1
    if mutants:
        _try_mutants(_selected(ids), workers, as_json)
        return
    proofs = prove_all(course_root(), _selected(ids), seeds, workers, repeats, quick=quick)
    ok = all(proof.ok for proof in proofs)
    if as_json:
        print_json({"ok": ok, "exercises": [proof.as_dict() for proof in proofs]})
    else:
        _print_proofs(proofs)
    if not ok:
        raise typer.Exit(1)


def _try_mutants(exercises: list[str], workers: int, as_json: bool) -> None:
    """Say which mutants of right answers earn all points, and are not explained."""
    from gpuedu.course.mutants import keep_record, try_all

    found = try_all(course_root(), exercises, workers)
    keep_record(course_root(), found)
    ok = all(one.ok for one in found)
    if as_json:
        print_json({"ok": ok, "exercises": [one.as_dict() for one in found]})
    else:
        _print_mutants(found)
    if not ok:
        raise typer.Exit(1)


def _print_mutants(found: list[Any]) -> None:
    for one in found:
        print(f"{one.exercise}: {one.tried} mutants, {len(one.survivors)} survive")
        for key in one.survivors:
            print(f"   {key}")
        for key in one.unneeded:
            print(f"   explained, but does not survive: {key}")


def _selected(ids: list[str] | None) -> list[str]:
    """Exercise ids from exercise ids and lesson slugs; UnknownNameError for neither."""
    if not ids:
        return list(exercise_ids())
    chosen: list[str] = []
    for name in ids:
        if name in exercise_ids():
            chosen.append(name)
        elif any(name in (entry.slug, entry.folder) for entry in ready_lessons()):
            chosen += find_lesson(name).exercises
        else:
            lesson_of(name)
    return list(dict.fromkeys(chosen))


def _print_proofs(proofs: list[Any]) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table("exercise", "lesson", "points", "solution", "stub", "wrong", "right", "")
    for proof in proofs:
        table.add_row(
            proof.id,
            proof.lesson,
            f"{proof.points:g}",
            f"{proof.solution:.0%}",
            f"{proof.stub:.0%}",
            f"{proof.wrong[1]} of {proof.wrong[0]} rejected",
            f"{proof.right[1]} of {proof.right[0]} accepted",
            "ok" if proof.ok else "FAILS",
        )
    console = Console(width=None if sys.stdout.isatty() else 110)
    console.print(table)
    for proof in proofs:
        for fault in proof.faults:
            console.print(f"{proof.id}: {fault}", markup=False)
