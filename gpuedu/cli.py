"""The command line: what ``gpuedu --help`` lists."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import Annotated, NoReturn

import typer

from gpuedu import __version__
from gpuedu.choosing.command import choose
from gpuedu.course.commands import AsJson, build, gallery, key, lint, print_json, prove, slides
from gpuedu.errors import GpueduError
from gpuedu.grading.commands import grade, report, variants
from gpuedu.profiling.command import profile

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="A course on GPU computing whose exercises are checked by machine, with or without a GPU.",
)
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


@app.command()
def doctor(as_json: AsJson = False) -> None:
    """Say what this machine has, which lessons gain from a GPU, and what is missing."""
    from gpuedu.hardware.doctor import as_dict, as_table, examine

    diagnosis = examine()
    if as_json:
        print_json(as_dict(diagnosis))
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


for _command in (build, lint, gallery, key, slides, prove):
    app.command()(_command)


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
        print_json(summary.as_dict())
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
        print_json([one.as_dict() for one in listed]) if as_json else print(ways_text(ways()))
        return
    made = make_plan(goal, hours, know or ())
    print_json(made.as_dict()) if as_json else print(plan_text(made))


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
