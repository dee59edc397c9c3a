"""Numba's typing of Python's operators on scalars."""

from __future__ import annotations

import numpy as np

from gpuedu.simt.typing_rules.errors import TypingError, names
from gpuedu.simt.typing_rules.forms import Form, Signature, cheapest, forms

_SIGNED = ("i1", "i2", "i4", "i8")
_UNSIGNED = ("u1", "u2", "u4", "u8")

# Integers are computed in 64 bits, and one signed operand makes the outcome signed.
_INTEGERS = forms("i8 i8 -> i8", "i8 u8 -> i8", "u8 i8 -> i8", "u8 u8 -> u8")
_QUOTIENTS = forms("i8 i8 -> f8", "i8 u8 -> f8", "u8 i8 -> f8", "u8 u8 -> f8")
_HALF = forms("f2 f2 -> f2")
_FLOATS = forms("f4 f4 -> f4", "f8 f8 -> f8")
_COMPLEX = forms("c8 c8 -> c8", "c16 c16 -> c16")
# A float to an integer power keeps the float's width, which no other operator does.
_POWERS = forms(
    *(f"{base} {power} -> {base}" for base in ("f4", "f8") for power in ("i4", "i8", "u8"))
)
# Only the left operand decides the sign of a shift.
_SHIFTS = forms(
    *(f"{code} {by} -> i8" for code in _SIGNED for by in ("u8", "i8")),
    *(f"{code} {by} -> u8" for code in _UNSIGNED for by in ("u8", "i8")),
)
_BITS = forms("? ? -> ?") + _INTEGERS
_ORDER = forms(*(f"{code} {code} -> ?" for code in ("?", *_SIGNED, *_UNSIGNED, "f2", "f4", "f8")))
_EQUALITY = _ORDER + forms("c8 c8 -> ?", "c16 c16 -> ?")
_ARITHMETIC = _INTEGERS + _HALF + _FLOATS + _COMPLEX
_FLOORED = _INTEGERS + _FLOATS  # no float16: it is computed in float32

POWER = _INTEGERS + _POWERS + _FLOATS + _COMPLEX
_BINARY: dict[str, tuple[Form, ...]] = {
    **dict.fromkeys(("+", "-", "*"), _ARITHMETIC),
    "/": _QUOTIENTS + _HALF + _FLOATS + _COMPLEX,
    **dict.fromkeys(("//", "%"), _FLOORED),
    "**": POWER,
    **dict.fromkeys(("<<", ">>"), _SHIFTS),
    **dict.fromkeys(("&", "|", "^"), _BITS),
    **dict.fromkeys(("==", "!="), _EQUALITY),
    **dict.fromkeys(("<", "<=", ">", ">="), _ORDER),
}

_WIDENED = forms(*(f"{code} -> u8" for code in _UNSIGNED), *(f"{code} -> i8" for code in _SIGNED))
_SIGNS = (
    _WIDENED
    + forms(*(f"{code} -> {code}" for code in ("f2", "f4", "f8", "c8", "c16")))
    + forms("? -> i8")
)
_UNARY: dict[str, tuple[Form, ...]] = {
    "-": _SIGNS,
    "+": _SIGNS,
    "~": forms("? -> ?") + _WIDENED,
    # no float16: it is compared in float32
    "not": forms(
        *(f"{code} -> ?" for code in ("?", *_SIGNED, *_UNSIGNED, "f4", "f8", "c8", "c16"))
    ),
}
# Bits are never taken from a float.
_LOSSLESS = frozenset({"<<", ">>", "&", "|", "^", "~"})


def binary(
    op: str,
    left: np.dtype,
    right: np.dtype,
    *,
    left_literal: int | None = None,
    right_literal: int | None = None,
    in_place: bool = False,
) -> Signature:
    """How Numba types ``left op right``.

    Args:
        op: "+ - * / // % ** << >> & | ^ == != < <= > >=", one of them.
        left: Type of the left operand.
        right: Type of the right operand.
        left_literal: The left operand's value if it is written as a literal. It changes nothing,
            because a literal counts as int64, even in powers (checked); it is here so that a caller
            need not know that.
        right_literal: The same for the right operand.
        in_place: The operator was written ``op=``. Types like the plain one, except for ``/=``.

    Raises:
        TypingError: Numba has no such operation, or cannot compile it.

    >>> binary("*", np.dtype("int32"), np.dtype("float32")).result
    dtype('float64')
    >>> binary("**", np.dtype("float32"), np.dtype("int64")).result
    dtype('float32')
    """
    if op not in _BINARY:
        raise TypingError(
            f"the operator {op!r} does not exist between numbers in a kernel",
            remedy="write it with " + " ".join(_BINARY),
        )
    if in_place and op == "/" and left.kind in "biu" and right.kind in "biu":
        _refuse_integer_quotient(left, right)
    form = cheapest(_BINARY[op], (left, right), lossy=op not in _LOSSLESS)
    if form is None:
        raise TypingError(
            f"{left} {op} {right} does not exist in a kernel", remedy=_remedy(op, left, right)
        )
    return Signature(_operands(op, form), form.result)


def _operands(op: str, form: Form) -> tuple[np.dtype, ...]:
    """The types that the operation is carried out in.

    Numba chooses a form by 64-bit integers of either sign and then casts both on to the result.
    """
    if form.operands[0].kind not in "iu" or form.result == np.bool_:
        return form.operands
    return power_operands(form) if op == "**" else (form.result, form.result)


def power_operands(form: Form) -> tuple[np.dtype, ...]:
    """The types that ``**`` is computed in: the exponent of an integer power keeps its own type.

    Its sign matters: a negative exponent asks for a reciprocal.
    """
    return (form.result, form.operands[1])


def _refuse_integer_quotient(left: np.dtype, right: np.dtype) -> None:
    # numba-cuda 0.30.4 types it as an integer and then computes a float64; most uses of the
    # variable fail in the compiler.
    raise TypingError(
        f"Numba does not compile `/=` between integers ({left} /= {right})",
        remedy="write x = x / y for a float64 quotient, or x //= y for a whole one",
    )


def _remedy(op: str, *operands: np.dtype) -> str:
    if any(dtype.kind == "c" for dtype in operands):
        return "complex numbers have + - * / ** == !=; use abs(z), z.real or z.imag otherwise"
    return f"convert the floats to integers first, as in int(x) {op} n"


def unary(op: str, operand: np.dtype) -> Signature:
    """How Numba types ``op operand``.

    The operation is carried out in the operand's own width and widened after: ``-x`` of a uint32
    x is taken modulo 2**32, although it is a uint64.

    Args:
        op: "+", "-", "~" or "not".
        operand: Type of the operand.

    Raises:
        TypingError: Numba has no such operation.

    >>> unary("~", np.dtype("int32")).result
    dtype('int64')
    """
    if op not in _UNARY:
        raise TypingError(
            f"the operator {op!r} does not exist in a kernel", remedy="use + - ~ or not"
        )
    form = cheapest(_UNARY[op], (operand,), lossy=op not in _LOSSLESS)
    if form is None:
        raise TypingError(
            f"{op} of {names((operand,))} does not exist in a kernel",
            remedy="convert it to an integer first, as in ~int(x)",
        )
    return Signature(form.operands, form.result)
