"""What CUDA C says in place of a function of NumPy, CuPy or ``math``."""

from __future__ import annotations

import re

from gpuedu.compilers.nvrtc_names import likely_name

LIBRARIES = ("cp", "cupy", "math", "np", "numpy", "xp")
"""Python's libraries of mathematics, as learners name them."""

_ANOTHER_NAME = {
    "abs": "fabsf",
    "absolute": "fabsf",
    "fabs": "fabsf",
    "maximum": "fmaxf",
    "minimum": "fminf",
    "pow": "powf",
    "power": "powf",
}
_WITH_F = re.compile(
    r"a?(?:sin|cos|tan)h?|exp2?|expm1|log(?:2|10|1p)?|r?sqrt|cbrt|floor|ceil|trunc|rint|erf"
)
_NO_FUNCTIONS = ("inf", "float32", "float64", "int32", "int64")


def without_library(library: str, text: str, code: str) -> str:
    """What to write in place of the first ``library.something`` of a line of ``code``.

    >>> without_library("cp", "y = cp.tanh(x);", "")
    'tanhf: C has no `cp`'
    >>> without_library("np", "y = np.maximum(x, 0);", "")
    'fmaxf: C has no `np`'
    """
    found = re.search(rf"\b{library}\.(\w+)", text)
    called = found[1] if found else ""
    if called in _NO_FUNCTIONS:
        return likely_name(called, code)
    name = f"{called}f" if _WITH_F.fullmatch(called) else _ANOTHER_NAME.get(called)
    return f"{name}: C has no `{library}`" if name else "the function's name in C, such as sqrtf"
