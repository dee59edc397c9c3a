"""nbgrader with verdicts from the sandbox: its commands, gradebook and pages stay as they are.

In ``nbgrader_config.py``, behind the course's own settings::

    from gpuedu.grading.nbgrader import configure
    configure(get_config())

``nbgrader autograde``, and the formgrader's button, then run nothing of what a learner wrote. They
take the verdict of ``gpuedu grade`` where there is one, else they have it made, and write it into
the check cells, where nbgrader finds points and feedback.
"""

from __future__ import annotations

import atexit
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from nbconvert.exporters.exporter import ResourcesDict
from nbconvert.preprocessors.sanitize import SanitizeHTML
from nbformat import NotebookNode, v4
from nbgrader.converters import Autograde
from nbgrader.preprocessors import Execute
from traitlets import Unicode

from gpuedu.grading.batch.jobs import Job
from gpuedu.grading.batch.ledger import Ledger
from gpuedu.grading.batch.secret import class_secret
from gpuedu.grading.batch.submissions import seed_for
from gpuedu.grading.batch.worker import Worker
from gpuedu.grading.feedback import feedback_card
from gpuedu.grading.judge.grading import released
from gpuedu.grading.sandbox.availability import require_sandbox
from gpuedu.grading.sandbox.limits import PlayingLimits
from gpuedu.grading.verdict import Task, read_verdict

_worker = Worker()
atexit.register(_worker.drop_zygote)


def configure(config: Any) -> None:
    """Have nbgrader take its grades from the sandbox."""
    config.Autograde.autograde_preprocessors = [
        JudgeInSandbox if entry is Execute else entry
        for entry in Autograde.autograde_preprocessors.default_args[0]
    ]


class JudgeInSandbox(Execute):
    """In place of nbgrader's Execute: no kernel is started, the verdict becomes the outputs."""

    verdicts = Unicode("verdicts", help="Folder of the verdicts, below the course's root.").tag(
        config=True
    )
    submitted = Unicode("submitted", help="nbgrader's folder of submissions.").tag(config=True)

    def preprocess(
        self, nb: NotebookNode, resources: ResourcesDict, km: Any = None
    ) -> tuple[NotebookNode, ResourcesDict]:
        """Write a submission's verdict into its check cells.

        Raises:
            SandboxError: there is none here, or a fault of ours stopped the grading: nbgrader
                leaves this submission ungraded, and goes on with the others.
        """
        told = resources["nbgrader"]
        verdict = self._verdict(told["student"], told["assignment"])
        by_id = {one["id"]: one for one in verdict["exercises"]}
        ours = {cell.id: cell.source for cell in released(told["assignment"]).cells}
        for cell in nb.cells:
            if cell.cell_type != "code" and cell.source != ours.get(cell.id):
                cell.source = without_scripts(cell.source)
            if cell.cell_type == "code" and cell.metadata.get("nbgrader", {}).get("grade"):
                name = cell.metadata.get("gpuedu", {}).get("exercise", "")
                cell.outputs = _outputs(by_id.get(name), verdict)
                cell.execution_count = None
        if verdict["repairs"]:
            nb.cells.insert(0, _note(verdict["repairs"]))
        return nb, resources

    def _verdict(self, learner: str, lesson: str) -> Mapping[str, Any]:
        require_sandbox()
        out = Path(self.verdicts).resolve()
        task = Task(
            learner,
            lesson,
            str(Path(self.submitted).resolve() / learner / lesson),
            seed_for(class_secret(out), learner),
        )
        ledger = Ledger(out, PlayingLimits())
        opened = ledger.open(task)
        done = ledger.keep(opened, _worker.judge(opened)) if isinstance(opened, Job) else opened
        return read_verdict(done.path)


def _outputs(exercise: Mapping[str, Any] | None, verdict: Mapping[str, Any]) -> list[NotebookNode]:
    """The card and the points, as ``check`` would have shown them."""
    if exercise is None:
        text = verdict["reason"] or "it is not among the exercises that were judged"
        data = {"text/plain": f"Not judged: {text}"}
        points = 0.0
    else:
        card = feedback_card(exercise)
        data = {"text/html": card._repr_html_(), "text/plain": str(card)}
        points = float(exercise["points"])
    shown = v4.new_output("display_data", data=data)
    result = v4.new_output("execute_result", data={"text/plain": str(points)}, execution_count=None)
    return [shown, result]


def without_scripts(text: str) -> str:
    """A learner's own text cell without anything that a browser would run.

    >>> without_scripts("*so* <script>steal()</script><b onclick='steal()'>it</b>")
    '*so* steal()<b>it</b>'
    """
    return _cleaner().sanitize_html_tags(text)


@cache
def _cleaner() -> SanitizeHTML:
    return SanitizeHTML(strip=True)


def _note(repairs: list[str]) -> NotebookNode:
    lines = "\n".join(f"- {line}" for line in repairs)
    cell = v4.new_markdown_cell(f"**Repaired before grading:**\n\n{lines}")
    cell.id = "repairs"
    return cell
