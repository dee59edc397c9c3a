"""Numba's typing of function calls on scalars."""

from __future__ import annotations

import numpy as np

from gpuedu.simt.typing_rules.builtin_rules import BUILTINS, convert, named_type
from gpuedu.simt.typing_rules.cuda_forms import CONVERTING, EXACT, INTEGERS_ONLY
from gpuedu.simt.typing_rules.errors import TypingError, names
from gpuedu.simt.typing_rules.forms import Form, Signature, cheapest
from gpuedu.simt.typing_rules.libdevice_forms import LIBDEVICE
from gpuedu.simt.typing_rules.math_forms import CMATH_EXACT, MATH
from gpuedu.simt.typing_rules.ufuncs import ALIASES, UFUNCS, loop

# What stands in for functions that a learner reaches for and a kernel does not have.
_INSTEAD = {
    "math.cbrt": "cuda.cbrt(x)",
    "math.fma": "cuda.fma(a, b, c)",
    "math.gcd": "a loop: while b: a, b = b, a % b",
    "math.isqrt": "int(math.sqrt(x))",
    "numpy.abs": "abs(x)",
    "numpy.absolute": "abs(x)",
    "numpy.clip": "min(max(x, low), high)",
    "numpy.power": "x ** y",
    "numpy.round": "round(x)",
    "numpy.where": "a if condition else b",
    "sum": "a loop",
}
_EXACT = {**EXACT, **CMATH_EXACT}
_FORMS = {**MATH, **CONVERTING, **LIBDEVICE}


def call(name: str, arguments: tuple[np.dtype, ...]) -> Signature:
    """How Numba types a call with scalar arguments.

    Args:
        name: The function by its home: "math.sqrt", "cmath.exp", "numpy.sin" ("np.sin" too),
            "cuda.popc", "cuda.fp16.hadd", "min"; a type is a conversion: "float32", "numpy.int8",
            "numba.int64", "bool".
        arguments: The types of the arguments. A literal has the type that `literal` gives.

    Raises:
        TypingError: Numba has no such function, or not for these types, or cannot compile it.

    >>> call("math.floor", (np.dtype("float32"),)).result
    dtype('float32')
    >>> call("round", (np.dtype("float32"),)).result
    dtype('int64')
    """
    name = canonical(name)
    signature = _resolve(name, arguments)
    if signature is None:
        raise TypingError(
            f"{name}({names(arguments)}) does not exist in a kernel",
            remedy=_remedy(name, arguments),
        )
    return signature


def canonical(name: str) -> str:
    """The one name of a function that has several.

    >>> canonical("np.int32"), canonical("np.conj"), canonical("numba.cuda.popc")
    ('int32', 'numpy.conjugate', 'cuda.popc')
    """
    if name.startswith("np."):
        name = "numpy." + name.removeprefix("np.")
    dtype = named_type(name)
    if dtype is not None:
        return str(dtype)
    if name.startswith("numba.cuda."):
        name = name.removeprefix("numba.")
    return ALIASES.get(name, name)


def is_known(name: str) -> bool:
    """Whether a kernel may call ``name`` with scalars of some types."""
    name = canonical(name)
    is_type = named_type(name) is not None
    return is_type or any(name in table for table in (BUILTINS, UFUNCS, _EXACT, _FORMS))


def _resolve(name: str, arguments: tuple[np.dtype, ...]) -> Signature | None:
    if name in BUILTINS:
        return BUILTINS[name](arguments)
    dtype = named_type(name)
    if dtype is not None:
        return convert(dtype, arguments)
    if name in UFUNCS:
        return loop(name, arguments)
    if name in INTEGERS_ONLY and any(dtype.kind not in "iu" for dtype in arguments):
        return None
    if name in _EXACT:
        form = next((form for form in _EXACT[name] if form.operands == arguments), None)
    else:
        form = cheapest(_FORMS.get(name, ()), arguments)
    if form is None or not form.is_compiled:
        return None
    return Signature(_computed_in(form) if name in MATH else form.operands, form.result)


def _computed_in(form: Form) -> tuple[np.dtype, ...]:
    """The types ``math`` computes in: a real function of integers computes in its result."""
    is_real = isinstance(form.result, np.dtype) and form.result.kind == "f"
    if is_real and all(dtype.kind in "iu" for dtype in form.operands):
        return (form.result,) * len(form.operands)
    return form.operands


def _remedy(name: str, arguments: tuple[np.dtype, ...]) -> str:
    if name in _INSTEAD:
        return _INSTEAD[name]
    if not is_known(name):
        module, _, function = name.rpartition(".")
        if module == "numpy" and f"math.{function}" in MATH:
            return f"use math.{function}(x)"
        return "compute it from the functions of math and numba.cuda"
    if any(dtype.kind == "c" for dtype in arguments) and name not in EXACT:
        return "take z.real or z.imag, or a function of cmath"
    return _accepted(name)


def _accepted(name: str) -> str:
    """What the function takes, where it takes few things."""
    if name in INTEGERS_ONLY:
        return "give an integer, as in int32(condition)"
    if name in CMATH_EXACT:
        return "give complex numbers, as in complex(x)" if "rect" not in name else "give floats"
    if name not in EXACT:
        return "convert the arguments, as in float32(x), or check how many there are"
    if "shfl" in name:
        return "shuffle int32, int64, float32 or float64, with mask and lane int32 or wider"
    if name == "cuda.selp":
        return "give a bool and two values of one type, int16 or wider and no float16"
    return "give a mask of int32 or wider and a bool or integer to vote on"
