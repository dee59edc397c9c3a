"""How Numba converts one scalar type to another: what a conversion costs, and where types meet.

Types are NumPy dtypes: bool, int8 to int64, uint8 to uint64, float16 to float64, complex64 and
complex128. Verified pair by pair against numba-cuda 0.30.4.
"""

from __future__ import annotations

from enum import IntEnum
from functools import cache

import numpy as np

from gpuedu.simt.typing_rules.errors import TypingError

SCALARS = tuple(
    np.dtype(code)
    for code in "? i1 i2 i4 i8 u1 u2 u4 u8 f2 f4 f8 c8 c16".split()  # noqa: SIM905
)


class Conversion(IntEnum):
    """What a conversion costs, cheapest first; a form of a function is chosen by these costs."""

    EXACT = 0
    PROMOTE = 1  # wider, same kind
    SAFE = 2  # another kind that is taken to hold the value
    UNSAFE = 3  # may lose the value


@cache
def conversion(source: np.dtype, target: np.dtype) -> Conversion | None:
    """What it costs to convert ``source`` to ``target``; None if Numba has no conversion.

    >>> conversion(np.dtype("int32"), np.dtype("float32")).name
    'UNSAFE'
    >>> conversion(np.dtype("int64"), np.dtype("float64")).name
    'SAFE'
    """
    if source == target:
        return Conversion.EXACT
    if source.kind == "c" and target.kind != "c":
        return None
    if source.kind == "b":
        return Conversion.SAFE
    if source.kind == target.kind:
        return Conversion.PROMOTE if target.itemsize > source.itemsize else Conversion.UNSAFE
    return Conversion.SAFE if _is_held_by(source, target) else Conversion.UNSAFE


def _is_held_by(source: np.dtype, target: np.dtype) -> bool:
    """Whether Numba takes ``target``, of another kind, to hold every value of ``source``."""
    if target.kind == "i":
        return source.kind == "u" and target.itemsize > source.itemsize
    if target.kind not in "fc":
        return False
    float_bytes = target.itemsize // 2 if target.kind == "c" else target.itemsize
    if source.kind == "f":
        return target.kind == "c" and float_bytes >= source.itemsize
    # An integer asks for a float of twice its size, and an unsigned one goes by way of the signed
    # integer that holds it: uint16 wants float64, although float32 would be exact. 64-bit
    # integers count as held by float64, although it rounds them.
    signed_bytes = source.itemsize * (2 if source.kind == "u" else 1)
    return float_bytes >= min(8, 2 * signed_bytes)


def unify(*dtypes: np.dtype) -> np.dtype:
    """The one type of a variable that is assigned each of ``dtypes`` on different paths.

    It is NumPy's promotion: int32 and float32 meet in float64, uint64 and int64 too. An integer
    literal counts as int64 (see `literal`). Any two scalars meet.

    Args:
        dtypes: One or more scalar types. Numba joins them two by two, narrow ones first.

    Raises:
        TypingError: One of them is not a scalar type of a kernel.

    >>> unify(np.dtype("int64"), np.dtype("float32"))
    dtype('float64')
    """
    for dtype in dtypes:
        if dtype not in SCALARS:
            raise TypingError(
                f"{dtype} is not a type that a variable of a kernel can have",
                remedy="use bool, an integer, a float or a complex type",
            )
    unified, *rest = sorted(dtypes, key=lambda dtype: 0 if dtype.kind == "b" else dtype.itemsize)
    for dtype in rest:
        unified = np.promote_types(unified, dtype)
    return unified


def can_assign(value: np.dtype, target: np.dtype) -> bool:
    """Whether a scalar of type ``value`` may be stored in an array of ``target``.

    Storing converts silently: float64 into int8 loses information, and is accepted. Only complex
    into real is refused, and float16 into bool, which Numba types but cannot compile.

    >>> can_assign(np.dtype("float64"), np.dtype("int8"))
    True
    """
    if (value, target) == (np.dtype("float16"), np.dtype("bool")):
        return False
    return conversion(value, target) is not None
