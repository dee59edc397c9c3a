"""Quantities of Kubernetes: ``500m``, ``64Gi``, ``1e3``."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any

GIB = 2**30
_FORM = re.compile(r"([+-]?(?:\d+\.?\d*|\.\d+))(?:([eE][+-]?\d{1,2})|([a-zA-Z]{0,2}))")
_SUFFIXES = {
    "": Fraction(1),
    **{name: Fraction(1, 1000**k) for k, name in enumerate("mun", 1)},
    **{name: Fraction(1000**k) for k, name in enumerate("kMGTPE", 1)},
    **{f"{name}i": Fraction(1024**k) for k, name in enumerate("KMGTPE", 1)},
}


def quantity(value: Any) -> Fraction | None:
    """The number that a quantity stands for; None if it's none.

    >>> [quantity(one) for one in ("500m", "2Gi", 4, "1e3", "16GB", True, "-1")]
    [Fraction(1, 2), Fraction(2147483648, 1), Fraction(4, 1), Fraction(1000, 1), None, None,
     Fraction(-1, 1)]
    """
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    text = str(value)
    found = _FORM.fullmatch(text) if len(text) <= 40 else None
    if found is None or (found[3] or "") not in _SUFFIXES:
        return None
    return Fraction(found[1] + (found[2] or "")) * _SUFFIXES[found[3] or ""]


def gib(size_bytes: Fraction) -> str:
    """A size for a person.

    >>> gib(Fraction(3 * 2**29)), gib(Fraction(64 * 10**6))
    ('1.5 GiB', '61 MiB')
    """
    if size_bytes >= GIB:
        return f"{float(size_bytes / GIB):.4g} GiB"
    return f"{float(size_bytes / 2**20):.3g} MiB"
