"""warp-sum: its picture."""

from __future__ import annotations

from typing import Any

from gpuedu.exercises.cooperation.pictures import THREADS, note, run_sum
from gpuedu.figures.kernels.lanes import plot_active_lanes


def draw_warp_sum(warp_sum: Any, sum_by_warps: Any) -> Any:
    """The lanes of a block that adds by shuffles, line by line."""
    return note(plot_active_lanes(run_sum(sum_by_warps, THREADS)))


PICTURE = draw_warp_sum
