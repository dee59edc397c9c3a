"""What the ladder ends at: NVIDIA's library, cuBLAS, through ``torch.matmul``."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from gpuedu.ladder.rung import LadderError


def bind_library(a: Any, b: Any, c: Any) -> Callable[[], None]:
    """A function that enqueues c = a @ b in the library once.

    Args:
        a: (M, K) tensor on the GPU.
        b: (K, N), of the same dtype.
        c: (M, N), the same; it is overwritten.

    Raises:
        LadderError: The tensors are float32, and PyTorch may round them to TF32 for Tensor Cores,
            which the rungs do not. Inside ``full_float32`` it does not.
    """
    import torch

    precision = torch.get_float32_matmul_precision()
    if a.dtype == torch.float32 and precision != "highest":
        raise LadderError(
            f"PyTorch multiplies float32 with precision {precision!r}, not in full",
            remedy='`with full_float32():`, or torch.set_float32_matmul_precision("highest")',
        )

    def launch() -> None:
        torch.matmul(a, b, out=c)

    return launch


@contextmanager
def full_float32() -> Iterator[None]:
    """Inside, PyTorch multiplies float32 without rounding it to TF32; then it does as before."""
    import torch

    before = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision("highest")
    try:
        yield
    finally:
        torch.set_float32_matmul_precision(before)
