"""From the teacher's notebook to the learner's, by nbgrader's own converter.

The same preprocessors run here and in ``nbgrader generate_assignment``; only the one that writes
into a gradebook is left out here.
"""

from __future__ import annotations

import ast
import json
import re
import textwrap

import nbformat
from nbconvert.exporters import NotebookExporter
from nbconvert.exporters.exporter import ResourcesDict
from nbformat import NotebookNode
from nbgrader.converters import GenerateAssignment
from nbgrader.preprocessors import ClearSolutions, SaveCells
from traitlets.config import Config

from gpuedu.course.teacher import BEGIN, END
from gpuedu.exercises.placeholder import C_MARKER, MARKER, WORDS


class ClearAnswers(ClearSolutions):
    """nbgrader's ClearSolutions, with a blank that says roughly how long the answer is.

    A prediction also loses its value: ``predict("saxpy", 12)`` becomes ``predict("saxpy", ...)``.
    """

    def _replace_solution_region(self, cell: NotebookNode, language: str) -> bool:
        if cell.cell_type != "code":
            return super()._replace_solution_region(cell, language)
        out: list[str] = []
        region: list[str] | None = None
        replaced = False
        for line in cell.source.split("\n"):
            if BEGIN in line:
                if region is not None:
                    raise RuntimeError("a solution begins inside another")
                region, indent, replaced = [], line[: len(line) - len(line.lstrip())], True
                marker = C_MARKER if line.lstrip().startswith("//") else MARKER
            elif END in line:
                if region is None:
                    raise RuntimeError("a solution ends that never began")
                out += [indent + stub for stub in blank_of(region, marker)]
                region = None
            elif region is not None:
                region.append(line)
            else:
                out.append(line)
        if region is not None:
            raise RuntimeError("a solution is never closed")
        cell.source = "\n".join(out)
        return replaced

    def preprocess_cell(
        self, cell: NotebookNode, resources: ResourcesDict, cell_index: int
    ) -> tuple[NotebookNode, ResourcesDict]:
        """Clear one cell."""
        if cell.metadata.get("gpuedu", {}).get("role") == "predict":
            cell.source = clear_predictions(cell.source)
        return super().preprocess_cell(cell, resources, cell_index)


def blank_of(region: list[str], marker: str = MARKER) -> list[str]:
    r"""The lines that replace a solution in a release.

    A dict of answers keeps its keys, so that the learner fills in values and nothing else. The
    ``marker`` is a comment of the language that the region is written in: a region in CUDA C begins
    with ``// ### BEGIN SOLUTION``.

    >>> blank_of(["total = 0", "", "# add up", "return total"])
    ['# YOUR CODE HERE (about 2 lines)', '...']
    >>> print("\n".join(blank_of(['c = {"a": (1, 2), "b": 3}'])))
    c = {
        # YOUR CODE HERE (2 entries)
        "a": (..., ...),
        "b": ...,
    }
    """
    table = _answer_table("\n".join(region))
    if table is not None:
        name, entries = table
        inside = [f"    {json.dumps(key)}: {value}," for key, value in entries]
        return [f"{name} = {{", f"    {MARKER} ({len(entries)} entries)", *inside, "}"]
    comment = marker.removesuffix(WORDS).strip()
    counted = [line for line in map(str.strip, region) if line and not _is_comment(line, comment)]
    count = len(counted)
    return [f"{marker} (about {count} {'line' if count == 1 else 'lines'})", "..."]


def _is_comment(line: str, comment: str) -> bool:
    """Whether a line is one; Slurm reads its options from lines that begin as comments do."""
    return line.startswith(comment) and not line.startswith("#SBATCH")


def _answer_table(region: str) -> tuple[str, list[tuple[str, str]]] | None:
    """Name, keys and blanked values of a region that only assigns a dict; None for any other."""
    try:
        body = ast.parse(textwrap.dedent(region)).body
    except SyntaxError:
        return None
    if len(body) != 1 or not isinstance(body[0], ast.Assign):
        return None
    (target, *more), value = body[0].targets, body[0].value
    if more or not isinstance(target, ast.Name) or not isinstance(value, ast.Dict):
        return None
    entries = []
    for key, item in zip(value.keys, value.values, strict=True):
        if not isinstance(key, ast.Constant):
            return None
        parts = len(item.elts) if isinstance(item, ast.Tuple) else 0
        entries.append((key.value, f"({', '.join(['...'] * parts)})" if parts else "..."))
    return target.id, entries


def clear_predictions(source: str) -> str:
    """Put ``...`` in place of the value in each ``predict`` call.

    >>> clear_predictions('predict("saxpy", 3 * 4)  # a whole number')
    'predict("saxpy", ...)  # a whole number'
    """
    spans = []
    for node in ast.walk(ast.parse(source)):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id == "predict"
            and len(node.args) == 2
        ):
            value = node.args[1]
            if value.lineno != value.end_lineno:
                raise RuntimeError("a prediction's value should be on one line")
            spans.append((value.lineno, value.col_offset, value.end_col_offset))
    lines = source.split("\n")
    for line, start, end in sorted(spans, reverse=True):
        raw = lines[line - 1].encode()
        lines[line - 1] = (raw[:start] + b"..." + raw[end:]).decode()
    return "\n".join(lines)


RELEASE_PREPROCESSORS = [
    ClearAnswers if entry is ClearSolutions else entry
    for entry in GenerateAssignment.preprocessors.default_args[0]
]


def release_text(teacher_text: str) -> str:
    """The learner's notebook as it is written to disk, from the teacher's."""
    exporter = NotebookExporter(config=Config({"Exporter": {"default_preprocessors": []}}))
    for preprocessor in RELEASE_PREPROCESSORS:
        if preprocessor is not SaveCells:
            exporter.register_preprocessor(preprocessor, enabled=True)
    notebook = nbformat.reads(teacher_text, as_version=4)
    text, _ = exporter.from_notebook_node(notebook, {"nbgrader": {}, "unique_key": "lesson"})
    return text


def blanks(source: str) -> int:
    """How many blanks an answer cell's release has."""
    return len(re.findall(rf"^\s*(#|//) {WORDS}", source, re.MULTILINE))
