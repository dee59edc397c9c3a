"""thread-index: its picture."""

from __future__ import annotations

from typing import Any

import numpy as np

from gpuedu.exercises.first_kernels.pictures import FROM_YOUR_KERNEL
from gpuedu.exercises.kernels.launching import run_kernel
from gpuedu.figures import style
from gpuedu.figures.kernels.accesses import COUNTED
from gpuedu.figures.kernels.lanes import plot_active_lanes

LANES_THREADS = 100


def draw_thread_index(add_ten: Any) -> Any:
    """The lanes of the block's warps, while the learner's kernel runs."""
    n = LANES_THREADS
    a, out = np.arange(n, dtype=np.int32), np.zeros(n, np.int32)
    ax = plot_active_lanes(run_kernel(add_ten, 1, n, a, out))
    told = ax.figure.get_supxlabel().replace(f"{COUNTED} Block 0.", FROM_YOUR_KERNEL)
    return style.note_source(ax, told)  # lanes are counted here, no accesses


PICTURE = draw_thread_index
