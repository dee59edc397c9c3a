"""A table of what handles which kind of node: modules enter theirs, so none imports all others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

_Handler = TypeVar("_Handler", bound=Callable[..., Any])


class Handlers(dict[Any, Callable[..., Any]]):
    """Functions by the kind of node that they lower.

    >>> VALUES = Handlers()
    >>> @VALUES.enter("number", "text")
    ... def literal(node):
    ...     return node.value
    >>> VALUES["text"] is literal
    True
    """

    def enter(self, *kinds: Any) -> Callable[[_Handler], _Handler]:
        """A decorator that enters a function for these kinds; each kind has one."""

        def decorate(handler: _Handler) -> _Handler:
            for kind in kinds:
                if kind in self:
                    raise ValueError(f"{kind!r} has a handler: {self[kind].__qualname__}")
                self[kind] = handler
            return handler

        return decorate
