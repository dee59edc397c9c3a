"""grid-stride: its picture."""

from __future__ import annotations

from typing import Any

import numpy as np

from gpuedu.exercises.first_kernels.pictures import draw_owners
from gpuedu.exercises.kernels.launching import run_kernel

_SIZE, _BLOCKS, _THREADS = 150, 2, 32


def draw_grid_stride(square: Any) -> Any:
    """The thread and block that wrote each element, with fewer threads than elements."""
    x, out = np.ones((2, _SIZE), np.float32)
    trace = run_kernel(square, _BLOCKS, _THREADS, x, out, watch=range(_BLOCKS), max_turns=300)
    return draw_owners(trace, 1, out.size)


PICTURE = draw_grid_stride
