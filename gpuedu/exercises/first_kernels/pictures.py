"""Pictures of the lesson first-kernels, most of them made from the learner's own kernels.

A kernel is launched on a small example each time; it is drawn while it is wrong, too.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

import numpy as np

from gpuedu.exercises.first_kernels.copies import draw_copies
from gpuedu.exercises.first_kernels.twins import add_bias_swapped
from gpuedu.exercises.kernels.launching import run_kernel, writers
from gpuedu.exercises.plain import number
from gpuedu.figures import style
from gpuedu.figures.caption import Caption
from gpuedu.figures.kernels.accesses import COUNTED, plot_accesses
from gpuedu.figures.kernels.lane_map import plot_lane_map
from gpuedu.figures.kernels.lanes import plot_active_lanes
from gpuedu.figures.kernels.launch_sketch import plot_launch_sketch
from gpuedu.figures.kernels.owners import Owner, plot_owners
from gpuedu.figures.kernels.warp_fill import plot_warp_fill
from gpuedu.trace import WARP_SIZE, Trace

LANES_THREADS = 100
BLOCKS_SIZE, BLOCKS, BLOCK_THREADS = 100, 4, 32
STRIDE_SIZE, STRIDE_BLOCKS = 150, 2
BLOCK_SIZES = tuple(range(1, 257))
MATRIX = (8, 64)
SET_SHAPE, SET_STEP, SET_LIMIT = (144, 192), 1 / 60, 60
_LINE, _ON_LINE = re.compile(r"^line \d+:  "), re.compile(r" on line \d+")
_COUNTED = "Counted on the machine from a launch of your kernel, not timed."


def draw_thread_index(add_ten: Any) -> Any:
    """The lanes of the block's warps, while the learner's kernel runs."""
    n = LANES_THREADS
    a, out = np.arange(n, dtype=np.int32), np.zeros(n, np.int32)
    ax = plot_active_lanes(run_kernel(add_ten, 1, n, a, out))
    told = ax.figure.get_supxlabel().replace(f"{COUNTED} Block 0.", _COUNTED)
    return style.note_source(ax, told)  # lanes are counted here, no accesses


def draw_blocks(saxpy: Any) -> Any:
    """Which thread of which block wrote each element, and whether one went past the end."""
    x, y = np.ones((2, BLOCKS_SIZE), np.float32)
    out = np.zeros(BLOCKS_SIZE, np.float32)
    blocks = range(BLOCKS)
    trace = run_kernel(saxpy, BLOCKS, BLOCK_THREADS, np.float32(2), x, y, out, watch=blocks)
    return _draw_owners(trace, 3, out.size)


def draw_grid_stride(square: Any) -> Any:
    """The same for a launch that has fewer threads than there are elements."""
    x, out = np.ones(STRIDE_SIZE, np.float32), np.zeros(STRIDE_SIZE, np.float32)
    trace = run_kernel(
        square, STRIDE_BLOCKS, BLOCK_THREADS, x, out, watch=range(STRIDE_BLOCKS), max_turns=300
    )
    return _draw_owners(trace, 1, out.size)


def _draw_owners(trace: Trace, position: int, size: int) -> Any:
    owners = _owners(trace, position, size)
    wrote = sum(owner.times == 1 for owner in owners)
    again = sum(owner.times > 1 for owner in owners)
    launch = trace.launch
    name = launch.arguments[position].name
    hazard = f" {trace.hazards[0].message}." if trace.hazards else ""
    caption = Caption(
        title=f"{launch.kernel}[{launch.grid[0]}, {launch.block[0]}]: who writes which element",
        source=f"The number is threadIdx.x, the colour the block; a row is 32 elements.\n"
        f"{_COUNTED}",
        alt=f"{size} elements of {name}: {wrote} written once, {again} more than once, "
        f"{size - wrote - again} not at all.{hazard}",
    )
    return plot_owners(owners, caption=caption)


def _owners(trace: Trace, position: int, size: int) -> list[Owner]:
    found = writers(trace, position, size)
    threads = trace.launch.threads_per_block
    owners = [
        Owner(i, int(found["times"][i]), *divmod(int(found["first"][i]), threads))
        for i in range(size)
    ]
    past = [seen.index[0] for seen in trace.hazards if seen.index and seen.index[0] >= size]
    return owners + [Owner(index, outside=True) for index in past[:1]]


def draw_launch_shape(
    blocks_for: Callable[..., Any], can_launch: Callable[..., Any], empty_lanes: Callable[..., Any]
) -> Any:
    """The share of lanes without a thread by the learner's function, for blocks of 1 to 256."""
    shares = [_empty_share(empty_lanes, size) for size in BLOCK_SIZES]
    named = {size: 100 * shares[size - 1] for size in (32, 33, 100, 256)}
    blocks = number(blocks_for(1_000_000, 256), "the number of blocks")
    caption = Caption(
        title="A block that does not fill its last warp wastes lanes",
        x="threads in a block (dots: multiples of 32)",
        y="lanes without a thread, %",
        source="Computed by your empty_lanes. By your blocks_for, a million elements take "
        f"{blocks:,.0f} blocks of 256 threads.",
        alt="Share of lanes without a thread by threads in a block: "
        + ", ".join(f"{share:.3g}% at {size}" for size, share in named.items())
        + ".",
    )
    return plot_warp_fill(BLOCK_SIZES, shares, caption=caption)


def _empty_share(empty_lanes: Callable[..., Any], size: int) -> float:
    empty = number(empty_lanes(size), "the number of lanes")
    lanes = size + empty
    return empty / lanes if lanes > 0 and math.isfinite(empty) else math.nan


def draw_two_d_map(add_bias: Any) -> Any:
    """What one warp of the learner's kernel reads of the matrix, in rows of memory."""
    return _draw_reads(_run_map(add_bias))


def draw_swapped() -> Any:
    """The same for a kernel whose x goes down the column."""
    ax = _draw_reads(_run_map(add_bias_swapped()))
    for text in ax.texts:  # that kernel is in no cell, so its lines have no numbers there
        text.set_text(_LINE.sub("row, column = cuda.grid(2):  ", text.get_text()))
    return style.describe(ax, _ON_LINE.sub(", where x is the row,", style.alt_text(ax)))


def _draw_reads(trace: Trace) -> Any:
    """The reads of the matrix, a kernel's first argument, under whatever name."""
    return plot_accesses(trace, trace.launch.arguments[0].name)


def _run_map(kernel: Any) -> Trace:
    m = np.zeros((64, 64), np.float32)
    return run_kernel(kernel, (2, 8), (32, 8), m, np.ones(64, np.float32), np.zeros_like(m))


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
        f"pixels; a mean over the lines that it ran.\n{_COUNTED}",
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


PICTURES: dict[str, Callable[..., Any]] = {
    "first-kernels/launch": plot_launch_sketch,
    "first-kernels/copies": draw_copies,
    "first-kernels/swapped": draw_swapped,
    "thread-index": draw_thread_index,
    "blocks": draw_blocks,
    "launch-shape": draw_launch_shape,
    "grid-stride": draw_grid_stride,
    "two-d-map": draw_two_d_map,
    "mandelbrot": draw_mandelbrot,
}
