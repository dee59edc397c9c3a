"""The commands for a class: ``gpuedu grade`` and ``gpuedu report``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from gpuedu.course.checkout import course_root
from gpuedu.errors import GpueduError
from gpuedu.grading.texts import printable
from gpuedu.syllabus import lesson_in, lesson_of


def grade(
    submissions: Annotated[Path, typer.Argument(help="LEARNER/LESSON/..., as nbgrader has it.")],
    out: Annotated[Path, typer.Option(help="Folder of the verdicts.")],
    lesson: Annotated[
        list[str] | None, typer.Option(help="Folder of a lesson; all by default.")
    ] = None,
    workers: Annotated[
        int, typer.Option(min=0, help="Processes; one per core, memory allowing.")
    ] = 0,
    secret: Annotated[Path | None, typer.Option(help="File with the class's secret.")] = None,
    again: Annotated[bool, typer.Option(help="Also grade what already has a verdict.")] = False,
    sandbox: Annotated[
        bool,
        typer.Option(
            help="Turn it off only for code you trust, and not as root; every verdict says so."
        ),
    ] = True,
    regrade: Annotated[
        list[str] | None,
        typer.Option(
            metavar="EXERCISE", help="Judge only this exercise again, after it was fixed."
        ),
    ] = None,
    scheduler: Annotated[
        str, typer.Option(metavar="ADDRESS", help="Grade on the workers of a Dask scheduler.")
    ] = "",
) -> None:
    """Grade a class in a sandbox: a verdict for each submission, whatever is in it.

    What has a verdict is kept: run it again after a run was killed, or when more was handed in.
    """
    from gpuedu.grading.batch.running import grade_class
    from gpuedu.grading.batch.secret import class_secret
    from gpuedu.grading.batch.submissions import find_submissions, task_for
    from gpuedu.grading.batch.variants import variants_in
    from gpuedu.grading.sandbox.mounts import require_out_of_sight
    from gpuedu.grading.sandbox.users import require_ordinary_user
    from gpuedu.grading.verdict import State

    if not sandbox and not scheduler:  # a cluster's workers look at who they are themselves
        require_ordinary_user()
    if sandbox and secret is not None:
        require_out_of_sight([secret])
    for exercise in regrade or ():
        lesson_of(exercise)  # raises for one that there is not
    for name in lesson or ():
        lesson_in(name)
    found = find_submissions(submissions, "", lesson, tell=_warn)  # before anything is written
    words, chosen = class_secret(out, secret), variants_in(out)
    tasks = [task_for(one.learner, one.lesson, Path(one.path), words, chosen) for one in found]
    counts = grade_class(
        tasks,
        out,
        _print_graded,
        workers=workers,
        again=again,
        sandbox=sandbox,
        regrade=regrade or (),
        scheduler=scheduler,
        warn=_warn,
    )
    print(", ".join(f"{count} {state}" for state, count in sorted(counts.items())))
    if counts.get(State.FAILED_BY_GRADER):
        raise typer.Exit(1)  # what is not graded yet is not overlooked by whoever calls this


def variants(
    folder: Annotated[Path, typer.Argument(help="Folder to write the notebooks into.")],
    verdicts: Annotated[Path, typer.Option(help="Folder of the class's secret and verdicts.")],
    learner: Annotated[
        list[str] | None, typer.Option(help="One set per learner; without it, one for the class.")
    ] = None,
    lesson: Annotated[
        list[str] | None, typer.Option(help="Folder of a lesson; all by default.")
    ] = None,
    secret: Annotated[Path | None, typer.Option(help="File with the class's secret.")] = None,
) -> None:
    """Write notebooks to hand out whose numbers differ by class, or by learner."""
    from gpuedu.grading.batch.secret import class_secret
    from gpuedu.grading.handouts import write_handouts

    words = class_secret(verdicts, secret)
    written = write_handouts(folder, verdicts, words, learner or (), lesson)
    print(f"{len(written)} notebooks in {folder}; what is graded into {verdicts} is judged by them")


def report(
    places: Annotated[
        list[Path],
        typer.Argument(metavar="VERDICTS", help="Their folder; with --feedback, files or folders."),
    ],
    page: Annotated[Path | None, typer.Option(help="File to write one page of HTML to.")] = None,
    feedback: Annotated[
        bool, typer.Option("--feedback", help="Add up what learners sent with `gpuedu feedback`.")
    ] = False,
    leaderboard: Annotated[
        Path | None, typer.Option(help="CSV file for the capstone's reports that ask to be shown.")
    ] = None,
    moodle: Annotated[
        Path | None, typer.Option(help="Write points as a table for Moodle's gradebook.")
    ] = None,
    canvas: Annotated[
        Path | None, typer.Option(help="Write points as a table for Canvas's gradebook.")
    ] = None,
    worksheet: Annotated[
        Path | None,
        typer.Option(help="Fill in the grading worksheet of a Moodle assignment (--lesson)."),
    ] = None,
    lesson: Annotated[list[str] | None, typer.Option(help="Folder of a lesson; all.")] = None,
    misconceptions: Annotated[
        bool, typer.Option(help="Run the stored wrong answers, to name those that fail alike.")
    ] = True,
) -> None:
    """Say where a class is stuck: points, properties, answers that fail alike, near copies."""
    from gpuedu.grading.report.known import KnownAnswers
    from gpuedu.grading.report.page import as_table, render_page
    from gpuedu.grading.report.summary import summarize
    from gpuedu.grading.verdict import read_verdicts

    if feedback:
        _report_feedback(places, page)
        return
    verdicts, *more = places
    if more:
        raise GpueduError("a report is of one folder of verdicts", remedy=f"leave out {more[0]}")
    for name in lesson or ():
        lesson_in(name)
    found = [one for one in read_verdicts(verdicts) if not lesson or one["lesson"] in lesson]
    if not found:
        raise GpueduError(f"there is no verdict in {verdicts}", remedy="`gpuedu grade` makes them")
    known = KnownAnswers(course_root() if misconceptions else None)
    summaries = summarize(found, known.behaviors, known.given)
    for summary in summaries:
        graded = len(summary.learners) - len(summary.failed)
        print(f"\n{summary.lesson}: {len(summary.learners)} submissions, {graded} graded")
        _print_table(
            ("exercise", "mean", "of", "states", "commonest failure"), as_table(summary.exercises)
        )
        for learner, (state, reason) in summary.failed.items():
            print(printable(f"  {learner}: {state}: {reason}"))
    if page is not None:
        _write(page, render_page(summaries))
        print(f"\n{page}")
    if leaderboard is not None:
        from gpuedu.grading.report.leaderboard import as_csv, entries_of

        entries = entries_of(found)
        _write(leaderboard, as_csv(entries))
        print(f"\n{leaderboard}: {len(entries)} reports ask to be shown, and hold")
    _export(found, moodle, canvas, worksheet)


def _export(
    found: list[dict[str, Any]], moodle: Path | None, canvas: Path | None, worksheet: Path | None
) -> None:
    """Write the tables that learning platforms import."""
    from gpuedu.grading.report.platforms import (
        as_csv,
        canvas_table,
        filled_worksheet,
        moodle_table,
    )

    for path, table_of in ((moodle, moodle_table), (canvas, canvas_table)):
        if path is not None:
            _write(path, as_csv(table_of(found)))
            print(f"\n{path}: points to import")
    if worksheet is not None:
        lessons = sorted({one["lesson"] for one in found})
        if len(lessons) > 1:
            raise GpueduError(
                f"a worksheet is of one lesson, and there are {len(lessons)}",
                remedy=f"--lesson {lessons[0]}, for instance",
            )
        try:
            text = worksheet.read_text("utf-8")
        except (OSError, UnicodeDecodeError) as fault:
            raise GpueduError(f"cannot read {worksheet}: {fault}") from fault
        filled, count = filled_worksheet(text, found, lessons[0])
        _write(worksheet, filled)
        print(f"\n{worksheet}: {count} grades filled in")


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, "utf-8", "replace")
    except OSError as fault:
        raise GpueduError(f"cannot write {path}: {fault}") from fault


def _report_feedback(places: list[Path], page: Path | None) -> None:
    """Say what learners sent: by exercise, then in their words."""
    from gpuedu.grading.report.feedback import (
        as_rows,
        by_exercise,
        feedback_page,
        receive,
        remarks,
    )

    received = receive(places)
    for path, why in received.passed_over:
        _warn(f"passed over {path}: {why}")
    if not received.feedback:
        raise GpueduError("there is no feedback", remedy="learners write it by `gpuedu feedback`")
    count = len(received.feedback)
    print(f"{count} {'file' if count == 1 else 'files'}")
    head = ("exercise", "tried", "solved", "checks", "hints", "minutes", "lost by most")
    _print_table(head, as_rows(by_exercise(received.feedback)))
    for one in remarks(received.feedback):
        print(printable(f"{one.question} {one.text}{f' ({one.name})' if one.name else ''}"))
    if page is not None:
        _write(page, feedback_page(received))
        print(f"\n{page}")


def _warn(message: str) -> None:
    print(printable(message), file=sys.stderr, flush=True)


def _print_table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table(*head)
    for row in rows:
        table.add_row(*map(printable, row))
    Console().print(table)


def _print_graded(progress: Any) -> None:
    line = f"[{progress.done}/{progress.total}] {progress.task.learner} {progress.task.lesson}"
    is_judged = progress.state in ("graded", "regraded")
    points = f", {progress.points:g} points" if is_judged else ""
    fault = f": {progress.fault}" if progress.fault else ""
    line = f"{line}: {progress.state}{points} ({progress.seconds:.1f} s){fault}"
    print(printable(line), flush=True)
