"""The source of a launch as lines with their places; it is parsed where needed, never run."""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Iterator

from gpuedu.trace.records import BranchSite, Launch, Place, Source, Trace


def source_lines(source: Source) -> list[tuple[Place, str]]:
    """Lines of one function without their common indentation; no docstring."""
    text = textwrap.dedent(source.text)
    hidden = _docstring_lines(text)
    return [
        (Place(source.function, source.first_line + row), line.rstrip())
        for row, line in enumerate(text.splitlines())
        if row not in hidden
    ]


def line_texts(launch: Launch) -> dict[Place, str]:
    """The text of every line of the launch's sources, stripped."""
    return {
        Place(source.function, source.first_line + row): line.strip()
        for source in launch.sources
        for row, line in enumerate(source.text.splitlines())
    }


def two_sided_branches(trace: Trace) -> tuple[BranchSite, ...]:
    """Branches with code on both sides: ``if`` with ``else``, ``a if c else b``, ``case``.

    They are found by line and condition in the Python source; in a source that is not Python, such
    as CUDA C, none are known.
    """
    known = {at for source in trace.launch.sources for at in _two_sided(source)}
    return tuple(b for b in trace.branches if (b.place, _plain(b.text)) in known)


def _two_sided(source: Source) -> Iterator[tuple[Place, str]]:
    """Place and condition of each; the parts of ``a and b`` count as conditions of their own."""
    tree = _parse(textwrap.dedent(source.text))
    for node in ast.walk(tree) if tree else ():
        if (isinstance(node, ast.If) and node.orelse) or isinstance(node, ast.IfExp):
            for test in ast.walk(node.test):
                if isinstance(test, ast.expr):
                    place = Place(source.function, source.first_line + test.lineno - 1)
                    yield place, ast.unparse(test)
        elif isinstance(node, ast.match_case):
            place = Place(source.function, source.first_line + node.pattern.lineno - 1)
            yield place, ast.unparse(node.pattern)


def _plain(text: str) -> str:
    """A condition in one spelling, whatever its spaces and brackets."""
    try:
        return ast.unparse(ast.parse(text.strip(), mode="eval"))
    except SyntaxError:
        return text.strip()


def _docstring_lines(text: str) -> set[int]:
    tree = _parse(text)
    body = getattr(tree.body[0], "body", None) if tree and tree.body else None
    if not isinstance(body, list) or len(body) < 2:
        return set()
    first = body[0]
    is_text = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
    if not is_text or not isinstance(first.value.value, str):
        return set()
    return set(range(first.lineno - 1, first.end_lineno))


def _parse(text: str) -> ast.Module | None:
    """The syntax tree, never run; None where the text is no Python."""
    try:
        return ast.parse(text)
    except SyntaxError:
        return None
