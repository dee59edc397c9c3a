"""Which types the numbers of a CUDA kernel have, by the rules of Numba's type inference.

Pure functions on NumPy dtypes; nothing is executed and Numba is not imported. The rules were
checked against the inference of numba-cuda 0.30.4, over all pairs of types and all operators
(``tests/simt/typing_rules``). What Numba types and then cannot compile is refused here too.

Numba's rules are not NumPy's. Here is what may surprise you, each line checked:

>>> import numpy as np
>>> b, i1, i4, i8, u4, u8, f2, f4, f8 = map(np.dtype, "? i1 i4 i8 u4 u8 f2 f4 f8".split())

A float32 with any 32-bit integer becomes float64, and a literal is an int64 or a float64. So ``x[i]
* 2``, ``x[i] * 2.0`` and ``x[i] / n`` compute in float64 if ``x`` is float32; write ``x[i] *
float32(2)``. Small integers (int8, int16, uint8, bool) keep float32:

>>> str(binary("*", i4, f4).result), str(binary("*", f4, literal(2)).result)
('float64', 'float64')
>>> str(binary("*", i1, f4).result), str(binary("*", f2, literal(2)).result)
('float32', 'float64')

``s = 0.0`` before a loop makes a float64 sum, and ``s = 0`` does so too: the variable has one type
where the paths meet.

>>> str(unify(literal(0.0), f4)), str(unify(literal(0), f4))
('float64', 'float64')

Integers are computed in 64 bits, whatever their width, even by ``-``, ``~`` and shifts. One signed
operand makes the result signed: ``uint64 + int64`` is int64, and so is ``uint32 + 1``. Only the
left operand decides a shift. Comparing uint64 with any signed integer, even a literal, goes through
float64 and is inexact above 2**53:

>>> str(binary("+", u8, i8).result), str(binary("+", u4, u4).result), str(unary("~", i4).result)
('int64', 'uint64', 'int64')
>>> str(binary(">>", u4, i8).result), str(binary("<", u8, literal(1)).operands[0])
('uint64', 'float64')

Where paths meet, uint64 and int64 give float64: ``n = uint64(0)`` before a loop with ``n += 1`` is
a float64 counter.

>>> str(unify(u8, i8)), str(call("max", (u8, i8)).result)
('float64', 'float64')

Powers keep float32 with any integer exponent, in ``**`` but not in ``math.pow``; a bool to an int32
power is a float32, because that form converts only one operand:

>>> str(binary("**", f4, literal(2)).result), str(call("math.pow", (f4, i8)).result)
('float32', 'float64')
>>> str(binary("**", b, i4).result)
'float32'

``math.floor``, ``ceil`` and ``trunc`` give a float, not an integer; ``round(x)`` and ``int(x)`` an
int64; ``float(x)`` of a float32 is a float32; ``int(x)`` of an int8 is an int8:

>>> str(call("math.floor", (f4,)).result), str(call("float", (f4,)).result)
('float32', 'float32')

Thread indices are int32, ``cuda.grid`` and lengths int64; ``range(n)`` counts in int32 for an int32
``n`` and in uint64 for an unsigned one. ``range(n / 2)`` is accepted and truncates the float to
int32.

>>> str(range_item((i4,))), str(range_item((u4,))), str(range_item((f8,)))
('int32', 'uint64', 'int32')

Storing converts silently, even float64 into int8. ``x /= y`` of integers does not compile, ``x = x
/ y`` does. ``cuda.brev`` of an int64 reverses its low 32 bits; ``cuda.popc`` of a float counts the
bits of the value truncated to int8. Shuffles refuse unsigned and 16-bit values,
``syncthreads_count`` refuses a bool, ``min`` and ``max`` refuse a bool together with a number.
``np.sqrt``, ``np.exp``, ``np.abs`` and ``np.floor`` are not compiled in a kernel; ``np.sin`` and
``np.log`` are.

A variable that is reassigned has a new type (Numba rewrites each assignment to a new variable);
only where paths meet, in a join or a loop, one type is unified from all that arrive.

Modules: ``promotion`` (conversions and joins), ``forms`` (how one of several forms is chosen),
``operators``, ``functions`` (with ``math_forms``, ``builtin_rules``, ``cuda_forms``, ``ufuncs``,
``libdevice_forms``) and ``values``.
"""

from __future__ import annotations

from gpuedu.simt.typing_rules.errors import TypingError
from gpuedu.simt.typing_rules.forms import Signature
from gpuedu.simt.typing_rules.functions import call, canonical, is_known
from gpuedu.simt.typing_rules.operators import binary, unary
from gpuedu.simt.typing_rules.promotion import SCALARS, can_assign, unify
from gpuedu.simt.typing_rules.values import (
    GRID,
    GRID_SIZE,
    LANE_ID,
    LANE_MASK,
    LENGTH,
    THREAD_INDEX,
    WARP_SIZE,
    atomic,
    attribute,
    condition,
    index,
    literal,
    range_item,
)

__all__ = [
    "GRID",
    "GRID_SIZE",
    "LANE_ID",
    "LANE_MASK",
    "LENGTH",
    "SCALARS",
    "THREAD_INDEX",
    "WARP_SIZE",
    "Signature",
    "TypingError",
    "atomic",
    "attribute",
    "binary",
    "call",
    "can_assign",
    "canonical",
    "condition",
    "index",
    "is_known",
    "literal",
    "range_item",
    "unary",
    "unify",
]
