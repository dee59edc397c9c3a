"""NumPy's functions on scalars in a CUDA kernel.

Numba's CUDA target compiles these few; ``np.sqrt``, ``np.exp``, ``np.abs`` or ``np.floor`` are not
among them. Which types a function computes in comes from NumPy's own list of loops: the first loop
that every argument casts to safely. An integer together with a float may go to any float.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from gpuedu.simt.typing_rules.forms import Signature

_NAMES = (
    "sin cos tan arcsin arccos arctan arctan2 hypot sinh cosh tanh arcsinh arccosh arctanh"
    " deg2rad radians rad2deg degrees log log2 log10"
    " greater greater_equal less less_equal not_equal equal"
    " logical_and logical_or logical_xor logical_not isnan maximum minimum fmax fmin"
    " bitwise_and bitwise_or bitwise_xor invert left_shift right_shift divide conjugate"
)
UFUNCS = frozenset(f"numpy.{name}" for name in _NAMES.split())
# Other names that NumPy gives to the same functions.
ALIASES = {
    "numpy.true_divide": "numpy.divide",
    "numpy.bitwise_not": "numpy.invert",
    "numpy.bitwise_invert": "numpy.invert",
    "numpy.bitwise_left_shift": "numpy.left_shift",
    "numpy.bitwise_right_shift": "numpy.right_shift",
    "numpy.conj": "numpy.conjugate",
    "numpy.asin": "numpy.arcsin",
    "numpy.acos": "numpy.arccos",
    "numpy.atan": "numpy.arctan",
    "numpy.atan2": "numpy.arctan2",
    "numpy.asinh": "numpy.arcsinh",
    "numpy.acosh": "numpy.arccosh",
    "numpy.atanh": "numpy.arctanh",
}
# Numba has no loops of half floats, long doubles, objects, dates or times.
_FOREIGN = frozenset("egGOmM")


@cache
def loop(name: str, arguments: tuple[np.dtype, ...]) -> Signature | None:
    """The types that the ufunc ``name``, one of `UFUNCS`, computes in; None where it cannot."""
    function = getattr(np, name.removeprefix("numpy."))
    if len(arguments) != function.nin or np.dtype("float16") in arguments:
        return None  # float16 is typed as float32 and fails in the compiler
    kinds = {dtype.kind for dtype in arguments}
    is_mixed = bool(kinds & set("iu")) and bool(kinds & set("fc"))
    for types in function.types:
        inputs, _, outputs = types.partition("->")
        if _FOREIGN.isdisjoint(inputs + outputs) and _fits(arguments, inputs, is_mixed=is_mixed):
            return Signature(tuple(np.dtype(code) for code in inputs), np.dtype(outputs))
    return None


def _fits(arguments: tuple[np.dtype, ...], inputs: str, *, is_mixed: bool) -> bool:
    return all(
        (is_mixed and dtype.kind in "iu" and np.dtype(code).kind in "fc")
        or np.can_cast(dtype, np.dtype(code), "safe")
        for dtype, code in zip(arguments, inputs, strict=True)
    )
