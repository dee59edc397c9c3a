"""A function's forms, and how Numba chooses among them.

A *form* is one list of operand types that a function is compiled for, and the type it gives. Numba
converts the arguments of a call to the form that costs least: fewest unsafe conversions, then
fewest safe ones, then fewest promotions; a tie goes to the form that was declared first. The order
of forms is therefore part of the rules.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from gpuedu.simt.typing_rules.promotion import Conversion, conversion

Result = np.dtype | tuple[np.dtype, ...]


@dataclass(frozen=True)
class Signature:
    """What an operation does to types.

    Args:
        operands: The type each operand is cast to; the operation is carried out in these types.
        result: The type that its result is cast to; a tuple of types for a function that gives
            several values (``divmod``, ``math.frexp``, ``math.modf``, ``cuda.match_all_sync``).
    """

    operands: tuple[np.dtype, ...]
    result: Result


@dataclass(frozen=True)
class Form:
    """One declared form. ``is_compiled`` is False if Numba types it but then cannot compile it."""

    operands: tuple[np.dtype, ...]
    result: Result
    is_compiled: bool = True


def forms(*texts: str, is_compiled: bool = True) -> tuple[Form, ...]:
    """Read forms written with NumPy's short type names.

    >>> forms("f4 i4 -> f4")[0].operands
    (dtype('float32'), dtype('int32'))
    """
    return tuple(_form(text, is_compiled) for text in texts)


def _form(text: str, is_compiled: bool) -> Form:
    operands, _, results = text.partition("->")
    given = tuple(np.dtype(code) for code in results.split())
    return Form(
        tuple(np.dtype(code) for code in operands.split()),
        given[0] if len(given) == 1 else given,
        is_compiled,
    )


@cache
def cheapest(
    candidates: tuple[Form, ...], arguments: tuple[np.dtype, ...], *, lossy: bool = True
) -> Form | None:
    """The form that ``arguments`` convert to at least cost, or None.

    With ``lossy=False`` forms that need an unsafe conversion do not count.
    """
    costs = [(_cost(arguments, form.operands), form) for form in candidates]
    possible = [(cost, form) for cost, form in costs if cost is not None and (lossy or not cost[0])]
    return min(possible, key=lambda pair: pair[0])[1] if possible else None


def _cost(
    arguments: tuple[np.dtype, ...], operands: tuple[np.dtype, ...]
) -> tuple[int, int, int] | None:
    """How many unsafe conversions, safe ones and promotions the arguments need."""
    if len(arguments) != len(operands):
        return None
    kinds = [conversion(source, target) for source, target in zip(arguments, operands, strict=True)]
    if None in kinds:
        return None
    return (
        kinds.count(Conversion.UNSAFE),
        kinds.count(Conversion.SAFE),
        kinds.count(Conversion.PROMOTE),
    )
