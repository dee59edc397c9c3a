"""scan: its picture."""

from __future__ import annotations

from typing import Any

import numpy as np

from gpuedu.exercises.kernels.launching import run_kernel
from gpuedu.figures.kernels.rounds import plot_rounds
from gpuedu.lens.rounds import exchange_of
from gpuedu.trace import WARP_SIZE


def draw_scan(scan_block: Any, add_before: Any) -> Any:
    """What the learner's scan hands around in a block of 32."""
    x, totals = np.ones(WARP_SIZE, np.int32), np.zeros(1, np.int32)
    trace = run_kernel(scan_block, 1, WARP_SIZE, x, np.zeros_like(x), totals)
    return plot_rounds(exchange_of(trace), kernel=trace.launch.kernel)


PICTURE = draw_scan
