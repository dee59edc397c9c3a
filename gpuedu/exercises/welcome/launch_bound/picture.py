"""launch-bound: its picture."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gpuedu.exercises.plain import number, whole_number
from gpuedu.figures.launch import plot_launch_share

LAUNCH_S, ELEMENTS_PER_S = 5e-6, 4800e9 / 8


def draw_launch_bound(
    launch_share: Callable[..., float], elements_for_share: Callable[..., int]
) -> Any:
    """The share by size from the learner's first function, points from the second."""
    sizes = np.geomspace(1e4, 1e10, 61)
    shares = [
        number(launch_share(LAUNCH_S, ELEMENTS_PER_S, float(size)), "the share") for size in sizes
    ]
    marked = [
        (max(whole_number(elements_for_share(LAUNCH_S, ELEMENTS_PER_S, share)), 1), share)
        for share in (0.5, 0.1, 0.01)
    ]
    return plot_launch_share(
        sizes,
        shares,
        marked,
        source="computed by your functions: a 5 µs launch, float32 copied at 4,800 GB/s (H200 data "
        "sheet)",
    )


PICTURE = draw_launch_bound
