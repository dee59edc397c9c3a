"""blocks: its picture."""

from __future__ import annotations

from typing import Any

import numpy as np

from gpuedu.exercises.first_kernels.pictures import draw_owners
from gpuedu.exercises.kernels.launching import run_kernel

_SIZE, _BLOCKS, _THREADS = 100, 4, 32


def draw_blocks(saxpy: Any) -> Any:
    """The thread and block that wrote each element, and whether one went past the end."""
    x, y, out = np.ones((3, _SIZE), np.float32)
    blocks = range(_BLOCKS)
    trace = run_kernel(saxpy, _BLOCKS, _THREADS, np.float32(2), x, y, out, watch=blocks)
    return draw_owners(trace, 3, out.size)


PICTURE = draw_blocks
