"""What the ladder ends at: NVIDIA's library, cuBLAS, through ``torch.matmul``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gpuedu.ladder.rung import LadderError


def bind_library(a: Any, b: Any, c: Any) -> Callable[[], None]:
    """A function that enqueues c = a @ b by the library once.

    Args:
        a: (M, K) tensor on the GPU.
        b: (K, N), of the same dtype.
        c: (M, N), the same; it is overwritten.

    Raises:
        LadderError: The tensors are float32, and PyTorch may round them to TF32 for Tensor Cores,
            which the rungs do not.
    """
    import torch

    precision = torch.get_float32_matmul_precision()
    if a.dtype == torch.float32 and precision != "highest":
        raise LadderError(
            f"PyTorch multiplies float32 with precision {precision!r}, not in full",
            remedy='torch.set_float32_matmul_precision("highest")',
        )

    def launch() -> None:
        torch.matmul(a, b, out=c)

    return launch
