"""The forms of Python's ``math`` and ``cmath`` in a CUDA kernel."""

from __future__ import annotations

from gpuedu.simt.typing_rules.forms import Form, forms

_REAL = forms("i8 -> f8", "u8 -> f8", "f4 -> f4", "f8 -> f8")
# These have a float16 form too. Rounding gives a float, unlike in Python.
_REAL_WITH_HALF = _REAL + forms("f2 -> f2")
_PLANE = forms("i8 i8 -> f8", "u8 u8 -> f8", "f4 f4 -> f4", "f8 f8 -> f8")
_PAIR = forms("f4 f4 -> f4", "f8 f8 -> f8")
_TEST = forms("i8 -> ?", "u8 -> ?", "f4 -> ?", "f8 -> ?")
_COMPLEX = forms("c8 -> c8", "c16 -> c16")
_COMPLEX_TEST = forms("c8 -> ?", "c16 -> ?")


def _all(module: str, functions: str, declared: tuple[Form, ...]) -> dict[str, tuple[Form, ...]]:
    return dict.fromkeys((f"{module}.{function}" for function in functions.split()), declared)


MATH: dict[str, tuple[Form, ...]] = {
    **_all(
        "math",
        "acos acosh asin asinh atan atanh cosh degrees erf erfc expm1 gamma lgamma log1p radians"
        " sinh tan tanh",
        _REAL,
    ),
    **_all("math", "ceil cos exp exp2 fabs floor log log10 log2 sin sqrt trunc", _REAL_WITH_HALF),
    **_all("math", "isfinite isinf isnan", _TEST),
    **_all("math", "atan2 hypot", _PLANE),
    **_all("math", "copysign fmod nextafter remainder", _PAIR),
    # Unlike `**`, only a 32-bit exponent keeps its type, and int ** int is a float.
    "math.pow": _PAIR + forms("f4 i4 -> f4", "f8 i4 -> f8"),
    "math.ldexp": forms("f4 i4 -> f4", "f8 i4 -> f8"),
    "math.frexp": forms("f4 -> f4 i4", "f8 -> f8 i4"),
    # float64 is declared first here, so that float16 and small integers tie towards it.
    "math.modf": forms("f8 -> f8 f8", "f4 -> f4 f4"),
    **_all("cmath", "acos asin asinh atan atanh cos exp sin sqrt tan", _COMPLEX),
    **_all("cmath", "isfinite isinf isnan", _COMPLEX_TEST),
    "cmath.log": _COMPLEX + forms("c8 c8 -> c8", "c16 c16 -> c16"),
}

# Numba compiles these of Python source, for exactly these types: nothing is converted. A constant
# such as 2.0 in that source makes complex128 of complex64.
CMATH_EXACT: dict[str, tuple[Form, ...]] = {
    **_all("cmath", "cosh sinh", _COMPLEX),
    **_all("cmath", "acosh log10 tanh", forms("c8 -> c16", "c16 -> c16")),
    "cmath.phase": forms("c8 -> f4", "c16 -> f8"),
    "cmath.polar": forms("c8 -> f4 f4", "c16 -> f8 f8"),
    "cmath.rect": forms("f4 f4 -> c8", "f8 f8 -> c16", "f4 f8 -> c16", "f8 f4 -> c16"),
}
