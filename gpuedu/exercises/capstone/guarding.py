"""What a program does with attributes of objects: each is looked at when it runs.

It sets those of its own, of tensors and of modules. Many a library's object does what its
attributes say by texts: ``functools.cached_property`` writes under the name in its ``attrname``,
and ``dataclasses`` reads under that in a field's ``name``; and a method that is set on a library's
class is in the place of what counts a program's costs.

And it takes a library's function from no class: it would call it on objects that it isn't for.
"""

from __future__ import annotations

import ast
import builtins
import inspect
import itertools
from collections.abc import Callable, Iterator
from types import CodeType, FrameType, FunctionType, ModuleType, TracebackType
from typing import Any

from gpuedu.errors import AnswerError
from gpuedu.exercises.capstone.plain_names import PARTS

_SET = frozenset({"forward", "grad", "requires_grad", "training"})
"""What a program sets of tensors and modules, though they have it already."""
MAY_SET, MAY_GET = "__may_set__", "__may_get__"


class GuardedAttributes(ast.NodeTransformer):
    """Has each object looked at, just before one of its attributes is used."""

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        """An attribute: of ``x.a = 1`` it makes ``__may_set__(x, "a").a = 1``."""
        self.generic_visit(node)
        name = MAY_GET if isinstance(node.ctx, ast.Load) else MAY_SET
        given = [node.value, ast.Constant(node.attr)]
        node.value = ast.Call(ast.Name(name, ast.Load()), given, [])
        return node


class Guard:
    """Knows the classes that a program makes.

    Args:
        is_own: whether a module, or the scope of a function, is the program's.
    """

    def __init__(self, is_own: Callable[[Any], bool]) -> None:
        self._is_own, self._classes = is_own, set[type]()

    def build_class(self, *body: Any) -> type:
        """Make a class, as Python does, and remember it.

        Raises:
            AnswerError: it extends a class that a program doesn't: some call a method by themselves
                when nobody has their object any more.
        """
        made = builtins.__build_class__(*body)
        self._classes.add(made)
        for one in made.__mro__:
            if one not in self._classes and not _is_extended(one):
                raise AnswerError(
                    f"the class {made.__name__} extends {one.__name__}",
                    remedy="Extend modules, optimizers and exceptions, or nothing.",
                )
        # Asked first: so NumPy never runs a method of the program's while it goes through a list.
        made.__array__ = _refuse_array
        if hasattr(made, "__getitem__") and not hasattr(made, "__iter__"):
            made.__iter__ = _iterate  # Python's own way may be entered twice, and then fails
        return made

    def may_get(self, thing: Any, name: str) -> Any:
        """The object itself; AnswerError if it is a class, and has a library's function so.

        What ``super`` shows of a class, and not of its object, it has in the same way. And nothing
        is taken from frames, code and modules of a library, by whatever way a program has them.
        """
        is_module = isinstance(thing, ModuleType) and thing.__name__ not in PARTS
        if (is_module and not self._is_own(thing)) or isinstance(
            thing, (FrameType, CodeType, TracebackType)
        ):
            raise AnswerError(f"`{name}` is taken from a {type(thing).__name__}")
        if isinstance(thing, super) and isinstance(thing.__self__, (type, type(None))):
            raise AnswerError(
                f"`{name}` is taken from a class by `super`",
                remedy="Use `super()` in methods of objects.",
            )
        if isinstance(thing, type):
            found = inspect.getattr_static(thing, name, None)
            if isinstance(found, FunctionType) and not self._is_own(found.__globals__):
                raise AnswerError(
                    f"`{name}` is taken from the class {thing.__name__}",
                    remedy=f"Call it on an object: `x.{name}(...)`; or `super().{name}(...)`.",
                )
        return thing

    def may_set(self, thing: Any, name: str) -> Any:
        """The object itself; AnswerError if it is none of which a program sets this attribute."""
        kind = thing if isinstance(thing, type) else type(thing)
        if not self._classes.isdisjoint(kind.__mro__):
            return thing
        if self._is_settable(thing):
            if name in _SET or not hasattr(kind, name):
                return thing
            raise AnswerError(f"`{name}` of a {kind.__name__} is set, which its library looks at")
        what = f"the class {kind.__name__}" if kind is thing else f"an object of {kind.__name__}"
        raise AnswerError(
            f"an attribute of {what} is set, which is a library's",
            remedy="Set attributes of your own classes and their objects, tensors and modules.",
        )

    def _is_settable(self, thing: Any) -> bool:
        import torch
        from torch.optim import Optimizer
        from torch.optim.lr_scheduler import LRScheduler

        if isinstance(thing, ModuleType):
            return self._is_own(thing)
        if isinstance(thing, FunctionType):
            return self._is_own(thing.__globals__)
        return isinstance(thing, (torch.Tensor, torch.nn.Module, Optimizer, LRScheduler))


def _iterate(thing: Any) -> Iterator[Any]:
    for at in itertools.count():
        try:
            value = thing[at]
        except (IndexError, StopIteration):
            return
        yield value


def _refuse_array(thing: Any, *_: Any, **__: Any) -> Any:
    raise AnswerError(
        f"NumPy is given an object of the class {type(thing).__name__}",
        remedy="Give it arrays, numbers, and lists of them.",
    )


_EXTENDED = (object, tuple)
"""Besides modules, optimizers and exceptions; tuples, since namedtuples are some."""


def _is_extended(kind: type) -> bool:
    """Whether a program may extend a library's class."""
    import torch
    from torch.optim import Optimizer
    from torch.optim.lr_scheduler import LRScheduler

    of_torch = torch.nn.Module, Optimizer, LRScheduler
    return kind in _EXTENDED or issubclass(kind, (*of_torch, BaseException))
