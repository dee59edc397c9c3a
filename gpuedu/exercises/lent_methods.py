"""The course's objects whose methods note or change something when learners' functions call them.

When a class is graded, calls of these methods are repeated, like those of functions that a play
lends (see ``Play.lends``). Whatever else is in such an object belongs to the play.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

Class = TypeVar("Class", bound=type)

_METHODS: dict[type, tuple[str, ...]] = {}


def lends_methods(*names: str) -> Callable[[Class], Class]:
    """Mark a class: learners' functions call these methods of its objects.

    >>> @lends_methods("add")
    ... class Sum:
    ...     def add(self, number):
    ...         pass
    >>> methods_lent_by(Sum()), methods_lent_by(Sum)
    (('add',), ())
    """

    def mark(kind: Class) -> Class:
        _METHODS[kind] = names
        return kind

    return mark


def methods_lent_by(value: Any) -> tuple[str, ...]:
    """The names of an object's marked methods; none if its class is not marked."""
    return _METHODS.get(type(value), ())
