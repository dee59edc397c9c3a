"""What of a submission belongs to one exercise."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from nbformat import NotebookNode

from gpuedu.course.teacher import check_arguments
from gpuedu.course.workspace.matching import role


@dataclass(frozen=True)
class Cells:
    """The cells of one exercise.

    Attributes:
        sources: those to run, each a name and its source: imports, what is given, the answers.
        arguments: what the check cell hands over, as source text.
        imports: import statements of the lesson's own setup cells.
    """

    sources: tuple[tuple[str, str], ...]
    arguments: tuple[str, ...]
    imports: str = ""


def cells_of(notebook: NotebookNode, exercise: str) -> Cells:
    """The cells of an exercise in a rebuilt notebook, in their order."""
    sources, arguments, imports = [], (), []
    for cell in notebook.cells:
        mine = cell.metadata.get("gpuedu", {}).get("exercise") == exercise
        if role(cell) == "setup":
            imports.append(imports_of(cell.source))
            sources.append((cell.id, imports[-1]))
        elif mine and role(cell) in ("given", "answer"):
            sources.append((cell.id, cell.source))
        elif mine and role(cell) == "check":
            _, given = check_arguments(cell.source) or ("", [])
            arguments = tuple(ast.unparse(one) for one in given)
    return Cells(tuple(sources), arguments, "\n".join(imports))


def imports_of(setup: str) -> str:
    """A setup cell without the call that looks at the machine and opens the learner's progress."""
    body = ast.parse(setup).body
    kept = [node for node in body if isinstance(node, (ast.Import, ast.ImportFrom))]
    return "\n".join(ast.unparse(node) for node in kept)
