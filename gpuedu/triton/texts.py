"""Kernels as texts: what one process sends, and another may run without running anything else."""

from __future__ import annotations

import ast
import hashlib
import inspect
import linecache
import textwrap
from typing import Any

from gpuedu.errors import GpueduError
from gpuedu.triton import language


def text_of(kernel: Any) -> str:
    """A kernel with all that it uses: functions that it calls first, and numbers by their names.

    Args:
        kernel: What ``triton.jit`` made of a function.

    Raises:
        GpueduError: it uses something else from outside.
    """
    functions: dict[str, str] = {}
    numbers: dict[str, Any] = {}
    _collect(_function_of(kernel), functions, numbers)
    lines = [f"{name} = {value}" for name, value in numbers.items()]
    return "\n".join([*lines, *reversed(functions.values())])


def _function_of(kernel: Any) -> Any:
    while not inspect.isfunction(kernel):
        kernel = kernel.fn
    return kernel


def _collect(function: Any, functions: dict[str, str], numbers: dict[str, Any]) -> None:
    """Enter a function, and what it refers to."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    (definition,) = tree.body
    assert isinstance(definition, ast.FunctionDef)
    definition.decorator_list = [ast.parse("triton.jit", mode="eval").body]
    functions[function.__name__] = ast.unparse(tree)
    used = {one.id for one in ast.walk(definition) if isinstance(one, ast.Name)}
    own = {one.arg for one in definition.args.args}
    for name in sorted(used - own):
        value = {**function.__globals__, **inspect.getclosurevars(function).nonlocals}.get(name)
        if hasattr(value, "fn") and name not in functions:
            _collect(_function_of(value), functions, numbers)
        elif type(value) in (int, float, bool):
            numbers[name] = value
        elif type(value).__name__ == "constexpr":
            numbers[name] = f"tl.constexpr({value.value!r})"


def kernel_of(text: str, name: str) -> Any:
    """The kernel of a text, after a look at all of it.

    Args:
        text: As ``text_of`` gives it; it may be anybody's.
        name: Of the kernel.

    Raises:
        LanguageError: it is not of Triton's language.
        GpueduError: it has no such kernel.
    """
    read = language.read(text)
    if name not in read.functions:
        raise GpueduError(f"the text has no kernel `{name}`", remedy=", ".join(read.functions))
    import triton
    import triton.language as tl
    from triton.language.extra import libdevice

    file = f"<kernel {hashlib.sha256(text.encode()).hexdigest()[:12]}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    names = {"triton": triton, "tl": tl, "libdevice": libdevice, "__name__": file}
    exec(compile(read.tree, file, "exec"), names)
    return names[name]
