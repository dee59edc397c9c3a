"""On which objects a program sets attributes: its own, and a library's tensors and modules.

Many a library's object does what its attributes say by texts. ``functools.cached_property`` writes
under the name in its ``attrname``, and ``dataclasses`` reads under that in a field's ``name``; and
a method that is set on a library's class is in the place of what counts a program's costs.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable
from types import FunctionType, ModuleType
from typing import Any

from gpuedu.errors import AnswerError

MAY_SET = "__may_set__"


class GuardedSetting(ast.NodeTransformer):
    """Has each object looked at, just before one of its attributes is set or deleted."""

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        """An attribute: of ``x.a = 1`` it makes ``__may_set__(x).a = 1``."""
        self.generic_visit(node)
        if not isinstance(node.ctx, ast.Load):
            guard = ast.Name(MAY_SET, ast.Load())
            node.value = ast.Call(guard, [node.value], [])
        return node


class Setting:
    """Knows the classes that a program makes.

    Args:
        is_own: whether a module, or the scope of a function, is the program's.
    """

    def __init__(self, is_own: Callable[[Any], bool]) -> None:
        self._is_own, self._classes = is_own, set[type]()

    def build_class(self, *body: Any) -> type:
        """Make a class, as Python does, and remember it."""
        made = builtins.__build_class__(*body)
        self._classes.add(made)
        return made

    def may_set(self, thing: Any) -> Any:
        """The object itself; AnswerError if it is none of which a program sets attributes."""
        kind = thing if isinstance(thing, type) else type(thing)
        if not self._classes.isdisjoint(kind.__mro__) or self._is_settable(thing):
            return thing
        what = f"the class {kind.__name__}" if kind is thing else f"an object of {kind.__name__}"
        raise AnswerError(
            f"an attribute of {what} is set, which is a library's",
            remedy="Set attributes of your own classes and their objects, tensors and modules.",
        )

    def _is_settable(self, thing: Any) -> bool:
        import numpy as np
        import torch
        from torch.optim import Optimizer
        from torch.optim.lr_scheduler import LRScheduler

        if isinstance(thing, ModuleType):
            return self._is_own(thing)
        if isinstance(thing, FunctionType):
            return self._is_own(thing.__globals__)
        of_torch = torch.Tensor, torch.nn.Module, Optimizer, LRScheduler
        return isinstance(thing, (*of_torch, np.ndarray, type(np.zeros(0).flags)))
