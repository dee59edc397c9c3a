"""What an exception was in another process: one of Python's own, or an unknown one."""

from __future__ import annotations

import builtins
from typing import Any

_PLAIN = (str, int, float, bool)


def kinds_of(fault: BaseException) -> list[list[str]]:
    """Module and name of its class and its base classes, in a message's form.

    >>> kinds_of(KeyError())[:2]
    [['builtins', 'KeyError'], ['builtins', 'LookupError']]
    """
    return [[one.__module__, one.__qualname__] for one in type(fault).__mro__]


def args_of(fault: BaseException) -> list:
    """Its arguments, if they are plain, or else its text.

    >>> args_of(KeyError("a", 1)), args_of(ValueError([1]))
    (['a', 1], ['[1]'])
    """
    if are_plain(fault.args):
        return list(fault.args)
    try:
        return [str(fault)]
    except Exception:
        return []


def are_plain(args: Any) -> bool:
    """Whether these are texts and numbers, as errors are made of."""
    return type(args) in (list, tuple) and all(type(one) in _PLAIN for one in args)


def raised_as(base: type[Exception], kinds: Any, *arguments: Any) -> Exception:
    """An exception that is caught as what was raised there, if that is one of Python's.

    Args:
        base: its other class.
        kinds: what ``kinds_of`` returned, from a process that is not trusted.
        arguments: for the class.

    >>> class Told(Exception):
    ...     pass
    >>> isinstance(raised_as(Told, [["builtins", "KeyError"]]), KeyError)
    True
    """
    for one in kinds if type(kinds) is list else ():
        module, name = one if type(one) is list and len(one) == 2 else ("", "")
        found = vars(builtins).get(name) if module == "builtins" and type(name) is str else None
        if isinstance(found, type) and issubclass(found, Exception):
            classes = (base,) if issubclass(base, found) else (base, found)
            try:
                return type(_name_of(kinds), classes, {"__str__": Exception.__str__})(*arguments)
            except TypeError:  # it is made of several things
                continue
    return base(*arguments)


def _name_of(kinds: list) -> str:
    """Of the class of an error there: what is written of it has no other effect."""
    first = kinds[0][1] if type(kinds[0]) is list and len(kinds[0]) == 2 else ""
    return first[:60] if type(first) is str and first.isidentifier() else "ToldError"
