"""Exceptions of the device on their way to the learner's code: the same class, the same text."""

from __future__ import annotations

import builtins
import re
import sys
from typing import Any

_ARRAY = re.compile(r"\barray\([^)]*\)?")
_MOST_NAME = 60
_PLAIN = (str, bool, int, float, type(None))


def describe_fault(fault: BaseException) -> dict[str, Any]:
    """An exception as plain values.

    If NumPy's text shows an array, its contents are left out: no copy brought them to the host.
    """
    return {
        "classes": [[one.__module__, one.__qualname__] for one in type(fault).__mro__[:-1]],
        "text": without_elements(_text_of(fault)),
        "args": [_told(one) for one in fault.args if type(one) in _PLAIN],
        "fields": {name: _told(one) for name, one in vars(fault).items() if type(one) in _PLAIN},
    }


def without_elements(text: str) -> str:
    """A text in which arrays do not show their contents.

    >>> without_elements("not an index: 'array(0.1, dtype=float32)', nor array([[1, 2]])")
    "not an index: 'array(…)', nor array(…)"
    """
    return _ARRAY.sub("array(…)", text)


def _told(value: Any) -> Any:
    return without_elements(value) if type(value) is str else value


def _text_of(fault: BaseException) -> str:
    try:
        return str(fault)
    except Exception:  # a class whose text needs what is not there
        return ""


def rebuild_fault(message: dict[str, Any]) -> BaseException:
    """The exception, if its class is known here; its name and text in any case."""
    classes = [_class_of(*one) for one in message["classes"]]
    first, text = classes[0], message["text"]
    for made in (_by_fields, _by_text):
        try:
            fault = made(first, message) if first is not None else None
            if fault is not None and str(fault) == text:
                return fault
        except Exception:  # of a class that is made in another way
            continue
    base = next(
        one for one in classes if one is not None and vars(builtins).get(one.__name__) is one
    )
    name = message["classes"][0][1].rpartition(".")[2]
    return type(name, (base,), {"__str__": lambda self: text})(text)


def _by_fields(kind: type, message: dict[str, Any]) -> BaseException:
    fault = kind.__new__(kind, *message["args"])
    fault.args = tuple(message["args"])
    vars(fault).update(message["fields"])
    return fault


def _by_text(kind: type, message: dict[str, Any]) -> BaseException:
    return kind(message["text"])


def raise_told(told: Any) -> None:
    """Raise what ended a thread elsewhere: an exception of that class's name, with its text."""
    if type(told) is list and len(told) == 2 and type(told[0]) is type(told[1]) is str:
        raise type(told[0][:_MOST_NAME], (Exception,), {})(told[1])


def _class_of(module: str, name: str) -> type | None:
    found: Any = sys.modules.get(module)
    for part in name.split("."):
        found = getattr(found, part, None)
    kinds = Exception, KeyboardInterrupt, SystemExit
    return found if isinstance(found, type) and issubclass(found, kinds) else None
