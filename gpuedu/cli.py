"""The command line: what ``gpuedu --help`` lists."""

from __future__ import annotations

import io
import json
import os
import sys
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer

from gpuedu import __version__
from gpuedu.choosing.command import choose
from gpuedu.course.checkout import course_root
from gpuedu.errors import GpueduError
from gpuedu.grading.commands import grade, report, variants
from gpuedu.profiling.command import profile
from gpuedu.syllabus import exercise_ids, lesson_of, ready_lessons
from gpuedu.syllabus import lesson as find_lesson

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="A course on GPU computing whose exercises are checked by machine, with or without a GPU.",
)
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for a program to read.")]
WORKSPACE = Path("workspace")


def main() -> None:
    """Run a command; an error that a person can fix is one line and its remedy, exit status 1."""
    if isinstance(sys.stdout, io.TextIOWrapper):  # it may not have all letters of a name
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        app()
    except GpueduError as fault:
        _end(fault.message, fault.remedy)
    except ModuleNotFoundError as fault:
        if fault.name is None or fault.name.startswith("gpuedu"):
            raise
        package = fault.name.partition(".")[0]
        _end(
            f"this command needs the package {package}, which is not installed",
            "`make lab` in a clone of the course installs all that it needs",
        )


def _end(message: str, remedy: str) -> NoReturn:
    print(f"gpuedu: {message}", file=sys.stderr)
    if remedy:
        print(f"   try: {remedy}", file=sys.stderr)
    sys.exit(1)


def _tell_version(asked: bool) -> None:
    if asked:
        print(f"gpuedu {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_tell_version, is_eager=True, help="Print the release."),
    ] = False,
) -> None:
    """Options before a command."""


def _print_json(value: Any) -> None:
    print(json.dumps(value, indent=2, ensure_ascii=False))


@app.command()
def doctor(as_json: AsJson = False) -> None:
    """Say what this machine has, which lessons gain from a GPU, and what is missing."""
    from gpuedu.hardware.doctor import as_dict, as_table, examine

    diagnosis = examine()
    if as_json:
        _print_json(as_dict(diagnosis))
        return
    from rich.console import Console

    Console().print(as_table(diagnosis))


@app.command()
def start(
    folder: Annotated[Path, typer.Argument(help="Where the learner's copies go.")] = WORKSPACE,
) -> None:
    """Lay out the learner's workspace; what is there already stays as it is."""
    from gpuedu.course.workspace.folder import format_report, start

    print(format_report(start(folder)))


@app.command()
def update(
    folder: Annotated[Path, typer.Argument(help="The workspace to update.")] = WORKSPACE,
) -> None:
    """Bring a newer release into the workspace and keep every answer."""
    from gpuedu.course.workspace.folder import format_report, update

    print(format_report(update(folder)))


@app.command()
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


@app.command()
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


@app.command()
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


@app.command()
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


@app.command()
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


@app.command()
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
        _print_json({"ok": ok, "exercises": [proof.as_dict() for proof in proofs]})
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
        _print_json({"ok": ok, "exercises": [one.as_dict() for one in found]})
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


@app.command()
def progress(
    as_json: AsJson = False,
    save_to: Annotated[
        Path | None, typer.Option("--export", help="Write the progress to a file.")
    ] = None,
    load_from: Annotated[
        Path | None, typer.Option("--import", help="Add the progress that a file holds.")
    ] = None,
) -> None:
    """Show what is solved; carry progress out of a session that will be lost, and into another."""
    from gpuedu.exercises.progress import format_summary, open_store

    store = open_store(tell=lambda message: print(message, file=sys.stderr))
    if load_from is not None:
        store.import_json(_read(load_from))
    if save_to is not None:
        _write(save_to, store.export_json())
    summary = store.summary()
    if as_json:
        _print_json(summary.as_dict())
    else:
        print(format_summary(summary))


@app.command()
def feedback(
    out: Annotated[Path | None, typer.Option(help="The file; without it, only show it.")] = None,
    unclear: Annotated[str, typer.Option(help="Say what was unclear.")] = "",
    helped: Annotated[str, typer.Option(help="Say what helped.")] = "",
    wrong: Annotated[str, typer.Option(help="Say what is wrong, or doesn't work.")] = "",
    name: Annotated[str, typer.Option(help="Your name, if it is to be in it.")] = "",
) -> None:
    """Write what you may send to a teacher: counts and your words; no code, nothing of you."""
    from gpuedu.exercises.progress import open_store
    from gpuedu.exercises.progress.feedback import QUESTIONS, collect, require_ours, to_json

    said = {"unclear": unclear, "helped": helped, "wrong": wrong}
    if out is not None:
        require_ours(out)
    if not any(said.values()) and sys.stdin.isatty():
        said = {key: input(f"{question} (Enter to skip) ") for key, question in QUESTIONS.items()}
    store = open_store(tell=lambda message: print(message, file=sys.stderr))
    content = to_json(collect(store, said, name))
    print(f"This is all of it:\n{content}", end="")
    if out is None:
        print("Nothing is written. `--out feedback.json` writes it to a file, which you may send.")
        return
    _write(out, content)
    print(f"Written to {out}. Nothing is sent unless you send it.")


@app.command()
def plan(
    goal: Annotated[
        str | None, typer.Option(metavar="SLUG", help="Of a way, or of the lesson to get to.")
    ] = None,
    hours: Annotated[float | None, typer.Option(min=0, help="How much time there is.")] = None,
    know: Annotated[
        list[str] | None,
        typer.Option(metavar="LESSON", help="You know it, and all it needs; may be repeated."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Say which lessons to take, for a goal or the hours you have; without options, the ways."""
    from gpuedu.course.plan import make_plan
    from gpuedu.course.plan_text import plan_text, ways_text
    from gpuedu.syllabus import ways

    if goal is None and hours is None and not know:
        listed = [make_plan(one.slug) for one in ways()]
        _print_json([one.as_dict() for one in listed]) if as_json else print(ways_text(ways()))
        return
    made = make_plan(goal, hours, know or ())
    _print_json(made.as_dict()) if as_json else print(plan_text(made))


@app.command()
def record(
    out: Annotated[
        Path | None, typer.Option("--out", help="Folder for the records; your own by default.")
    ] = None,
    time_s: Annotated[
        float | None, typer.Option("--time-s", help="Seconds for all of it; 540 by default.")
    ] = None,
    only: Annotated[
        list[str] | None, typer.Option("--only", help="Only this series; may be repeated.")
    ] = None,
    fresh: Annotated[
        bool,
        typer.Option("--fresh", help="Measure again what is already there with the same versions."),
    ] = False,
    caps: Annotated[
        bool, typer.Option("--caps", help="Also under lower power limits: changes a GPU's setting.")
    ] = False,
    names: Annotated[bool, typer.Option("--list", help="List the series.")] = False,
) -> None:
    """Measure on this machine's GPU, and keep the records, which the figures show."""
    from gpuedu.recording.command import main as record

    arguments = ["--out", str(out)] if out is not None else []
    arguments += ["--time-s", str(time_s)] if time_s is not None else []
    arguments += [part for name in only or () for part in ("--only", name)]
    flags = {"--fresh": fresh, "--caps": caps, "--list": names}
    arguments += [flag for flag, is_on in flags.items() if is_on]
    raise typer.Exit(record(arguments))


app.command()(choose)
app.command()(profile)
app.command()(grade)
app.command()(report)
app.command()(variants)


def _read(path: Path) -> str:
    try:
        return path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as fault:
        raise GpueduError(f"cannot read {path}: {fault}") from fault


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, "utf-8")
    except OSError as fault:
        raise GpueduError(f"cannot write {path}: {fault}") from fault
