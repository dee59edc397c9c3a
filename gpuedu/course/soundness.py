"""What must be true of a released notebook before it may exist: generation fails closed.

Each fault is a LessonSourceError that points at the cell in the lesson's source.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from nbformat import NotebookNode

from gpuedu.course.release import blanks
from gpuedu.course.source import LessonSource, SourceCell
from gpuedu.course.teacher import BEGIN, END

_TELLING_NODES = 9
"""A statement with at least this many syntax nodes is an answer, not an everyday line."""


def require_sound(source: LessonSource, teacher: NotebookNode, release: NotebookNode) -> None:
    """Raise for the first thing that is wrong with the release."""
    _require_same_cells(source, teacher, release)
    _require_blanks(source, release)
    _require_clean(source, release)
    _require_no_leak(source, release)
    _require_names(source, release)


def _require_same_cells(source: LessonSource, teacher: NotebookNode, release: NotebookNode) -> None:
    ours, theirs = ([cell.id for cell in notebook.cells] for notebook in (teacher, release))
    if ours != theirs:
        raise source.fault(f"the release has other cells: {sorted(set(ours) ^ set(theirs))}")


def _pairs(
    source: LessonSource, release: NotebookNode
) -> Iterator[tuple[SourceCell, NotebookNode]]:
    yield from zip(source.cells, release.cells, strict=True)


def _require_blanks(source: LessonSource, release: NotebookNode) -> None:
    """Each region became one blank, and nothing else did."""
    for cell, released in _pairs(source, release):
        regions = cell.text.count(BEGIN)
        if regions and cell.role != "answer":
            raise source.fault(f"a solution region in a cell with role {cell.role!r}", cell)
        if blanks(released.source) != regions:
            raise source.fault(
                f"{regions} solution regions but {blanks(released.source)} blanks", cell
            )


def _require_clean(source: LessonSource, release: NotebookNode) -> None:
    """No marks of a solution, no outputs."""
    for cell, released in _pairs(source, release):
        if BEGIN in released.source or END in released.source:
            raise source.fault("the mark of a solution is left in the release", cell)
        if released.get("outputs") or released.get("execution_count"):
            raise source.fault("an output is left in the release", cell)


def _require_no_leak(source: LessonSource, release: NotebookNode) -> None:
    """No statement of a solution stands in the released code, and none is quoted in a text."""
    shown = {
        ast.dump(node)
        for _, released in _pairs(source, release)
        if released.cell_type == "code"
        for node in ast.walk(_parse(source, released.source))
        if isinstance(node, (ast.stmt, ast.expr))
    }
    texts = "\n".join(c.source for c in release.cells if c.cell_type == "markdown")
    for cell in source.cells:
        for statement in _solution_statements(source, cell):
            text = ast.unparse(statement)
            if ast.dump(_core(statement)) in shown or text in texts:
                raise source.fault(
                    f"the answer `{text.splitlines()[0]}` can be read elsewhere in the release",
                    cell,
                    "take it out of the text or of the given code",
                )


def _core(statement: ast.stmt) -> ast.AST:
    """What tells the answer: the value that is returned or assigned, else the statement."""
    value = getattr(statement, "value", None)
    return value if isinstance(value, ast.expr) else statement


def _solution_statements(source: LessonSource, cell: SourceCell) -> Iterator[ast.stmt]:
    """Statements of a solution that are long enough to be recognized."""
    begins, ends = [], []
    for number, line in enumerate(cell.text.splitlines(), 1):
        begins += [number] if BEGIN in line else []
        ends += [number] if END in line else []
    spans = list(zip(begins, ends, strict=True))
    for node in ast.walk(_parse(source, cell.text, cell)) if spans else ():
        if (
            isinstance(node, ast.stmt)
            and any(first < node.lineno < last for first, last in spans)
            and sum(1 for _ in ast.walk(_core(node))) >= _TELLING_NODES
        ):
            yield node


def _parse(source: LessonSource, text: str, cell: SourceCell | None = None) -> ast.Module:
    try:
        return ast.parse(text)
    except SyntaxError as fault:
        line = (cell.line if cell else 1) + (fault.lineno or 0)
        raise source.fault(
            f"line {line}: {fault.msg} (magics are not used in lessons)", cell
        ) from fault


def _require_names(source: LessonSource, release: NotebookNode) -> None:
    """No cell of the release uses a name that nothing in it defines.

    The cells are read as one program, top to bottom, and the setup cell's names count everywhere.
    """
    from pyflakes import checker, messages

    code, owners = [], []
    for cell, released in _pairs(source, release):
        if released.cell_type == "code":
            lines = released.source.splitlines() or [""]
            code += lines
            owners += [cell] * len(lines)
    found = checker.Checker(_parse(source, "\n".join(code)), filename=str(source.path))
    for message in found.messages:
        if isinstance(message, (messages.UndefinedName, messages.UndefinedLocal)):
            raise source.fault(
                f"the release uses {message.message_args[0]!r}, which only a solution defines",
                owners[message.lineno - 1],
                "define it in given code, or use it inside the solution only",
            )
