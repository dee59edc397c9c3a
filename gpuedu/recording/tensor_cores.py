"""bfloat16 products on Tensor Cores: the library's and Triton's."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np

from gpuedu.ladder.library import bind_library
from gpuedu.recording.bench import GpuBench
from gpuedu.recording.comparing import matmul_tolerance
from gpuedu.recording.operands import Operands
from gpuedu.recording.points import NotHereError, PreparedPoint

# bfloat16 has 8 significant bits: a result is rounded by at most 2**-8 of itself.
_ROUNDING = 2.0**-8


def library_product(bench: GpuBench, operands: Operands, n: int) -> PreparedPoint:
    """PyTorch's product of two (n, n) matrices; NotHereError if the GPU has no bfloat16."""
    a, b, c = _tensors(bench, operands, n)
    return PreparedPoint(bind_library(a, b, c), lambda: _fault(bench, a, b, c))


def _triton(bench: GpuBench, operands: Operands, n: int) -> PreparedPoint:
    try:
        import_module("triton")
    except ImportError as fault:
        raise NotHereError("there is no Triton") from fault
    if bench.torch_device != "cuda":
        raise NotHereError("Triton's kernels run on a GPU only")
    a, b, c = _tensors(bench, operands, n)
    run = import_module("gpuedu.ladder.triton_bf16").bind_triton(a, b, c)
    return PreparedPoint(run, lambda: _fault(bench, a, b, c))


def _tensors(bench: GpuBench, operands: Operands, n: int) -> tuple[Any, Any, Any]:
    """a, b, and c of nothing but NaN, (n, n), bfloat16, where the GPU has units for it."""
    torch = bench.torch
    if torch is None:
        raise NotHereError("there is no PyTorch that sees the GPU")
    if bench.torch_device == "cuda" and not torch.cuda.is_bf16_supported(including_emulation=False):
        raise NotHereError("this GPU computes no bfloat16")
    a, b = (torch.from_numpy(x).to(bench.torch_device, torch.bfloat16) for x in operands.on_host(n))
    return a, b, torch.full_like(a, float("nan"))


def _fault(bench: GpuBench, a: Any, b: Any, c: Any) -> str:
    """What is wrong with c, held against the float64 product of the rounded a and b."""
    left, right = (x.float().cpu().numpy() for x in (a, b))
    exact, got = bench.matmul_float64(left, right), c.float().cpu().numpy()
    limit = _ROUNDING * np.abs(exact) + matmul_tolerance(a.shape[1])
    wrong = ~(np.abs(got - exact) <= limit)
    if not wrong.any():
        return ""
    row, column = (int(i) for i in np.unravel_index(wrong.argmax(), wrong.shape))
    return f"element {row, column} is {got[row, column]}, and should be {exact[row, column]}"


PRODUCTS: tuple[tuple[str, str, Callable[[GpuBench, Operands, int], PreparedPoint]], ...] = (
    ("cublas", "PyTorch", library_product),
    ("triton", "Triton", _triton),
)
"""Name, language and work of each."""
