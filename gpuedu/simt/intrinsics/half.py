"""The half-precision functions of ``numba.cuda.fp16`` on float16 arrays.

Results are computed in float32 or float64 and rounded once more: sums, products, quotients, square
roots and ``hfma`` are correctly rounded, the others nearly always.

Simplified: a GPU computes ``hexp``, ``hsin`` and their like from approximate float32 instructions
and ``htanh_approx`` to about 11 bits; here all are as exact as float16 allows.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from gpuedu.simt.intrinsics import extremes

_quiet = np.errstate(all="ignore")


@_quiet
def hfma(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    """``a * b + c`` with one rounding: in float64 no sum comes close to a tie without being one."""
    product = np.asarray(a).astype(np.float64) * b
    return (product + c).astype(np.float16)[()]


@_quiet
def hne(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Whether the operands differ; False if one is NaN, unlike ``!=``."""
    return np.less(a, b) | np.greater(a, b)


@_quiet
def hrcp(a: np.ndarray) -> np.ndarray:
    """``1 / a``."""
    return np.float16(1) / a


@_quiet
def hrsqrt(a: np.ndarray) -> np.ndarray:
    """``1 / sqrt(a)``."""
    return (1 / np.sqrt(np.asarray(a).astype(np.float32))).astype(np.float16)[()]


@_quiet
def hexp10(a: np.ndarray) -> np.ndarray:
    """``10**a``."""
    return np.power(10.0, np.asarray(a).astype(np.float64)).astype(np.float16)[()]


def _by_float32(function: Callable[..., np.ndarray]) -> Callable[..., np.ndarray]:
    # NumPy converts float16 faster than it handles it in these functions.
    @_quiet
    def widened(*operands: np.ndarray) -> np.ndarray:
        result = function(*(np.asarray(operand).astype(np.float32) for operand in operands))
        return result.astype(np.float16)[()]

    return widened


FUNCTIONS: dict[str, Callable[..., np.ndarray]] = {
    "habs": _quiet(np.abs),
    "hadd": _quiet(np.add),
    "hceil": _by_float32(np.ceil),
    "hcos": _quiet(np.cos),
    "hdiv": _quiet(np.divide),
    "heq": _quiet(np.equal),
    "hexp": _quiet(np.exp),
    "hexp10": hexp10,
    "hexp2": _quiet(np.exp2),
    "hfloor": _by_float32(np.floor),
    "hfma": hfma,
    "hge": _quiet(np.greater_equal),
    "hgt": _quiet(np.greater),
    "hle": _quiet(np.less_equal),
    "hlog": _quiet(np.log),
    "hlog10": _quiet(np.log10),
    "hlog2": _quiet(np.log2),
    "hlt": _quiet(np.less),
    "hmax": _by_float32(extremes.maximum),
    "hmin": _by_float32(extremes.minimum),
    "hmul": _quiet(np.multiply),
    "hne": hne,
    "hneg": _quiet(np.negative),
    "hrcp": hrcp,
    "hrint": _by_float32(np.rint),
    "hrsqrt": hrsqrt,
    "hsin": _quiet(np.sin),
    "hsqrt": _by_float32(np.sqrt),
    "hsub": _quiet(np.subtract),
    "htanh": _quiet(np.tanh),
    "htanh_approx": _quiet(np.tanh),
    "htrunc": _by_float32(np.trunc),
}
"""The functions by their names in ``numba.cuda.fp16``."""
