"""Twelve expressions to run under autocast, and the lists that PyTorch has for CUDA.

Source of the lists: PyTorch documentation, "Automatic Mixed Precision package - torch.amp", CUDA
Op-Specific Behavior. Names that end with ``_loss`` and some rare ones are left out here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import SimpleNamespace
from typing import Any

DTYPES = ("float16", "float32", "float64")
SIZE = 8


def inputs() -> SimpleNamespace:
    """Operands of the expressions: ``x`` and ``w`` in float32, ``h`` in float16, classes."""
    import torch

    chance = torch.Generator().manual_seed(10)
    x, w, h = (torch.randn(SIZE, SIZE, generator=chance) for _ in range(3))
    return SimpleNamespace(x=x, w=w, h=h.half(), y=torch.arange(SIZE))


def _functional() -> Any:
    from torch.nn import functional

    return functional


EXPRESSIONS: Mapping[str, Callable[[Any], Any]] = {
    "x @ w": lambda v: v.x @ v.w,
    "torch.relu(x @ w)": lambda v: (v.x @ v.w).relu(),
    "h + x": lambda v: v.h + v.x,
    "h * h": lambda v: v.h * v.h,
    "h ** 2": lambda v: v.h**2,
    "h.sum()": lambda v: v.h.sum(),
    "h.mean()": lambda v: v.h.mean(),
    "torch.exp(h)": lambda v: v.h.exp(),
    "torch.softmax(h, 1)": lambda v: v.h.softmax(1),
    "F.layer_norm(h, (8,)) @ w": lambda v: _functional().layer_norm(v.h, (SIZE,)) @ v.w,
    "F.cross_entropy(h, y)": lambda v: _functional().cross_entropy(v.h, v.y),
    "x.double() @ w.double()": lambda v: v.x.double() @ v.w.double(),
}
"""By its text, what computes it from ``inputs()``."""

LISTS: Mapping[str, str] = {
    "in 16 bits": "matmul and @, mm, mv, bmm, baddbmm, addmm, addmv, addr, multi_dot, linear, "
    "conv1d, conv2d, conv3d, conv_transpose1d, ...2d, ...3d, prelu, LSTMCell, GRUCell, RNNCell",
    "in float32": "pow and **, exp, expm1, log, log10, log1p, log2, reciprocal, rsqrt, a number / "
    "a tensor, acos, asin, cosh, sinh, tan, erfinv, sum, prod, cumsum, cumprod, norm, normalize, "
    "dist, cdist, pdist, cosine_similarity, softmax, softmin, log_softmax, softplus, layer_norm, "
    "group_norm, and losses: cross_entropy, nll_loss, mse_loss, l1_loss, smooth_l1_loss, kl_div, "
    "binary_cross_entropy_with_logits, ...",
    "in the wider dtype of their inputs": "dot, tensordot, addcmul, addcdiv, atan2, bilinear, "
    "cross, grid_sample, index_put, scatter_add",
}
"""Operations that CUDA's autocast knows by name, and in which dtype it runs them."""


def on_this_cpu() -> dict[str, str]:
    """The dtype of each expression's result on a CPU, under its autocast to float16.

    >>> on_this_cpu()["x @ w"]
    'float16'
    """
    import torch

    given, found = inputs(), {}
    with torch.autocast("cpu", torch.float16):
        for text, compute in EXPRESSIONS.items():
            found[text] = str(compute(given).dtype).removeprefix("torch.")
    return found


def write_lists() -> str:
    """The lists as a page."""
    import textwrap

    parts = ["CUDA's autocast looks an operation up by its name. It runs", ""]
    for how, names in LISTS.items():
        parts += textwrap.wrap(f"{how}: {names}", 96, initial_indent="  ", subsequent_indent="    ")
    parts += [
        "  in the dtype of its input: every other; with two inputs, in the wider one",
        "",
        "float64 and whole numbers are left as they are. Source: PyTorch, torch.amp.",
    ]
    return "\n".join(parts)
