"""From whatever the learner's code returned to plain numbers and arrays, or a clear refusal.

A play uses these on every result. Exact types are asked for, so that an object which only pretends
to be a number (its ``__eq__`` always true, say) never reaches a judge.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gpuedu.errors import AnswerError

_NUMBERS = (int, float)
_MOST_NAMES = 1_000
_LARGEST = 10**300
"""Beyond it a whole number does not fit into a float, in which judges compute."""


def number(value: Any, name: str = "the result") -> float:
    """The learner's number as a Python float or int; a bool, None or text is refused.

    >>> number(np.float32(2.5))
    2.5
    >>> number("2.5")
    Traceback (most recent call last):
    gpuedu.errors.AnswerError: the result should be a number, got '2.5' (str)
    """
    if (type(value) is np.ndarray and value.shape == ()) or isinstance(value, np.generic):
        value = np.asarray(value).item()
    if type(value) is int and abs(value) > _LARGEST:
        raise AnswerError(f"{name} is a whole number of more than 300 digits")
    if type(value) in _NUMBERS:
        return value
    raise AnswerError(f"{name} should be a number, got {describe(value)}")


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
    if type(value) is np.ndarray and value.ndim == 1:
        value = value.tolist()
    if type(value) not in (tuple, list):
        raise AnswerError(f"{name} should be {count} numbers, got {describe(value)}")
    if len(value) != count:
        raise AnswerError(f"{name} should be {count} numbers, got {len(value)} of them")
    return [number(item, f"number {i} of {name}") for i, item in enumerate(value)]


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
    """The learner's string, as an exact ``str`` of at most ``limit`` characters."""
    if type(value) is not str or len(value) > limit:
        raise AnswerError(f"{name} should be a short text, got {describe(value)}")
    return value


def names(value: Any, name: str = "the result") -> list[str]:
    """The learner's list or tuple of short texts.

    >>> names(("sm_80", "sm_90"))
    ['sm_80', 'sm_90']
    """
    if type(value) not in (tuple, list) or len(value) > _MOST_NAMES:
        raise AnswerError(f"{name} should be a list of texts, got {describe(value)}")
    return [text(one, f"entry {i} of {name}") for i, one in enumerate(value)]


def flag(value: Any, name: str = "the result") -> bool:
    """The learner's True or False; a number or a text that means as much is refused.

    >>> flag(np.bool_(True))
    True
    >>> flag(1)
    Traceback (most recent call last):
    gpuedu.errors.AnswerError: the result should be True or False, got 1 (int)
    """
    if type(value) in (bool, np.bool_):
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
    article = "an" if type(value).__name__[0] in "aeiou" else "a"
    return f"{article} {type(value).__name__}"


def _is_long(value: str | int) -> bool:
    """Whether writing it out would take long, or is refused by Python."""
    return len(value) > 10_000 if isinstance(value, str) else abs(value) > _LARGEST
