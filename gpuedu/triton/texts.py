"""Kernels as texts, which one process sends and another executes, and nothing else from it."""

from __future__ import annotations

import ast
import copy
import hashlib
import inspect
import io
import linecache
from collections.abc import Iterator, Mapping
from typing import Any

from gpuedu.errors import AnswerError, GpueduError
from gpuedu.triton import language

_MOST_NESTED = 20
_LONGEST = 1_000_000
"""Characters of a cell."""
_NUMBERS = (bool, int, float)
_OWN = "<cell "
TREE = "gpuedu_tree"
"""The attribute of a rebuilt function that holds the syntax tree that was checked and will run."""


def told(kernel: Any) -> dict[str, Any]:
    """A kernel as plain values: the text of its cell, the numbers and kernels that it uses.

    Args:
        kernel: What ``triton.jit`` made of a function.

    Raises:
        GpueduError: kernels are nested too deeply.
    """
    return _told(_function_of(kernel), 0)


def _told(function: Any, depth: int) -> dict[str, Any]:
    if depth > _MOST_NESTED:
        raise GpueduError(f"`{function.__name__}` and what it calls are nested too deeply")
    code = function.__code__
    numbers: dict[str, Any] = {}
    calls: dict[str, Any] = {}
    around = {**function.__globals__, **inspect.getclosurevars(function).nonlocals}
    for name in sorted({*code.co_names, *code.co_freevars} & around.keys()):
        value = around[name]
        if inspect.isfunction(getattr(value, "fn", None)):
            calls[name] = _told(value.fn, depth + 1)
        elif type(value) in _NUMBERS:
            numbers[name] = value
        elif type(value).__name__ == "constexpr" and type(value.value) in _NUMBERS:
            numbers[name] = value.value
    return {
        "file": code.co_filename,
        "text": "".join(linecache.getlines(code.co_filename)),
        "name": code.co_name,
        "line": code.co_firstlineno,
        "numbers": numbers,
        "calls": calls,
    }


def _function_of(kernel: Any) -> Any:
    while not inspect.isfunction(kernel):
        kernel = kernel.fn
    return kernel


def rebuilt(given: Any) -> Any:
    """The kernel that was sent, after checking all of it; ``given`` may come from anybody.

    Raises:
        AnswerError: it does not have the form of one.
        LanguageError: it is not Triton's language.
    """
    return _rebuilt(given, 0)


def _rebuilt(given: Any, depth: int) -> Any:
    if depth > _MOST_NESTED:
        raise AnswerError("kernels are nested too deeply")
    file, text, name = (_field(given, one, str) for one in ("file", "text", "name"))
    numbers, calls = _field(given, "numbers", dict), _field(given, "calls", dict)
    if not all(type(one) is str for one in (*numbers, *calls)):
        raise _unknown_form()
    if not all(type(one) in _NUMBERS for one in numbers.values()):
        raise _unknown_form()
    function = _found(text, name, _field(given, "line", int))
    language.check(function, [*numbers, *calls])
    inner = {one: _rebuilt(told, depth + 1) for one, told in calls.items()}
    return _made(function, own_name(file, text), text, {**numbers, **inner})


def _made(function: ast.FunctionDef, file: str, text: str, known: Mapping[str, Any]) -> Any:
    import triton
    import triton.language as tl
    from triton.language.extra import libdevice

    lines = list(io.StringIO(text, newline=None))  # as Python counts them; `splitlines` has more
    linecache.cache[file] = (len(text), None, lines, file)
    function.decorator_list = []
    names = {"triton": triton, "tl": tl, "libdevice": libdevice, "__name__": file}
    names |= {
        one: value if callable(value) else tl.constexpr(value) for one, value in known.items()
    }
    exec(compile(ast.Module([function], []), file, "exec"), names)
    made = names[function.name]
    setattr(made, TREE, function)
    # An argument that is 1 is a number like others: the compiler would make it a constant.
    numbers = [one.arg for one in function.args.args if one.annotation is None]
    kernel = triton.jit(made, do_not_specialize=numbers)
    kernel.parse = lambda: _counted_from_its_own(function)
    return kernel


def _counted_from_its_own(function: ast.FunctionDef) -> ast.Module:
    """A copy of a function's tree whose lines are counted from its own first one."""
    own = copy.deepcopy(function)
    return ast.Module([ast.increment_lineno(own, 1 - function.lineno)], [])


def _found(text: str, name: str, line: int) -> ast.FunctionDef:
    """The function of a cell; the cell itself is not run."""
    if len(text) > _LONGEST:
        raise AnswerError("a kernel's cell is too long")
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as fault:
        raise AnswerError(f"a kernel's source cannot be read: {fault}") from None
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name == name:
            first = min([node.lineno, *(one.lineno for one in node.decorator_list)])
            if line in (node.lineno, first):
                return node
    raise AnswerError(f"the source of `{name}` is not in its cell", remedy="define it with `def`")


def own_name(file: str, text: str) -> str:
    """A name for a learner's source that no file has, whatever file it claims to be."""
    digest = hashlib.sha256(f"{file}\0{text}".encode("utf-8", "replace")).hexdigest()
    return f"{_OWN}{digest[:12]}>"


def is_own_name(file: str) -> bool:
    """Whether a source has a name from ``own_name``: it is a learner's, not Triton's."""
    return file.startswith(_OWN)


def trees(kernel: Any) -> Iterator[ast.FunctionDef]:
    """A kernel that was rebuilt, and what it calls, as Python reads them; nothing of any other."""
    function = _function_of(kernel)
    if hasattr(function, TREE):
        yield getattr(function, TREE)
        for value in function.__globals__.values():
            if inspect.isfunction(getattr(value, "fn", None)):
                yield from trees(value)


def _field(given: Any, name: str, kind: type) -> Any:
    found = given.get(name) if type(given) is dict else None
    if type(found) is not kind:
        raise _unknown_form()
    return found


def _unknown_form() -> AnswerError:
    return AnswerError("a kernel arrived in an unknown form")
