"""Single-edit mutants of CUDA C: the same slips as in Python, found in the parsed text.

An answer in CUDA C is a string in a cell, whose marks say which lines are the learner's; other
lines are given and stay. A text without a function, such as ``ElementwiseKernel`` takes, is parsed
as a function body.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from gpuedu.simt.cuda_c.nodes import Node
from gpuedu.simt.cuda_c.parser import root_of

_PART = re.compile(r"// ### BEGIN SOLUTION\n(.*?)// ### END SOLUTION", re.DOTALL)
_OPERATORS = {
    "<": "<=",
    "<=": "<",
    ">": ">=",
    ">=": ">",
    "==": "!=",
    "!=": "==",
    "+": "-",
    "-": "+",
    "*": "/",
    "/": "*",
    "%": "/",
    "<<": ">>",
    ">>": "<<",
    "&": "|",
    "|": "&",
    "^": "&",
    "&&": "||",
    "||": "&&",
    "+=": "-=",
    "-=": "+=",
    "*=": "/=",
    "/=": "*=",
    ">>=": "<<=",
    "<<=": ">>=",
    "|=": "&=",
    "&=": "|=",
    "^=": "|=",
}
_NOT_SYMMETRIC = ("-", "/", "%", "<<", ">>")
_WORDS = {
    "fmaxf": "fminf",
    "fminf": "fmaxf",
    "max": "min",
    "min": "max",
    "ceilf": "floorf",
    "floorf": "ceilf",
    "expf": "exp",
    "logf": "log",
    "tanhf": "tanh",
    "sqrtf": "sqrt",
    "powf": "pow",
    "__shfl_down_sync": "__shfl_up_sync",
    "__shfl_up_sync": "__shfl_down_sync",
}
_AXES = {"x": "y", "y": "x", "z": "x"}
_STATEMENTS = ("expression_statement", "if_statement", "for_statement", "while_statement")
_BODY = ("compound_statement", "for_statement", "if_statement", "while_statement", "else_clause")


def cuda_edits(text: str) -> Iterator[tuple[str, str, str]]:
    r"""Every edit of the learner's part: what it replaces, with what, and the whole edited text.

    >>> text = "// ### BEGIN SOLUTION\ny = x - 1;\n// ### END SOLUTION"
    >>> [f"{before} -> {after}" for before, after, _ in cuda_edits(text)]
    ['y = x - 1; -> nothing', 'x - 1 -> x + 1', 'x - 1 -> 1 - x', '1 -> 2', '1 -> 0']
    """
    raw = text.encode()
    parts = [
        (len(text[: m.start(1)].encode()), len(text[: m.end(1)].encode()))
        for m in _PART.finditer(text)
    ]
    begin = b"" if "__global__" in text or "__device__" in text else b"void f() {\n"
    root = root_of((begin + raw + (b"\n}" if begin else b"")).decode())
    for node in _below(root):
        first, last = (
            node.start_byte - len(begin),
            node.start_byte - len(begin) + len(_text(node).encode()),
        )
        if not any(low <= first and last <= high for low, high in parts):
            continue
        for new in _edits_of(node):
            told = _short(new) if new else "nothing"
            whole = raw[:first] + (new or ";").encode() + raw[last:]
            yield _short(_text(node)), told, whole.decode()


def _below(root: Node) -> Iterator[Node]:
    waiting = [root]
    while waiting:
        node = waiting.pop(0)
        yield node
        waiting.extend(node.named_children)


def _text(node: Node) -> str:
    return (node.text or b"").decode()


def _short(text: str) -> str:
    """The first line."""
    lines = text.split("\n")
    return lines[0] + (" ..." if len(lines) > 1 else "")


def _with(node: Node, child: Node, new: str) -> str:
    """The text of a node in which a child is another."""
    raw, first = (node.text or b""), child.start_byte - node.start_byte
    return (raw[:first] + new.encode() + raw[first + len(child.text or b"") :]).decode()


def _edits_of(node: Node) -> Iterator[str | None]:
    """What may be in a node's place; None for nothing."""
    edits = _EDITS.get(node.type)
    if edits is not None:
        yield from edits(node)
    if node.type in _STATEMENTS and node.parent is not None and node.parent.type in _BODY:
        yield None


def _of_operator(node: Node) -> Iterator[str]:
    left, right = (node.child_by_field_name(side) for side in ("left", "right"))
    sign = node.child_by_field_name("operator")
    if left is None or right is None or sign is None or _text(sign) not in _OPERATORS:
        return
    yield _with(node, sign, _OPERATORS[_text(sign)])
    if _text(sign) in _NOT_SYMMETRIC:
        yield f"{_text(right)} {_text(sign)} {_text(left)}"
    if _text(sign) in ("&&", "||"):
        yield from (_text(left), _text(right))


def _of_assignment(node: Node) -> Iterator[str]:
    sign = node.child_by_field_name("operator")
    if sign is not None and _text(sign) in _OPERATORS:
        yield _with(node, sign, _OPERATORS[_text(sign)])
        yield _with(node, sign, "=")


def _of_number(node: Node) -> Iterator[str]:
    """A whole number one more and one less; another twice, and as a double."""
    text = _text(node)
    if re.fullmatch(r"\d+", text):
        yield from (str(int(text) + 1), str(int(text) - 1))
    elif re.fullmatch(r"\d+\.\d*f?", text):
        value = float(text.removesuffix("f"))
        yield f"{2 * value if value else 1.0}" + ("f" if text.endswith("f") else "")
        if text.endswith("f"):
            yield text.removesuffix("f")


def _of_field(node: Node) -> Iterator[str]:
    field = node.child_by_field_name("field")
    if field is not None and _text(field) in _AXES:
        yield _with(node, field, _AXES[_text(field)])


def _of_choice(node: Node) -> Iterator[str]:
    """A condition that is always true, and one that never is."""
    condition = node.child_by_field_name("condition")
    if condition is not None:
        values = ("(1)", "(0)") if node.type == "if_statement" else ("1", "0")
        yield from (_with(node, condition, value) for value in values)


def _of_name(node: Node) -> Iterator[str]:
    if _text(node) in _WORDS:
        yield _WORDS[_text(node)]


def _of_type(node: Node) -> Iterator[str]:
    if _text(node) == "float":
        yield "double"


def _of_step(node: Node) -> Iterator[str]:
    """A loop that goes two at a time."""
    if "++" in _text(node):
        yield _text(node).replace("++", "") + " += 2"


def _of_subscript(node: Node) -> Iterator[str]:
    """The two indices of an array of arrays, swapped."""
    inner = node.child_by_field_name("argument")
    if inner is None or inner.type != "subscript_expression":
        return
    first, second = (_text(one)[len(_text(_array(one))) :] for one in (inner, node))
    yield f"{_text(_array(inner))}{second}{first}"


def _array(subscript: Node) -> Node:
    found = subscript.child_by_field_name("argument")
    assert found is not None
    return found


_EDITS: dict[str, Callable[[Node], Iterator[str]]] = {
    "binary_expression": _of_operator,
    "assignment_expression": _of_assignment,
    "number_literal": _of_number,
    "field_expression": _of_field,
    "if_statement": _of_choice,
    "conditional_expression": _of_choice,
    "identifier": _of_name,
    "primitive_type": _of_type,
    "update_expression": _of_step,
    "subscript_expression": _of_subscript,
}


def is_cuda_answer(value: object) -> bool:
    """Whether a text has lines that a learner writes."""
    return isinstance(value, str) and _PART.search(value) is not None
