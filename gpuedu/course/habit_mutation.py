"""Mutants of a function as a whole: of what it does besides its result.

One returns the first call's result from every call, as a value kept between calls would; one
changes its arguments. Each is the function as it is, with lines below that replace it.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from functools import wraps
from typing import Any


def first_result_again(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that computes once."""
    results: list[Any] = []

    @wraps(function)
    def again(*arguments: Any, **named: Any) -> Any:
        if not results:
            results.append(function(*arguments, **named))
        return results[0]

    return again


def changing_its_arguments(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that changes every list, dictionary and array among its arguments.

    If it is called with none of these, it raises TypeError: there is no such mutant.
    """

    @wraps(function)
    def changing(*arguments: Any, **named: Any) -> Any:
        result = function(*arguments, **named)
        changed = [_is_changed(one) for one in (*arguments, *named.values())]
        if not any(changed):
            raise TypeError("no argument can be changed")
        return result

    return changing


def _is_changed(value: Any) -> bool:
    """Change a value, if that can be."""
    if isinstance(value, list):
        value.append(None)
    elif isinstance(value, dict):
        value["changed"] = None
    elif getattr(value, "ndim", None) is not None and hasattr(value, "__setitem__"):
        array = value.detach() if hasattr(value, "detach") else value
        array[...] = array == 0
    else:
        return False
    return True


def habits_of(function: ast.FunctionDef) -> Iterator[tuple[str, str, list[ast.stmt]]]:
    """What is replaced, by what, and the statements that do it; only for a plain function."""
    if function.decorator_list or not function.args.args:
        return
    edits = {
        ("result", "the first call's"): first_result_again,
        ("arguments", "changed"): changing_its_arguments,
    }
    for (before, after), habit in edits.items():
        line = f"from {habit.__module__} import {habit.__name__}\n"
        line += f"{function.name} = {habit.__name__}({function.name})"
        yield before, after, ast.parse(line).body
