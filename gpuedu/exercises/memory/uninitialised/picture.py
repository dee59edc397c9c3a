"""uninitialised: its picture."""

from __future__ import annotations

from typing import Any

import numpy as np

from gpuedu.exercises.kernels.launching import run_kernel
from gpuedu.exercises.memory.pictures import draw_shared

SUMS_SIZE, SUMS_THREADS = 100, 64


def draw_uninitialised(block_sums: Any) -> Any:
    """Shared memory of the block that is not full, with the writer of each place."""
    return draw_sums_of(SUMS_SIZE, block_sums)


def draw_sums_of(size: int, block_sums: Any) -> Any:
    """Shared memory of the last block, which is not full, at its first barrier."""
    blocks = -(-size // SUMS_THREADS)
    x, out = np.ones(size, np.float32), np.zeros(blocks, np.float32)
    trace = run_kernel(block_sums, blocks, SUMS_THREADS, x, out, watch=range(blocks))
    return draw_shared(trace, block=blocks - 1)


PICTURE = draw_uninitialised
