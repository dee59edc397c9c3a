"""Which variable keeps the graphs of earlier steps alive, and at which line."""

from __future__ import annotations

import ast
import gc
import linecache
import sys
import weakref
from collections import Counter
from collections.abc import Iterator, Sequence
from types import FrameType
from typing import Any

from torch import Tensor

from gpuedu.profiling.records import Kept
from gpuedu.training.call_sites import CallSite, is_library

Scope = tuple[str, dict[str, Any]]
"""A file, and names of variables in it with their values."""
_MOST_OF_A_STEP = 8
_LEAST_STEPS = 3
_SHARE = 0.8
_ADDS = ("append", "extend", "add", "insert", "update", "setdefault", "appendleft")


def find_kept(
    graphed: Sequence[tuple[weakref.ref, int, CallSite]],
    carried: Sequence[tuple[CallSite, int]],
    steps: Sequence[int],
    names: Sequence[Scope],
) -> tuple[Kept, ...]:
    """What holds on to graphs of earlier steps: collections, and sums that keep growing.

    Args:
        graphed: results with a graph, with the step and the line that they come from.
        carried: lines that continue the graph of a step long past, with the step.
        steps: the counted steps.
        names: the script's variables.
    """
    return (*_carried(carried, steps), *_collected(graphed, steps, names))


def _carried(carried: Sequence[tuple[CallSite, int]], steps: Sequence[int]) -> Iterator[Kept]:
    by_place: dict[tuple[str, int], tuple[CallSite, set[int]]] = {}
    for site, step in carried:
        by_place.setdefault((site.file, site.line), (site, set()))[1].add(step)
    for site, found in by_place.values():
        # The first two steps cannot be told from a loss that is used once more.
        if len(found) >= max(_LEAST_STEPS, _SHARE * (len(steps) - 2)):
            yield Kept(site, _target(site), len(found) + 2, 0)


def _target(site: CallSite) -> str:
    """The name that a line assigns to.

    >>> _target(CallSite("a.py", 1, "", "total += loss", "")), _target(
    ...     CallSite("a.py", 1, "", "f(x)", ""))
    ('total', '')
    """
    try:
        node = ast.parse(site.text).body[0]
    except (SyntaxError, IndexError):
        return ""
    targets = getattr(node, "targets", None) or [getattr(node, "target", None)]
    return ast.unparse(targets[0]) if targets[0] is not None else ""


def _collected(
    graphed: Sequence[tuple[weakref.ref, int, CallSite]],
    steps: Sequence[int],
    names: Sequence[Scope],
) -> Iterator[Kept]:
    """Tensors of earlier steps that a list, a dict or another object still holds."""
    old = _some_of_each_step(
        [one for one in graphed if one[1] in steps[:-2] and one[0]() is not None]
    )
    holders: dict[int, tuple[Any, set[int], CallSite, int]] = {}
    for reference, step, site in old:
        tensor = reference()
        for holder in _holders(tensor) if isinstance(tensor, Tensor) else ():
            if isinstance(holder, list | dict | set) or hasattr(holder, "append"):
                _, found, _, size_bytes = holders.setdefault(id(holder), (holder, set(), site, 0))
                found.add(step)
                holders[id(holder)] = (holder, found, site, size_bytes + tensor.nbytes)
        del tensor
    for holder, found, site, size_bytes in holders.values():
        if len(found) >= max(_LEAST_STEPS, _SHARE * (len(steps) - 2)):
            name, file = _name_of(holder, names)
            line = _adding_line(file, name) if file else None
            yield Kept(line or site, name, len(found), size_bytes // len(found))


def _holders(tensor: Tensor) -> Iterator[Any]:
    """What refers to a tensor, also through a tuple such as ``(epoch, loss)``."""
    for one in gc.get_referrers(tensor):
        if type(one) is tuple:
            yield from gc.get_referrers(one)
        else:
            yield one


def _some_of_each_step(
    found: Sequence[tuple[weakref.ref, int, CallSite]],
) -> list[tuple[weakref.ref, int, CallSite]]:
    """A few of each step: to look for who refers to a tensor takes long."""
    counts: Counter[int] = Counter()
    some = []
    for one in found:
        counts[one[1]] += 1
        if counts[one[1]] <= _MOST_OF_A_STEP:
            some.append(one)
    return some


def _name_of(holder: Any, names: Sequence[Scope]) -> tuple[str, str]:
    """The variable or attribute that holds a collection, and the file where it is."""
    for file, variables in names:
        for name, value in variables.items():
            if value is holder:
                return name, file
            inner = getattr(value, "__dict__", None)
            for attribute, held in (inner or {}).items() if isinstance(inner, dict) else ():
                if held is holder:
                    return f"{name}.{attribute}", file
    return "", ""


def _adding_line(file: str, name: str) -> CallSite | None:
    """The first line of a file that puts something into the collection."""
    last = name.rpartition(".")[2]
    try:
        tree = ast.parse("".join(linecache.getlines(file)))
    except SyntaxError:
        return None
    for node in ast.walk(tree):
        if _adds(node, last):
            line = node.lineno  # type: ignore[attr-defined]
            text = linecache.getline(file, line).strip()
            return CallSite(file, line, "", text, "")
    return None


def _adds(node: ast.AST, name: str) -> bool:
    match node:
        case ast.Call(func=ast.Attribute(value=held, attr=attr)) if attr in _ADDS:
            return _ends_with(held, name)
        case ast.Assign(targets=[ast.Subscript(value=held)]):
            return _ends_with(held, name)
        case ast.AugAssign(target=held):
            return _ends_with(held, name)
    return False


def _ends_with(node: ast.AST, name: str) -> bool:
    match node:
        case ast.Name(id=found) | ast.Attribute(attr=found):
            return found == name
    return False


def scopes(names: dict[str, Any]) -> list[Scope]:
    """The variables of the script's running functions, from the innermost out, and others."""
    found: list[Scope] = [(str(names.get("__file__", "")), names)] if names else []
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if not is_library(frame):
            file = frame.f_code.co_filename
            found += [(file, dict(frame.f_locals)), (file, frame.f_globals)]
        frame = frame.f_back
    return found
