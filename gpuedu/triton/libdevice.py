"""NVIDIA's mathematical functions (libdevice) without a GPU, as PyTorch computes them.

Their last digits may differ from a GPU's: the CUDA Math API gives errors of up to 2 units in the
last place for most of them, and PyTorch's are as small.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import torch

_SAME = """
abs acos acosh asin asinh atan atan2 atanh ceil copysign cos cosh erf erfc erfinv exp exp2 expm1
floor fmod hypot lgamma log log10 log1p log2 pow sin sinh sqrt tan tanh trunc
"""
_OTHERS: dict[str, Callable[..., torch.Tensor]] = {
    "cbrt": lambda x: torch.sign(x) * torch.abs(x) ** (1 / 3),
    "cospi": lambda x: torch.cos(torch.pi * x),
    "exp10": lambda x: 10.0**x,
    "fabs": torch.abs,
    "fast_cos": torch.cos,
    "fast_exp": torch.exp,
    "fast_log": torch.log,
    "fast_sin": torch.sin,
    "fast_tanh": torch.tanh,
    "fdim": lambda x, y: torch.clamp(x - y, min=0),
    "fma": lambda x, y, z: (x.double() * y.double() + z.double()).to(x.dtype),
    "fmax": torch.fmax,
    "fmin": torch.fmin,
    "isinf": torch.isinf,
    "isnan": torch.isnan,
    "nearbyint": torch.round,
    "normcdf": torch.special.ndtr,
    "rcbrt": lambda x: torch.sign(x) / torch.abs(x) ** (1 / 3),
    "remainder": lambda x, y: x - torch.round(x / y) * y,
    "rint": torch.round,
    "round": lambda x: torch.sign(x) * torch.floor(torch.abs(x) + 0.5),
    "rsqrt": torch.rsqrt,
    "sinpi": lambda x: torch.sin(torch.pi * x),
    "tgamma": lambda x: torch.exp(torch.lgamma(x)),
}


def compute(symbol: str, operands: Sequence[np.ndarray], dtype: np.dtype) -> np.ndarray | None:
    """What a function of libdevice returns; None for one that is not known here.

    Args:
        symbol: Its name there, such as ``__nv_tanhf``.
        operands: Arrays that broadcast.
        dtype: Of the result.

    >>> compute("__nv_rsqrtf", [np.array([4.0, 16.0], np.float32)], np.dtype("f4"))
    array([0.5 , 0.25], dtype=float32)
    """
    function = _function(symbol.removeprefix("__nv_"))
    if function is None:
        return None
    given = [torch.from_numpy(np.ascontiguousarray(one)) for one in operands]
    return function(*given).numpy().astype(dtype, copy=False)


def _function(name: str) -> Callable[..., torch.Tensor] | None:
    """By name; that of a function of float32 ends with an ``f``."""
    for one in (name, name.removesuffix("f")):
        if one in _SAME.split():
            return getattr(torch, one)
        if one in _OTHERS:
            return _OTHERS[one]
    return None
