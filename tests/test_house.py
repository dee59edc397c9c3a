"""The house: modules lie in layers inside every package, too."""

from __future__ import annotations

import ast
import graphlib
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
HANDED_OUT = ("exercises/capstone/*/reader/*.py", "exercises/capstone/*/writer/*.py")
"""Programs that learners get whole, as packages of their own: their imports are relative."""


def _module_files() -> dict[str, Path]:
    found = {}
    for path in sorted((ROOT / "gpuedu").rglob("*.py")):
        if any(path.match(one) for one in HANDED_OUT):
            continue
        parts = path.relative_to(ROOT).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def _nodes(tree: ast.AST) -> Iterator[ast.AST]:
    """All nodes but those of blocks for type checkers, which are never run."""
    if isinstance(tree, ast.If) and ast.unparse(tree.test) == "TYPE_CHECKING":
        return
    yield tree
    for child in ast.iter_child_nodes(tree):
        yield from _nodes(child)


def _imports(name: str, path: Path, modules: dict[str, Path]) -> set[str]:
    """The modules that one imports, also inside of its functions, and by a name written out."""
    found: set[str] = set()
    for node in _nodes(ast.parse(path.read_text("utf-8"))):
        match node:
            case ast.Import(names=names):
                found |= {alias.name for alias in names}
            case ast.ImportFrom(module=module, names=names, level=0):
                for alias in names:
                    inner = f"{module}.{alias.name}"
                    found.add(inner if inner in modules else str(module))
            case ast.ImportFrom():
                raise AssertionError(f"{path}: imports name their package in full")
            case ast.Call(
                func=ast.Name(id="import_module"), args=[ast.Constant(value=str(named)), *_]
            ):
                found.add(named)
    return {one for one in found if one in modules and one != name}


def test_no_modules_import_each_other_in_a_circle():
    modules = _module_files()
    graph = {name: _imports(name, path, modules) for name, path in modules.items()}
    assert sum(map(len, graph.values())) > 1000, "the imports were not found"
    try:
        graphlib.TopologicalSorter(graph).prepare()
    except graphlib.CycleError as fault:
        raise AssertionError(" imports ".join(reversed(fault.args[1]))) from None
