"""Answers that do nothing: an exercise's own cells with every function's body replaced."""

from __future__ import annotations

import ast

from gpuedu.course.proof import Bench

BODIES = {
    "nothing": "return None",
    "the first argument": "return {first}",
    "the second argument": "return {second}",
    "the last argument": "return {last}",
    "all arguments": "return ({arguments},)",
    "the first, twice": "return {first}, {first}",
    "its length": "return len({first})",
    "as many numbers": "return list(range(len({first})))",
    "its negative": "return -{first}",
    "its zeros": "return {first} * 0",
    "0": "return 0",
    "0.0": "return 0.0",
    "1": "return 1",
    "-1": "return -1",
    "0.5": "return 0.5",
    "1e-12": "return 1e-12",
    "10**12": "return 10**12",
    "10**400": "return 10**400",
    "i": "return 1j",
    "an object": "return object()",
    "no array": "import numpy; return numpy.zeros(0)",
    "an array of 1": "import numpy; return numpy.full(1, 1)",
    "NaN": "return float('nan')",
    "infinity": "return float('inf')",
    "a pair": "return 0, 0",
    "three": "return 0, 0, 0",
    "no list": "return []",
    "no lists": "return [], []",
    "no dict": "return {{}}",
    "no set": "return set()",
    "no text": "return ''",
    "no item": "yield from ()",
    "True": "return True",
    "False": "return False",
    "an error": "raise ValueError('no')",
}
"""By what comes of a call."""

_VALUES = {
    "nothing": "None",
    "1": "1",
    "-1": "-1",
    "no list": "[]",
    "no text": "''",
    "no dict": "{}",
    "True": "True",
    "False": "False",
}
_COMPILED = ("jit", "reduce", "fuse")


def idle_cells(bench: Bench, kind: str) -> list[str]:
    """The cells of an exercise in which functions give this, kernels do nothing, and values go.

    A class keeps its ``__init__``, and a dictionary its keys.
    """
    cells = []
    for cell in bench.source.cells_of(bench.id, "given", "answer"):
        if cell.role == "answer":
            tree = ast.fix_missing_locations(_Emptied(kind).visit(ast.parse(cell.text)))
            cells.append(ast.unparse(tree))
        else:
            cells.append(cell.text)
    return cells


class _Emptied(ast.NodeTransformer):
    def __init__(self, kind: str) -> None:
        self._body, self._value = BODIES[kind], _VALUES.get(kind, "0")

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        """A function that does nothing."""
        if node.name != "__init__":
            node.body = ast.parse(self._body_of(node)).body
        return node

    def _body_of(self, node: ast.FunctionDef) -> str:
        decorators = " ".join(map(ast.unparse, node.decorator_list))
        if any(one in decorators for one in _COMPILED):
            return "return 0" if "device" in decorators else "pass"
        given = (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)
        names = [one.arg for one in given if one.arg != "self"] or ["0"]
        return self._body.format(
            first=names[0],
            second=names[min(1, len(names) - 1)],
            last=names[-1],
            arguments=", ".join(names),
        )

    def visit_Assign(self, node: ast.Assign) -> ast.Assign:
        """A value that says nothing."""
        empty = ast.parse(self._value, mode="eval").body
        if isinstance(node.value, ast.Dict) and self._value not in ("None", "[]", "''", "{}"):
            node.value.values = [empty for _ in node.value.values]
        else:
            node.value = empty
        return node
