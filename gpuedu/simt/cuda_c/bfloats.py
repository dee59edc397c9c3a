"""``__nv_bfloat16``: the upper half of a float, kept as its 16 bits, as NumPy has no such type.

Sums, differences, products and quotients are worked out as float and rounded once more, which gives
the same as one rounding: float has more than twice the digits of bfloat16, and two to spare.

Source: CUDA Math API Reference Manual, "Bfloat16 Precision Conversion and Data Movement".
"""

from __future__ import annotations

import numpy as np

from gpuedu.simt.cuda_c.folding import cast
from gpuedu.simt.cuda_c.types import FLOAT, INT, UNSIGNED, Struct, number
from gpuedu.simt.program import BOOL, Binary, Call, Const, Expression, Select
from gpuedu.simt.values import Scalar, Tuple

BITS = number("uint16")
BFLOAT = Struct("__nv_bfloat16", (("__x", BITS),), 2)
HEADER = "cuda_bf16.h"
TYPES = {"__nv_bfloat16": BFLOAT, "nv_bfloat16": BFLOAT}
_UINT32 = UNSIGNED.dtype


def widened(value: Tuple) -> Scalar:
    """The float that a bfloat16 is."""
    (bits,) = value.items
    assert isinstance(bits, Scalar)
    wide = _of_bits("<<", cast(bits.expression, _UINT32), _number(16))
    return Scalar(Call("cuda.libdevice.int_as_float", (cast(wide, INT.dtype),), FLOAT.dtype))


def rounded(value: Expression) -> Tuple:
    """A float as the nearest bfloat16, ties to even; every NaN becomes 0x7fff."""
    bits = cast(Call("cuda.libdevice.float_as_int", (value,), INT.dtype), _UINT32)
    even = _of_bits("&", _of_bits(">>", bits, _number(16)), _number(1))
    upper = _of_bits(">>", _of_bits("+", _of_bits("+", bits, _number(0x7FFF)), even), _number(16))
    size = _of_bits("&", bits, _number(0x7FFFFFFF))
    is_nan = Binary(">", size, _number(0x7F800000), BOOL)
    chosen = Select(is_nan, _number(0x7FFF), upper, _UINT32)
    return Tuple((Scalar(cast(chosen, BITS.dtype)),), ("__x",))


def _number(value: int) -> Const:
    return Const(np.uint32(value))


def _of_bits(operator: str, left: Expression, right: Expression) -> Binary:
    return Binary(operator, left, right, _UINT32)
