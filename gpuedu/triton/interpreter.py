"""Kernels as Triton's own interpreter runs them, with a builder that has hooks."""

from __future__ import annotations

import ast
import copy
import inspect
import types
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np
import triton.language as tl
from triton.language import standard
from triton.language.extra import libdevice as stubs
from triton.language.extra.cuda import libdevice as of_cuda
from triton.runtime import interpreter as its
from triton.runtime.jit import JITFunction

from gpuedu.interrupts import unbroken
from gpuedu.trace import Source
from gpuedu.triton.builder import Hooks, hook, watched_apply
from gpuedu.triton.texts import TREE

_LIBDEVICE = [name for name in vars(stubs) if hasattr(of_cuda, name) and name[0] != "_"]
_PLACES = (tl, standard, tl.core, tl.math)
_OF_THE_LANGUAGE = types.FunctionType((lambda: None).__code__, {"tl": tl, "core": tl.core})
"""Triton looks at a function's names for what it should patch; this one has all of them."""


_OF_TRITON: dict[Any, Any] = {}
"""Functions of Triton itself, rewritten: they are the same in every launch."""


class Kernel:
    """A kernel as Triton's interpreter runs it, which leaves the caller's names unchanged.

    Args:
        kernel: what ``triton.jit`` made, or ``autotune`` and ``heuristics`` of that.
    """

    def __init__(self, kernel: Any) -> None:
        self.function = _python_of(kernel)
        self.sources = [_source_of(self.function)]
        self._made: dict[Any, Any] = {}
        self.run = self._interpreted(self.function)
        self.signature = inspect.signature(self.function)
        annotations = inspect.get_annotations(self.function)
        self.constants = [name for name, one in annotations.items() if "constexpr" in str(one)]

    def _interpreted(self, function: Any) -> Callable[..., Any]:
        """The function, rewritten by Triton; functions that it calls become like it."""
        known = _OF_TRITON if _is_triton(function) else self._made
        if function in known:
            return known[function]
        names, tree = dict(function.__globals__), _tree_of(function)
        own = types.FunctionType(
            function.__code__,
            names,
            function.__name__,
            function.__defaults__,
            function.__closure__,
        )
        own.__module__, own.__qualname__ = function.__module__, function.__qualname__
        own.__annotations__, own.__kwdefaults__ = (
            function.__annotations__,
            function.__kwdefaults__,
        )
        made = known[function] = _rewritten(own, tree)
        used = {one.id for one in ast.walk(tree) if isinstance(one, ast.Name)}
        for name in used & names.keys():
            if getattr(names[name], "__module__", "") == stubs.__name__:
                made.__globals__[name] = _of_libdevice(names[name].__name__)
            if _is_device_function(names[name]):
                inner = _python_of(names[name])
                made.__globals__[name] = self._interpreted(inner)
                if not _is_triton(inner):
                    self.sources.append(_source_of(inner))
        return made

    @contextmanager
    @unbroken  # half of a patch could never be taken back
    def running(self, hooks: Hooks, grid: tuple[int, int, int]) -> Iterator[Callable[..., None]]:
        """Triton's language means the interpreter inside; yields what sets a program's number."""
        builder = its.interpreter_builder
        scope = its._patch_lang(_OF_THE_LANGUAGE)
        for module in _PLACES:
            for name, value in list(vars(module).items()):
                if _is_device_function(value):
                    scope.set_attr(module, name, self._interpreted(_python_of(value)))
        for name, value in list(vars(tl.tensor).items()):  # `block.max(axis=0)`
            if _is_device_function(value):
                scope.set_attr(tl.tensor, name, self._interpreted(_python_of(value)))
        for name in _LIBDEVICE:
            scope.set_attr(stubs, name, _of_libdevice(name))
        scope.set_attr(its.ReduceScanOpInterface, "apply", watched_apply(hooks))
        unhook = hook(builder, hooks)
        builder.set_grid_dim(*grid)
        try:
            yield builder.set_grid_idx
        finally:
            unhook()
            scope.restore()

    def convert(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Arguments as the interpreter wants them; constants stay what they are."""
        return {
            name: value if name in self.constants else _as_argument(value)
            for name, value in arguments.items()
        }


def _as_argument(value: Any) -> Any:
    """A float is one of 32 bits, as for a GPU; Triton's interpreter would leave it Python's."""
    if isinstance(value, tuple):
        return its._tuple_create(value, map(_as_argument, value))
    if isinstance(value, float):
        return tl.tensor(its.TensorHandle(np.array([value], np.float32), tl.float32), tl.float32)
    return its._implicit_cvt(value)


def _of_libdevice(name: str) -> Callable[..., Any]:
    """A function of libdevice for CUDA, which asks the builder for the result."""
    return partial(getattr(of_cuda, name), _semantic=its.interpreter_semantic)


def _python_of(kernel: Any) -> Any:
    while not inspect.isfunction(kernel):
        kernel = kernel.fn
    return kernel


def _is_device_function(value: Any) -> bool:
    return isinstance(value, JITFunction | its.InterpretedFunction)


def _is_triton(function: Any) -> bool:
    return function.__module__.partition(".")[0] == "triton"


def _tree_of(function: Any) -> ast.FunctionDef:
    """A function as Python reads it, without its decorators, on the lines that it has.

    One that was looked at brings the tree that was looked at, in ``TREE``: where a function
    begins and ends in a text is a guess of `inspect`'s, which a string or a line break misleads.
    """
    if hasattr(function, TREE):
        return copy.deepcopy(getattr(function, TREE))
    lines, first = inspect.getsourcelines(function)
    tree = ast.parse(inspect.cleandoc("\n" + "".join(lines)))
    ast.increment_lineno(tree, first - 1)
    node = tree.body[0]
    assert isinstance(node, ast.FunctionDef)
    node.decorator_list = []
    return node


def _rewritten(function: Any, tree: ast.FunctionDef) -> Any:
    """What Triton makes of a function, from its tree: it would itself look for the text again."""
    rewriter = its.FunctionRewriter(function)
    rewriter.filename = function.__code__.co_filename
    module = rewriter.ast_transformer.visit(ast.Module([copy.deepcopy(tree)], []))
    return rewriter._compile_and_exec(ast.fix_missing_locations(module))


def _source_of(function: Any) -> Source:
    lines, first = inspect.getsourcelines(function)
    return Source(function.__name__, function.__code__.co_filename, first, "".join(lines))
