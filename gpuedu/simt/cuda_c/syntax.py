"""The syntax tree of a CUDA C source text, by tree-sitter, and how it is read."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from gpuedu.errors import KernelSourceError
from gpuedu.simt.cuda_c.nodes import Node
from gpuedu.simt.cuda_c.parentheses import original, plain
from gpuedu.simt.cuda_c.parser import root_of

_IGNORED = frozenset({"comment", "preproc_call"})


@lru_cache(maxsize=256)
def parse(text: str) -> Node:
    """The tree of a source text without directives; a declaration may hold what cannot be read.

    Raises:
        KernelSourceError: A place between declarations cannot be read as CUDA C.
        MissingPackageError: There is no parser here.
    """
    root = root_of(plain(text))
    if root.is_error or any(node.is_error or node.is_missing for node in root.children):
        raise fault_of(root, text)
    return root


def fault_of(root: Node, text: str) -> KernelSourceError:
    """The first place below a node that cannot be read."""
    bad = _first_error(root)
    line = bad.start_point.row + 1
    shown = text.splitlines()[line - 1] if line <= len(text.splitlines()) else ""
    if bad.is_missing:
        message = f"a `{bad.type}` is missing"
    else:
        found = " ".join(text_of(bad).split())[:40]
        message = f"`{found}` cannot be read here" if found else "this cannot be read"
    return KernelSourceError(
        message, function="the source", line=line, text=shown, remedy="write it in a simpler form"
    )


def _first_error(node: Node) -> Node:
    for child in node.children:
        if child.is_error or child.is_missing:
            return child
        if child.has_error:
            return _first_error(child)
    return node


def text_of(node: Node) -> str:
    """A node as it is written."""
    return original((node.text or b"").decode())


def short(node: Node) -> str:
    """A node on one line."""
    return " ".join(text_of(node).split())


def line_of(node: Node) -> int:
    """The line on which a node begins, from 1."""
    return node.start_point.row + 1


def parts(node: Node) -> list[Node]:
    """The named children that carry meaning."""
    return [child for child in node.named_children if child.type not in _IGNORED]


def field(node: Node, name: str) -> Node:
    """A child that the grammar demands."""
    found = node.child_by_field_name(name)
    assert found is not None, (node.type, name)
    return found


_WORDS = {"and": "&&", "or": "||", "not": "!", "not_eq": "!="}
_WORDS |= {"bitand": "&", "bitor": "|", "xor": "^", "compl": "~"}
_WORDS |= {"and_eq": "&=", "or_eq": "|=", "xor_eq": "^="}
"""Operators that C++ also writes as words."""


def operator_of(node: Node) -> str:
    """The operator of an expression: its field, or its first child that has no name."""
    found = node.child_by_field_name("operator")
    if found is None:
        found = next(child for child in node.children if not child.is_named)
    return _WORDS.get(text_of(found), text_of(found))


def walk(node: Node) -> Iterator[Node]:
    """The node and everything below it."""
    yield node
    for child in node.named_children:
        yield from walk(child)


def bare(node: Node) -> Node:
    """An expression without its parentheses."""
    while node.type in ("parenthesized_expression", "condition_clause") and len(parts(node)) == 1:
        node = parts(node)[0]
    return node


def within_namespaces(node: Node) -> Node:
    """``f<3>`` of ``a::b::f<3>``; any other node as it is."""
    inner = node
    while inner.type == "qualified_identifier":
        inner = field(inner, "name")
    return inner if inner.type == "template_function" else node


def uncast(node: Node) -> Node:
    """An expression without the casts of its pointer to another type."""
    node = bare(node)
    while True:
        if node.type == "cast_expression" and "*" in text_of(field(node, "type")):
            node = bare(field(node, "value"))
        elif node.type == "call_expression" and text_of(node).startswith(
            ("reinterpret_cast", "static_cast", "const_cast")
        ):
            node = bare(parts(field(node, "arguments"))[0])
        else:
            return node


def addressed(node: Node) -> Node | None:
    """The x of ``&x``, whatever the address is cast to; None of another expression."""
    node = uncast(node)
    if node.type != "pointer_expression" or operator_of(node) != "&":
        return None
    return bare(field(node, "argument"))


def copied_by(node: Node) -> list[Node]:
    """The target and the source of a ``memcpy``; nothing for another call."""
    callee = bare(field(node, "function"))
    is_copy = callee.type in ("identifier", "qualified_identifier")
    if not is_copy or text_of(callee) not in ("memcpy", "std::memcpy"):
        return []
    return parts(field(node, "arguments"))[:2]
