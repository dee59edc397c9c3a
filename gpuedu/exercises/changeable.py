"""The course's objects that a play hands to learners' functions to change.

When a class is graded, what was left in them is reported attribute by attribute.
"""

from __future__ import annotations

from typing import Any, TypeVar

Class = TypeVar("Class", bound=type)

_CHANGEABLE: set[type] = set()


def changeable(kind: Class) -> Class:
    """Mark a class: learners' functions may change the attributes of its objects.

    >>> @changeable
    ... class Box:
    ...     pass
    >>> is_changeable(Box()), is_changeable(Box)
    (True, False)
    """
    _CHANGEABLE.add(kind)
    return kind


def is_changeable(value: Any) -> bool:
    """Whether an object's class is marked so."""
    return type(value) in _CHANGEABLE
