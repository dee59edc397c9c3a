"""From whatever the learner's code returned to plain numbers and arrays, or a clear refusal.

A play uses these on every result. They return exact types, read without any of the learner's
methods, so that an object that only pretends to be a number (its ``__eq__`` always true, say) never
reaches a judge: a named tuple's items, the text of an ``np.str_``.
"""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from gpuedu.errors import AnswerError

_MOST_NAMES = 1_000
_MOST_ITEMS = 1_000_000
_LARGEST = 10**300
"""Beyond it a whole number does not fit into a float, in which judges compute."""


def number(value: Any, name: str = "the result") -> float:
    """The learner's number as a Python float or int; a bool, None or text is refused.

    >>> number(np.float32(2.5)), number(Fraction(5, 2))
    (2.5, 2.5)
    >>> number("2.5")
    Traceback (most recent call last):
    gpuedu.errors.AnswerError: the result should be a number, got '2.5' (str)
    """
    if (type(value) is np.ndarray and value.shape == ()) or isinstance(value, np.generic):
        value = np.asarray(value).item()
    if type(value) is np.longdouble:
        return float(value)
    if type(value) is Fraction and value.denominator == 1:
        value = value.numerator
    if type(value) in (Fraction, Decimal):
        return _as_float(value, name)
    if isinstance(value, float):
        return float.__float__(value)
    if isinstance(value, int) and type(value) is not bool:
        value = int.__int__(value)
        if abs(value) > _LARGEST:
            raise AnswerError(f"{name} is a whole number of more than 300 digits")
        return value
    raise AnswerError(f"{name} should be a number, got {describe(value)}")


def _as_float(value: Fraction | Decimal, name: str) -> float:
    try:
        return float(value)
    except (OverflowError, ValueError) as fault:
        raise AnswerError(f"{name} does not fit into a float") from fault


def whole_number(value: Any, name: str = "the result") -> int:
    """The learner's whole number as an int; 3.0 is accepted, 3.5 and NaN are not.

    >>> whole_number(3.0)
    3
    >>> whole_number(3.5)
    Traceback (most recent call last):
    gpuedu.errors.AnswerError: the result should be a whole number, got 3.5 (float)
    """
    value = number(value, name)
    if isinstance(value, float) and not (math.isfinite(value) and value.is_integer()):
        raise AnswerError(f"{name} should be a whole number, got {describe(value)}")
    return int(value)


def numbers(value: Any, count: int, name: str = "the result") -> list[float]:
    """``count`` numbers from a tuple, list or 1-D array that the learner returned.

    >>> numbers((1, 2.0), 2)
    [1, 2.0]
    """
    found = items(value, name, f"{count} numbers")
    if len(found) != count:
        raise AnswerError(f"{name} should be {count} numbers, got {len(found)} of them")
    return [number(item, f"number {i} of {name}") for i, item in enumerate(found)]


def items(value: Any, name: str = "the result", what: str = "a list") -> list[Any]:
    """What is in the learner's tuple (or named tuple), list, range or 1-D array.

    >>> items(range(2)), items(np.arange(2.0))
    ([0, 1], [0.0, 1.0])
    >>> items("ab")
    Traceback (most recent call last):
    gpuedu.errors.AnswerError: the result should be a list, got 'ab' (str)
    """
    if type(value) is np.ndarray and value.ndim == 1 and value.size <= _MOST_ITEMS:
        return value.tolist()
    if type(value) is range and not value[_MOST_ITEMS:]:
        return list(value)
    for kind in (tuple, list):
        if isinstance(value, kind):
            return list(kind.__iter__(value))
    raise AnswerError(f"{name} should be {what}, got {describe(value)}")


def entries(value: Any, name: str = "the result") -> dict[Any, Any]:
    """What is in the learner's dict, which may be ordered or have a default.

    >>> from collections import OrderedDict
    >>> entries(OrderedDict(a=1))
    {'a': 1}
    """
    if not isinstance(value, dict):
        raise AnswerError(f"{name} should be a dict, got {describe(value)}")
    return dict(dict.items(value))


def array(value: Any, dtype: Any, shape: tuple[int, ...], name: str = "the result") -> np.ndarray:
    """A copy of the learner's array, of exactly this dtype and shape.

    >>> array(np.zeros(2, np.float32), np.float32, (2,))
    array([0., 0.], dtype=float32)
    >>> array(np.zeros(2), np.float32, (2,))
    Traceback (most recent call last):
    gpuedu.errors.AnswerError: the result has dtype float64, expected float32
    """
    if type(value) is not np.ndarray:
        raise AnswerError(f"{name} should be a NumPy array, got {describe(value)}")
    if value.shape != shape:
        raise AnswerError(f"{name} has shape {value.shape}, expected {shape}")
    if value.dtype != np.dtype(dtype):
        raise AnswerError(f"{name} has dtype {value.dtype}, expected {np.dtype(dtype)}")
    return value.copy()


def text(value: Any, name: str = "the result", limit: int = 200) -> str:
    """The learner's string, as an exact ``str`` of at most ``limit`` characters.

    >>> text(np.str_("ring"))
    'ring'
    """
    if not isinstance(value, str) or len(exact := str.__str__(value)) > limit:
        raise AnswerError(f"{name} should be a short text, got {describe(value)}")
    return exact


def names(value: Any, name: str = "the result") -> list[str]:
    """The learner's list or tuple of short texts.

    >>> names(("sm_80", "sm_90"))
    ['sm_80', 'sm_90']
    """
    found = items(value, name, "a list of texts")
    if len(found) > _MOST_NAMES:
        raise AnswerError(f"{name} should be at most {_MOST_NAMES:,} texts, got {len(found):,}")
    return [text(one, f"entry {i} of {name}") for i, one in enumerate(found)]


def flag(value: Any, name: str = "the result") -> bool:
    """The learner's True or False; a number or a text that means the same is refused.

    >>> flag(np.bool_(True))
    True
    >>> flag(1)
    Traceback (most recent call last):
    gpuedu.errors.AnswerError: the result should be True or False, got 1 (int)
    """
    if type(value) in (bool, np.bool_) or (
        type(value) is np.ndarray and value.shape == () and value.dtype == np.bool_
    ):
        return bool(value)
    raise AnswerError(f"{name} should be True or False, got {describe(value)}")


def describe(value: Any) -> str:
    """Name a value for a message without trusting more of it than its type.

    >>> describe(None), describe([1, 2]), describe(...)
    ('None (what a call without `return` gives)', 'a list', '`...`, the placeholder')
    """
    if value is None:
        return "None (what a call without `return` gives)"
    if value is ...:
        return "`...`, the placeholder"
    if type(value) in (str, int) and _is_long(value):
        return f"a very long {type(value).__name__}"
    if type(value) in (bool, int, float, complex, str):
        shown = repr(value)
        return f"{shown if len(shown) < 60 else shown[:57] + '...'} ({type(value).__name__})"
    article = "an" if type(value).__name__.startswith((*"aeiou", "nd")) else "a"
    return f"{article} {type(value).__name__}"


def _is_long(value: str | int) -> bool:
    """Whether writing it out would take long, or is refused by Python."""
    return len(value) > 10_000 if isinstance(value, str) else abs(value) > _LARGEST
