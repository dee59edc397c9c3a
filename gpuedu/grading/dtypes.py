"""NumPy's dtypes by names that came from a process that is not trusted.

NumPy reads a language out of a dtype's name: ``"(2,3)f8,i4"`` has fields and shapes, and three
megabytes of such text become gigabytes. So it is handed only names that it produces itself.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np

_NUMBERS = frozenset(
    np.dtype(code).newbyteorder(order).str for code in "?bhilqBHILQefdgFDG" for order in "<>"
)
_OTHERS = re.compile(r"\|O|\|[SV]\d{1,7}|[<>]U\d{1,7}|[<>][mM]8(\[\d{0,7}[a-zA-Z]{1,2}\])?")
"""Objects, texts and records by their length, dates by their unit."""
_LONGEST = 20


def dtype_named(name: Any) -> np.dtype:
    """The dtype whose ``str`` this is.

    Raises:
        ValueError: no dtype has that string.

    >>> dtype_named("<f8"), dtype_named("|S5")
    (dtype('float64'), dtype('S5'))
    """
    if type(name) is not str or len(name) > _LONGEST:
        raise ValueError("no dtype has a name like that")
    if name not in _NUMBERS and not _OTHERS.fullmatch(name):
        raise ValueError(f"no dtype has the name {name!r}")
    return np.dtype(name)
