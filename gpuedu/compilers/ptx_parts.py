"""The parts of a PTX text that one of its kernels needs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_FUNCTION = re.compile(
    r"^[ \t]*(?:\.(?:visible|weak)\s+)*\.(?P<kind>entry|func)\s*(?:\([^)]*\)\s*)?(?P<name>[\w$]+)",
    re.MULTILINE,
)
_SIGN = re.compile(r"//[^\n]*|[{};]")
_NAME = re.compile(r"[\w$]+")


@dataclass(frozen=True)
class _Function:
    """A kernel or function with its body, from ``start`` to ``end`` in the text."""

    name: str
    is_kernel: bool
    start: int
    end: int


def only_kernel(ptx: str, name: str) -> str:
    r"""The text without its other kernels and the functions that only they call.

    Variables and declarations stay.

    >>> only_kernel(".entry f() { ret; }\n.entry g() { ret; }", "g").strip()
    '.entry g() { ret; }'
    """
    functions = list(_functions(ptx))
    needed = _needed(ptx, functions, name)
    kept, at = [], 0
    for function in functions:
        if function.name not in needed:
            kept.append(ptx[at : function.start])
            at = function.end
    return "".join([*kept, ptx[at:]])


def _needed(ptx: str, functions: list[_Function], kernel: str) -> set[str]:
    """The kernel and the functions whose names its body has, or theirs."""
    bodies = {one.name: ptx[one.start : one.end] for one in functions}
    callable_names = {one.name for one in functions if not one.is_kernel}
    needed: set[str] = set()
    found = {kernel}
    while found:
        needed |= found
        named = (set(_NAME.findall(bodies.get(name, ""))) for name in found)
        found = (set().union(*named) & callable_names) - needed
    return needed


def _functions(ptx: str) -> Iterator[_Function]:
    """The kernels and functions that have bodies, in order."""
    at = 0
    while match := _FUNCTION.search(ptx, at):
        at = _end(ptx, match.end())
        if ptx[at - 1] == "}":
            yield _Function(match["name"], match["kind"] == "entry", match.start(), at)


def _end(ptx: str, start: int) -> int:
    """Where a declaration, or the body that opens after ``start``, ends."""
    depth = 0
    for sign in _SIGN.finditer(ptx, start):
        depth += {"{": 1, "}": -1}.get(sign[0], 0)
        if depth == 0 and sign[0] in (";", "}"):
            return sign.end()
    return len(ptx)
