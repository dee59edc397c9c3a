"""Single-edit mutants of an answer: what a slip of one operator, number, name or line makes of it.

The edits are those that learners make: a boundary, an index off by one, swapped operands or axes, a
minimum for a maximum, a missing guard or statement, another dtype, a copy that is not one. Python's
own ``ast`` finds the places, since a mutation library's operators do not know barriers, axes or
dtypes. In a string of CUDA C ``cuda_mutation`` edits what the learner writes, and in any other text
``text_mutation``.
"""

from __future__ import annotations

import ast
import copy
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from gpuedu.course.cuda_mutation import cuda_edits, is_cuda_answer
from gpuedu.course.habit_mutation import habits_of
from gpuedu.course.text_mutation import is_text_answer, text_edits

_COMPARED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
_COMPUTED: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Div,
    ast.Mod: ast.FloorDiv,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.BitXor: ast.BitAnd,
    ast.Pow: ast.Mult,
}
_NOT_SYMMETRIC = (ast.Sub, ast.Div, ast.FloorDiv, ast.Mod, ast.LShift, ast.RShift, ast.Pow)
_NAMES = {
    "min": "max",
    "max": "min",
    "minimum": "maximum",
    "maximum": "minimum",
    "ceil": "floor",
    "floor": "ceil",
    "any": "all",
    "all": "any",
    "x": "y",
    "y": "x",
    "float32": "float64",
    "float64": "float32",
    "int32": "int64",
    "int64": "int32",
    "zeros": "empty",
    "argmin": "argmax",
    "argmax": "argmin",
    "sum": "mean",
    "mean": "sum",
}
_EXTENTS = {"blockDim": (32, 128, 256), "gridDim": (1, 2, 4)}
"""What somebody may write in place of an extent of the launch, whatever the launch is."""
_SYMMETRIC = {"min", "max", "minimum", "maximum", "fmin", "fmax", "add", "isclose", "print", "gcd"}
_DROPPED_CALLS = {"copy", "detach", "clone", "contiguous", "float", "double", "cpu", "item"}


@dataclass(frozen=True)
class Mutant:
    """One edit: ``key`` says which, and stays the same when other lines change."""

    key: str
    cells: tuple[str, ...]


def unchanged(cells: Sequence[str]) -> Mutant:
    """The unchanged answer, written the way its mutants are."""
    return Mutant("", tuple(ast.unparse(ast.parse(text)) for text in cells))


def mutants_of(cells: Sequence[str]) -> Iterator[Mutant]:
    r"""Every single-edit mutant of an answer's cells, each in the cells as a whole.

    >>> [one.key for one in mutants_of(["def half(n):\n    return n // 2\n"])]
    ['half: n // 2 -> n / 2', 'half: n // 2 -> 2 // n', 'half: 2 -> 3', 'half: 2 -> 1',
     "half: result -> the first call's", 'half: arguments -> changed']
    """
    seen: Counter[str] = Counter()
    for place, text in enumerate(cells):
        tree = ast.parse(text)
        for owner in tree.body:
            if not isinstance(owner, (ast.FunctionDef, ast.ClassDef, ast.Assign)):
                continue
            name = getattr(owner, "name", "") or ast.unparse(owner.targets[0])  # type: ignore[union-attr]
            for before, after, changed in _changed(owner):
                key = f"{name}: {before} -> {after}"
                seen[key] += 1
                if seen[key] > 1:
                    key += f" ({seen[key]})"
                at = tree.body.index(owner)
                body = [*tree.body[:at], *changed, *tree.body[at + 1 :]]
                whole = ast.unparse(ast.Module(body, []))
                yield Mutant(key, (*cells[:place], whole, *cells[place + 1 :]))


def _changed(owner: ast.stmt) -> Iterator[tuple[str, str, list[ast.stmt]]]:
    """What is replaced, by what, and the statements in place of this one."""
    for before, after, whole in _edited(owner):
        yield before, after, [whole]
    if isinstance(owner, ast.Assign) and isinstance(owner.value, ast.Dict):
        yield from ((before, after, [whole]) for before, after, whole in _other_texts(owner))
    if isinstance(owner, ast.FunctionDef):
        for before, after, below in habits_of(owner):
            yield before, after, [owner, *below]


def _edited(owner: ast.stmt) -> Iterator[tuple[str, str, ast.stmt]]:
    """What an edit replaces, by what, and the whole with it."""
    for index, (parent, field, position) in enumerate(_walk(owner)):
        value = getattr(parent, field)
        node = value if position is None else value[position]
        is_followed = field == "body" and position is not None and position + 1 < len(value)
        for before, after, new in _told_edits(node, field, is_followed):
            whole = copy.deepcopy(owner)
            _put(whole, index, copy.deepcopy(new))
            ast.fix_missing_locations(whole)
            yield before, after, whole


def _other_texts(table: ast.Assign) -> Iterator[tuple[str, str, ast.stmt]]:
    """Each text that is an entry of a table, with the next of the others in place of it."""
    found = [node.value for node in _entries(table)]
    texts = sorted(set(found))
    for place, text in enumerate(found if len(texts) > 1 else ()):
        whole = copy.deepcopy(table)
        other = texts[(texts.index(text) + 1) % len(texts)]
        _entries(whole)[place].value = other
        yield repr(text), repr(other), whole


def _entries(table: ast.Assign) -> list[ast.Constant]:
    """The texts in the values of a dict."""
    return [
        node
        for value in getattr(table.value, "values", [])
        for node in ast.walk(value)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]


def _told_edits(
    node: ast.AST, field: str, is_followed: bool
) -> Iterator[tuple[str, str, ast.AST | None]]:
    """What an edit replaces, by what, and the node in place of the whole node."""
    if isinstance(node, ast.Constant) and is_cuda_answer(node.value):
        for before, after, text in cuda_edits(str(node.value)):
            yield before, after, ast.Constant(text)
        return
    if isinstance(node, ast.Constant) and is_text_answer(node.value):
        for before, after, text in text_edits(str(node.value)):
            yield before, after, ast.Constant(text)
        return
    for new in _edits_of(node, field):
        if new is None or ast.dump(new) != ast.dump(node):
            yield _short(node), _short(new) if new is not None else "nothing", new
    if isinstance(node, ast.If) and is_followed and not node.orelse:
        others_leave = ast.If(ast.UnaryOp(ast.Not(), node.test), [ast.Return()], node.body)
        yield _short(node), "return for all others", others_leave


def _is_fixed(node: ast.AST, field: str) -> bool:
    """True for what no learner wrote: a decorator, a function's parameters."""
    return field in ("decorator_list", "ctx", "returns", "annotation") or (
        isinstance(node, ast.FunctionDef) and field == "args"
    )


def _walk(owner: ast.AST) -> Iterator[tuple[ast.AST, str, int | None]]:
    """Every node below: its parent, the field it is in, and where in a list it is."""
    waiting = [owner]
    while waiting:
        node = waiting.pop(0)
        for field, value in ast.iter_fields(node):
            if _is_fixed(node, field):
                continue
            items = value if isinstance(value, list) else [value]
            for position, item in enumerate(items):
                if isinstance(item, ast.AST):
                    waiting.append(item)
                    yield node, field, position if isinstance(value, list) else None


def _put(owner: ast.AST, index: int, new: ast.AST | None) -> None:
    """Put a node where another is; None takes a statement out, and leaves ``pass`` at least."""
    parent, field, position = list(_walk(owner))[index]
    if position is None:
        setattr(parent, field, new)
    elif new is None:
        statements = getattr(parent, field)
        del statements[position]
        if not statements and field == "body":
            statements.append(ast.Pass())
    else:
        getattr(parent, field)[position] = new


def _short(node: ast.AST) -> str:
    """The first line of a node."""
    text = ast.unparse(ast.fix_missing_locations(copy.deepcopy(node))).split("\n")
    return text[0] + (" ..." if len(text) > 1 else "")


def _edits_of(node: ast.AST, field: str) -> Iterator[ast.AST | None]:
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        swapped = copy.deepcopy(node)
        swapped.ops = [_COMPARED[type(node.ops[0])]()]
        yield swapped
    elif isinstance(node, ast.BinOp):
        yield from _of_operator(node)
    elif isinstance(node, ast.AugAssign):
        changed = copy.deepcopy(node)
        changed.op = _COMPUTED.get(type(node.op), ast.Sub)()
        yield changed
        yield ast.Assign([node.target], node.value)
    elif isinstance(node, ast.Constant):
        yield from _of_constant(node, field)
    elif isinstance(node, ast.BoolOp):
        other = copy.deepcopy(node)
        other.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        yield other
        for place in range(len(node.values)):
            kept = [one for k, one in enumerate(node.values) if k != place]
            yield kept[0] if len(kept) == 1 else ast.BoolOp(node.op, kept)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.Not, ast.USub)):
        yield node.operand
    elif isinstance(node, (ast.Name, ast.Attribute)):
        name = node.id if isinstance(node, ast.Name) else node.attr
        if name in _NAMES and not (isinstance(node, ast.Name) and name in "xy"):
            renamed = copy.deepcopy(node)
            setattr(renamed, "id" if isinstance(node, ast.Name) else "attr", _NAMES[name])
            yield renamed
    elif isinstance(node, ast.Call):
        yield from _of_call(node)
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Attribute):
        yield from (ast.Constant(size) for size in _EXTENTS.get(node.value.attr, ()))
    if isinstance(node, (ast.If, ast.IfExp)):
        for value in (True, False):
            fixed = copy.deepcopy(node)
            fixed.test = ast.Constant(value)
            yield fixed
    if field in ("body", "orelse") and _is_droppable(node):
        yield None


def _is_droppable(node: ast.AST) -> bool:
    """True for a statement that can be missing without a name missing; a docstring is none."""
    if isinstance(node, ast.Expr):
        return not isinstance(node.value, ast.Constant)
    if isinstance(node, ast.Assign):
        return not isinstance(node.targets[0], (ast.Name, ast.Tuple))
    return isinstance(node, (ast.AugAssign, ast.If, ast.For, ast.Continue, ast.Break))


def _of_operator(node: ast.BinOp) -> Iterator[ast.AST]:
    changed = copy.deepcopy(node)
    changed.op = _COMPUTED.get(type(node.op), ast.Sub)()
    yield changed
    if isinstance(node.op, _NOT_SYMMETRIC):
        yield ast.BinOp(node.right, node.op, node.left)


def _of_constant(node: ast.Constant, field: str) -> Iterator[ast.AST]:
    if isinstance(node.value, bool):
        yield ast.Constant(not node.value)
    elif isinstance(node.value, int):
        yield ast.Constant(node.value + 1)
        yield ast.Constant(node.value - 1)
    elif isinstance(node.value, float):
        yield ast.Constant(node.value * 2 if node.value else 1.0)


def _of_call(node: ast.Call) -> Iterator[ast.AST]:
    if isinstance(node.func, ast.Attribute) and node.func.attr in _DROPPED_CALLS and not node.args:
        yield node.func.value
    name = getattr(node.func, "attr", getattr(node.func, "id", ""))
    if len(node.args) > 1 and name not in _SYMMETRIC:
        swapped = copy.deepcopy(node)
        swapped.args[:2] = reversed(node.args[:2])
        yield swapped
    if isinstance(node.func, ast.Name) and node.func.id == "range":
        last = 0 if len(node.args) == 1 else 1
        for step in (ast.Add(), ast.Sub()):
            longer = copy.deepcopy(node)
            longer.args[last] = ast.BinOp(longer.args[last], step, ast.Constant(1))
            yield longer
    if isinstance(node.func, ast.Name) and node.func.id in ("abs", "sorted", "reversed", "round"):
        yield node.args[0]
