"""mandelbrot: its picture."""

from __future__ import annotations

from typing import Any

import numpy as np

from gpuedu.exercises.first_kernels.pictures import FROM_YOUR_KERNEL
from gpuedu.exercises.kernels.launching import run_kernel
from gpuedu.figures.caption import Caption
from gpuedu.figures.kernels.lane_map import plot_lane_map
from gpuedu.trace import WARP_SIZE, Trace

SET_SHAPE, SET_STEP, SET_LIMIT = (144, 192), 1 / 60, 60


def draw_mandelbrot(mandelbrot: Any) -> Any:
    """The set from the learner's kernel, beside the mean active lanes of each warp."""
    rows, columns = SET_SHAPE
    out = np.zeros(SET_SHAPE, np.int32)
    trace = run_kernel(
        mandelbrot, (columns // 32, rows // 8), (32, 8), -2.2, 1.2, SET_STEP, SET_LIMIT, out
    )
    lanes = _mean_lanes(trace)
    busy = _by_pixel(lanes, trace)
    mean = sum(int(line.lanes.sum()) for line in trace.lines) / max(
        1, sum(int(line.executions.sum()) for line in trace.lines)
    )
    caption = Caption(
        title=f"The set, and the warps that computed it: {mean:.1f} of 32 lanes active",
        source=f"Left: your kernel's counts, limit {SET_LIMIT}. Right: a warp is a row of 32 "
        f"pixels; a mean over the lines that it ran.\n{FROM_YOUR_KERNEL}",
        alt=f"Left, {rows} by {columns} pixels of the Mandelbrot set. Right, active lanes of each "
        f"warp, from {lanes.min():.1f} to {lanes.max():.1f} of 32, on average {mean:.1f}.",
    )
    return plot_lane_map(out, busy, name="steps until the point escapes", caption=caption)


def _mean_lanes(trace: Trace) -> np.ndarray:
    """(W,) active lanes of each warp, averaged over the lines that it ran."""
    zero = np.zeros(trace.launch.warps, np.int64)
    lanes = sum((line.lanes for line in trace.lines), zero)
    runs = sum((line.executions for line in trace.lines), zero)
    return lanes / np.maximum(runs, 1)


def _by_pixel(lanes: np.ndarray, trace: Trace) -> np.ndarray:
    """A value of each warp on the pixels of its threads; blocks are 32 wide."""
    (across, down, _), height = trace.launch.grid, trace.launch.block[1]
    by_block = lanes.reshape(down, across, height)
    return np.repeat(by_block.transpose(0, 2, 1).reshape(down * height, across), WARP_SIZE, axis=1)


PICTURE = draw_mandelbrot
