"""raw-kernel: its picture."""

from __future__ import annotations

from typing import Any

import numpy as np

from gpuedu.exercises.kernels.launching import run_kernel
from gpuedu.exercises.kernels.raw_kernel import require_cuda_c
from gpuedu.figures.kernels.accesses import plot_accesses

PIXELS, BLOCKS, THREADS = 1024, 4, 64


def draw_raw_kernel(normalize: Any) -> Any:
    """What one warp of the learner's kernel reads of the pixels."""
    require_cuda_c(normalize, "normalize")
    pixels, out = np.ones(PIXELS, np.uint8), np.zeros(PIXELS, np.float32)
    numbers = np.float32(0.5), np.float32(0.25), np.int32(PIXELS)
    trace = run_kernel(normalize, BLOCKS, THREADS, pixels, out, *numbers)
    return plot_accesses(trace, trace.launch.arguments[0].name)


PICTURE = draw_raw_kernel
