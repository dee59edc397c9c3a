"""nbgrader with verdicts from the sandbox: its commands, gradebook and pages stay as they are.

In ``nbgrader_local.py``::

    from gpuedu.grading.nbgrader import configure
    configure(get_config())

``nbgrader autograde``, and the formgrader's button, then run nothing that a learner wrote. They
take the verdict of ``gpuedu grade``, which they make if there is none, and write it into the check
cells, where nbgrader finds points and feedback. What was handed in is found and read as ``gpuedu
grade`` does it, so the notebook that is shown is the one that was judged.
"""

from __future__ import annotations

import atexit
import copy
import os
import stat
from collections.abc import Mapping, Sequence
from functools import cache
from glob import glob
from pathlib import Path
from shutil import rmtree
from typing import Any

import nbformat
from nbconvert.exporters import NotebookExporter
from nbconvert.exporters.exporter import ResourcesDict
from nbformat import NotebookNode, v4
from nbgrader.api import Gradebook, InvalidEntry
from nbgrader.converters import Autograde
from nbgrader.converters import base as converting
from nbgrader.coursedir import CourseDirectory
from nbgrader.preprocessors import Execute, NbGraderPreprocessor
from nbgrader.utils import find_all_files
from traitlets import Unicode

from gpuedu.course.rebuild import RebuildFromRelease
from gpuedu.course.workspace.matching import role
from gpuedu.grading.batch.jobs import Job
from gpuedu.grading.batch.ledger import Ledger
from gpuedu.grading.batch.secret import class_secret
from gpuedu.grading.batch.submissions import task_for
from gpuedu.grading.batch.variants import variants_in
from gpuedu.grading.batch.worker import Worker
from gpuedu.grading.feedback import feedback_card
from gpuedu.grading.literal import literal, shielded
from gpuedu.grading.reading.limits import ReadingLimits, SubmissionError
from gpuedu.grading.reading.released import origin, released
from gpuedu.grading.reading.submission import notebook_in
from gpuedu.grading.sandbox.limits import PlayingLimits
from gpuedu.grading.sandbox.mounts import require_out_of_sight
from gpuedu.grading.sandbox.sweeping import keep_swept
from gpuedu.grading.verdict import GradingTask, read_verdict
from gpuedu.syllabus import lesson_in, ready_lessons

_worker = Worker()
_ledger = cache(lambda out: Ledger(out, PlayingLimits()))
"""One a folder and command: each looks once at whose the verdicts are that lie there."""
atexit.register(_worker.drop_zygote)


def configure(config: Any) -> None:
    """Make nbgrader take its grades from the sandbox."""
    config.Autograde.autograde_preprocessors = [
        JudgeInSandbox if entry is Execute else entry
        for entry in Autograde.autograde_preprocessors.default_args[0]
    ]
    config.Autograde.sanitize_preprocessors = [
        RebuildFromVariant,
        *Autograde.sanitize_preprocessors.default_args[0],
    ]
    config.Autograde.exporter_class = ReadNowhereElse
    Autograde.init_notebooks = _init_notebooks
    Autograde.init_assignment = _init_assignment
    Autograde.init_destination = _init_destination
    Gradebook.update_or_create_student = _update_or_create_student


_update_alone = Gradebook.update_or_create_student


def _update_or_create_student(gradebook: Gradebook, student_id: str, **settings: Any) -> Any:
    """As nbgrader does it, also where another command enters the learner at the same time.

    Two `nbgrader autograde` of different lessons may both find a new learner missing. The database
    refuses the second entry, and that submission would stay ungraded; the learner is there then.
    """
    try:
        return _update_alone(gradebook, student_id, **settings)
    except InvalidEntry:
        return _update_alone(gradebook, student_id, **settings)


MOST_SHOWN = 200_000
"""Characters of a learner's own cells and texts on a page; HTML has several for each."""
_NOT_SHOWN = f"cells of the learner's own are shown up to {MOST_SHOWN:,} characters"

_find_alone = Autograde.init_notebooks
_begin_alone = Autograde.init_assignment
_is_due_alone = Autograde.init_destination


def _is_judged(settings: Mapping[str, Any]) -> bool:
    """Whether a notebook is that of a lesson, by what nbgrader tells of it."""
    return settings["notebook"] == settings["assignment"] and _is_lesson(settings["assignment"])


def _is_lesson(name: str) -> bool:
    return any(one.folder == name for one in ready_lessons())


def _init_notebooks(converter: Autograde) -> None:
    """Every folder that was handed in for a lesson has its notebook, under whichever name it is.

    nbgrader would pass over a folder in which no notebook has the lesson's name, and not grade what
    has a verdict. It would end at a learner's name with a line end in it, and grade nobody.
    """
    _ledger.cache_clear()  # the formgrader lives on, and other commands grade meanwhile
    course = converter.coursedir
    lesson = course.assignment_id
    pattern = converter._format_source(lesson, course.student_id)
    found = glob(pattern)  # noqa: PTH207  (it is absolute)
    named = [one for one in found if "\n" not in one]
    for one in set(found) - set(named):
        converter.log.warning("Skipped, because its name contains a line end: %r", one)
    if not named or course.notebook_id not in ("*", lesson) or not _is_lesson(lesson):
        _find_alone(converter)
        return
    converter.notebooks = []
    converter.assignments = {one: [str(Path(one, f"{lesson}.ipynb"))] for one in named}


def _init_assignment(converter: Autograde, assignment_id: str, student_id: str) -> None:
    """As nbgrader does it, without what is behind links: it would be copied, into feedback, too.

    Neither is anything copied of what is too large to be read.
    """
    converting.find_all_files = _regular_files
    try:
        _begin_alone(converter, assignment_id, student_id)
    finally:
        converting.find_all_files = find_all_files


def _init_destination(converter: Autograde, assignment_id: str, student_id: str) -> bool:
    """Whether a submission is to be graded: as nbgrader says, and if a run was killed over it.

    nbgrader writes the answers before it has the points of them, and takes what it finds for done.
    """
    excluded = (converter.coursedir.student_id_exclude or "").split(",")
    folder = Path(converter._format_dest(assignment_id, student_id))
    is_due = _is_due_alone(converter, assignment_id, student_id)
    if is_due or student_id in excluded or not _is_lesson(assignment_id):
        return is_due
    if _is_graded(folder / f"{assignment_id}.ipynb"):
        return False
    converter.log.warning("Grading again what was left unfinished: %s", folder)
    rmtree(folder)
    return True


def _is_graded(path: Path) -> bool:
    """Whether a notebook has its points in it: ``JudgeInSandbox`` gives each check an output."""
    try:
        cells = nbformat.read(path, as_version=4).cells
    except (OSError, ValueError, nbformat.ValidationError):
        return False
    checks = [one for one in cells if one.metadata.get("nbgrader", {}).get("grade")]
    return bool(checks) and all(one.get("outputs") for one in checks if one.cell_type == "code")


def _regular_files(folder: str, exclude: Sequence[str] | None = None) -> list[str]:
    if Path(folder).is_symlink():
        return []
    found = {one: Path(one).lstat() for one in find_all_files(folder, exclude)}
    kept = {one: told for one, told in found.items() if _is_whole(told)}
    limits = ReadingLimits()
    total_bytes = sum(told.st_size for told in kept.values())
    is_large = len(kept) > limits.files or total_bytes > limits.total_bytes
    return [] if is_large else list(kept)


def _is_whole(told: os.stat_result) -> bool:
    """Whether it is a file of this folder, and no other name of one elsewhere."""
    return stat.S_ISREG(told.st_mode) and told.st_nlink == 1


class ReadNowhereElse(NotebookExporter):
    """Leaves it to ``RebuildFromVariant`` to read what was handed in for a lesson.

    nbgrader reads it before anything else is done, without limits, follows links, and knows fewer
    forms of a notebook.
    """

    def from_filename(
        self, filename: str, resources: dict[str, Any] | None = None, **settings: Any
    ) -> tuple[str, ResourcesDict]:
        """Convert an empty notebook in place of a submitted one."""
        if self.parent._sanitizing and _is_judged((resources or {})["nbgrader"]):
            return self.from_notebook_node(v4.new_notebook(), resources, **settings)
        return super().from_filename(filename, resources, **settings)


class ClassVerdicts(NbGraderPreprocessor):
    """What knows the class: where its verdicts are, its secret, whose numbers it was given."""

    verdicts = Unicode("verdicts", help="Folder of the verdicts, below the course's root.").tag(
        config=True
    )
    secret = Unicode(
        "", help="File with the class's secret; by default it is beside the verdicts."
    ).tag(config=True)

    def _task(self, learner: str, lesson: str) -> GradingTask:
        root = Path.cwd()  # nbgrader converts in the course's root, wherever it was called
        course = CourseDirectory(parent=self, root=str(root))
        secret = class_secret(self._out(), root / self.secret if self.secret else None)
        submitted = Path(course.format_path(course.submitted_directory, learner, lesson))
        return task_for(learner, lesson, submitted, secret, variants_in(self._out()))

    def _out(self) -> Path:
        return Path(self.verdicts).resolve()


class RebuildFromVariant(RebuildFromRelease, ClassVerdicts):
    """As in the course, but from the notebook with the numbers that the learner was given."""

    def release_for(self, settings: Mapping[str, Any]) -> NotebookNode | None:
        """The notebook that this learner was handed out."""
        public = super().release_for(settings)
        task = self._task(settings["student"], settings["assignment"])
        if public is None or not task.variant:
            return public
        return copy.deepcopy(released(task.lesson, task.variant))

    def handed_in(self, nb: NotebookNode, settings: Mapping[str, Any]) -> NotebookNode:
        """The learner's notebook as the grader reads it; an empty one if it cannot be read."""
        if not _is_judged(settings):
            return super().handed_in(nb, settings)
        task = self._task(settings["student"], settings["assignment"])
        try:
            return notebook_in(Path(task.path), task.lesson)
        except SubmissionError:  # the verdict says why
            return v4.new_notebook()

    def base_of(self, mine: NotebookNode, settings: Mapping[str, Any]) -> NotebookNode | None:
        """The course's notebook with other numbers, if that is the one the learner answered."""
        found = origin(self._task(settings["student"], settings["assignment"]), mine)
        return found and found.notebook


class JudgeInSandbox(ClassVerdicts, Execute):
    """Replaces nbgrader's Execute: no kernel is started; the verdict becomes the outputs."""

    def preprocess(
        self, nb: NotebookNode, resources: ResourcesDict, km: Any = None
    ) -> tuple[NotebookNode, ResourcesDict]:
        """Write a submission's verdict into its check cells.

        Raises:
            GpueduError: the assignment is not a lesson; there is no sandbox here and no verdict
                yet; a fault of ours stopped the grading. nbgrader leaves this submission ungraded,
                and goes on with the others.
        """
        settings = resources["nbgrader"]
        lesson_in(settings["assignment"])
        task = self._task(settings["student"], settings["assignment"])
        verdict = self._verdict(task)
        by_id = {one["id"]: one for one in verdict["exercises"]}
        release = released(task.lesson, task.variant)
        ours = {cell.id: cell for cell in release.cells}
        nb.metadata = nbformat.from_dict(release.metadata)
        nb.cells, is_all = _shown(nb.cells, ours, verdict)
        for cell in nb.cells:
            if cell.cell_type == "code" and cell.metadata.get("nbgrader", {}).get("grade"):
                name = cell.metadata.get("gpuedu", {}).get("exercise", "")
                cell.outputs = _outputs(by_id.get(name), verdict)
                cell.execution_count = None
        told = [*verdict["repairs"], *([] if is_all else [_NOT_SHOWN])]
        if told:
            nb.cells.insert(0, _note(told))
        return nb, resources

    def _verdict(self, task: GradingTask) -> Mapping[str, Any]:
        ledger = _ledger(self._out())
        opened = ledger.open(task)
        if not isinstance(opened, Job):
            return read_verdict(opened.path)
        paths = [Path.cwd(), self._out(), Path(task.path), *map(Path, filter(None, [self.secret]))]
        require_out_of_sight(paths)
        keep_swept()
        return read_verdict(ledger.keep(opened, _worker.judge(opened)).path)


def _shown(
    cells: Sequence[NotebookNode], ours: Mapping[str, NotebookNode], verdict: Mapping[str, Any]
) -> tuple[list[NotebookNode], bool]:
    """The cells of a page, and whether all of the learner's own are among them."""
    shown, left = [], MOST_SHOWN
    for cell in cells:
        release = ours.get(cell.id)
        is_text = cell.cell_type != "code"
        if release is None or (is_text and cell.source != release.source):
            left -= len(cell.source)
            if left < 0:
                continue
        shown.append(_harmless(cell, release, verdict))
    return shown, left >= 0


def _harmless(
    cell: NotebookNode, release: NotebookNode | None, verdict: Mapping[str, Any]
) -> NotebookNode:
    """A cell without anything that a browser would act on; the course's own stay as they are."""
    if release is not None and cell.cell_type == release.cell_type:
        if cell.cell_type == "code":
            judged = verdict["answers"] if role(release) == "answer" else {}
            cell.source = judged.get(cell.id, release.source)
            cell.outputs = []
            return cell
        if cell.source == release.source:
            cell.pop("attachments", None)
            return cell
    if cell.cell_type == "code":
        return v4.new_code_cell(cell.source)
    return v4.new_markdown_cell(literal(cell.source))


def _outputs(exercise: Mapping[str, Any] | None, verdict: Mapping[str, Any]) -> list[NotebookNode]:
    """The card and the points, as ``check`` would have shown them."""
    if exercise is None:
        text = verdict["reason"] or "it is not among the exercises that were judged"
        data = {"text/plain": f"Not judged: {text}"}
        points = 0.0
    else:
        card = feedback_card(exercise)
        data = {"text/html": shielded(card._repr_html_()), "text/plain": str(card)}
        points = float(exercise["points"])
    shown = v4.new_output("display_data", data=data)
    result = v4.new_output("execute_result", data={"text/plain": str(points)}, execution_count=None)
    return [shown, result]


def _note(repairs: list[str]) -> NotebookNode:
    lines = literal("\n".join(f"- {line}" for line in repairs))
    cell = v4.new_markdown_cell(f"**Repaired before grading:**\n\n{lines}")
    cell.id = "repairs"
    return cell
