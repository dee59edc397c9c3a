"""What the lesson tiling counts and times for the learner."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from typing import Any

import numpy as np

from gpuedu.clock import time_launch
from gpuedu.exercises.tiling.kernel_counts import kernel_counts
from gpuedu.ladder.library import bind_library, full_float32

SIDE = 2048
"""M = N = K of the products that are timed."""


def count_kernels() -> dict[str, dict[str, int]]:
    """The counts of eight kernels, by name; launched on the machine, not timed."""
    return {name: asdict(work) for name, work in kernel_counts().items()}


def time_matmuls(
    blocks_for: Callable[[int, int], tuple[int, int]],
    matmul_naive: Any,
    matmul_tiled: Any,
    side: int = SIDE,
) -> dict[str, Any]:
    """Time the learner's two kernels and the library's on this machine's GPU.

    Args:
        blocks_for: the grid of the first kernel for M rows and N columns.
        matmul_naive: a kernel of ``(a, b, c)``, launched with it.
        matmul_tiled: another, launched with a block for each tile of 32 x 32.
        side: M = N = K.

    Returns:
        Seconds by kernel, the median of several launches, with M, N and K as ``m``, ``n``, ``k``
        and the ``device``'s name. Empty where there is no GPU: the machine of this course counts
        and has no times.
    """
    from gpuedu.backend import cuda, has_gpu

    if not has_gpu():
        return {}
    rng = np.random.default_rng(6)
    a, b, c = (rng.normal(0, 1, (side, side)).astype(np.float32) for _ in range(3))
    arrays = [cuda.to_device(array) for array in (a, b, c)]
    block = (32, 32)
    tiles = (side // 32, side // 32)
    launches: dict[str, Callable[[], object]] = {
        "naive": lambda: matmul_naive[blocks_for(side, side), block](*arrays),
        "tiled": lambda: matmul_tiled[tiles, block](*arrays),
    }
    times = {name: time_launch(f, cuda.synchronize).median_s for name, f in launches.items()}
    name = cuda.get_current_device().name
    told = name.decode() if isinstance(name, bytes) else str(name)
    return {**times, **_time_library(a, b), "m": side, "n": side, "k": side, "device": told}


def _time_library(a: np.ndarray, b: np.ndarray) -> dict[str, float]:
    """PyTorch's matmul in float32, without TF32; nothing where it sees no GPU."""
    import torch

    if not torch.cuda.is_available():
        return {}
    left, right = (torch.from_numpy(array).cuda() for array in (a, b))
    with full_float32():
        launch = bind_library(left, right, torch.empty_like(left))
        return {"library": time_launch(launch, torch.cuda.synchronize).median_s}


MEASURES = {
    "tiling/counts": count_kernels,
    "tiling/times": time_matmuls,
}
