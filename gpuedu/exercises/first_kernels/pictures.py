"""Pictures of the lesson first-kernels, most of them made from the learner's own kernels.

A kernel is launched on a small example each time; it is drawn while it is wrong, too.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import numpy as np

from gpuedu.exercises.first_kernels.copies import draw_copies
from gpuedu.exercises.kernels.launching import run_kernel, writers
from gpuedu.figures import style
from gpuedu.figures.caption import Caption
from gpuedu.figures.kernels.accesses import plot_accesses
from gpuedu.figures.kernels.launch_sketch import plot_launch_sketch
from gpuedu.figures.kernels.owners import Owner, plot_owners
from gpuedu.trace import Trace

FROM_YOUR_KERNEL = "Counted on gpuedu's machine in a launch of your kernel; nothing is timed."

_LINE, _ON_LINE = re.compile(r"^line \d+:  "), re.compile(r" on line \d+")


def draw_owners(trace: Trace, position: int, size: int) -> Any:
    """The thread that wrote each element of an argument."""
    owners = _owners(trace, position, size)
    wrote = sum(owner.times == 1 for owner in owners)
    again = sum(owner.times > 1 for owner in owners)
    launch = trace.launch
    name = launch.arguments[position].name
    hazard = f" {trace.hazards[0].message}." if trace.hazards else ""
    threads = launch.threads_per_block * launch.grid[0]
    without = threads - len({(one.block, one.thread) for one in owners if one.times})
    spare = f"{without} of {threads} threads wrote nothing" if without > 0 == again else ""
    idle = "" if hazard or not spare else f"the end: {spare}"
    caption = Caption(
        title=f"{launch.kernel}[{launch.grid[0]}, {launch.block[0]}]: who writes which element",
        source=f"The number is threadIdx.x, the color is the block; a row is 32 elements.\n"
        f"{FROM_YOUR_KERNEL}",
        alt=f"{size} elements of {name}: {wrote} written once, {again} more than once, "
        f"{size - wrote - again} not at all.{f' {spare}.' if spare else ''}{hazard}",
    )
    return plot_owners(owners, caption=caption, idle=idle)


def _owners(trace: Trace, position: int, size: int) -> list[Owner]:
    found = writers(trace, position, size)
    threads = trace.launch.threads_per_block
    owners = [
        Owner(i, int(found["times"][i]), *divmod(int(found["first"][i]), threads))
        for i in range(size)
    ]
    past = [seen.index[0] for seen in trace.hazards if seen.index and seen.index[0] >= size]
    return owners + [Owner(index, outside=True) for index in past[:1]]


def draw_swapped() -> Any:
    """The reads of one warp of a kernel whose x goes down the column."""
    ax = draw_reads(run_map(_swapped_kernel()))
    for text in ax.texts:  # that kernel is in no cell, so its lines have no numbers there
        text.set_text(_LINE.sub("row, column = cuda.grid(2):  ", text.get_text()))
    return style.describe(ax, _ON_LINE.sub(", where x is the row,", style.alt_text(ax)))


@cache
def _swapped_kernel() -> Any:
    """``out = m + bias`` with x along the column: right, and costly.

    Launched over (columns, rows); each element is written by one thread.
    """
    from gpuedu.backend import cuda

    @cuda.jit
    def add_bias_swapped(m, bias, out):
        row, column = cuda.grid(2)
        if row < m.shape[0] and column < m.shape[1]:
            out[row, column] = m[row, column] + bias[column]

    return add_bias_swapped


def draw_reads(trace: Trace) -> Any:
    """The reads of the matrix, a kernel's first argument, under whatever name."""
    return plot_accesses(trace, trace.launch.arguments[0].name)


def run_map(kernel: Any) -> Trace:
    """A launch over a matrix of zeros and a bias of ones."""
    m = np.zeros((64, 64), np.float32)
    return run_kernel(kernel, (2, 8), (32, 8), m, np.ones(64, np.float32), np.zeros_like(m))


PICTURES = {
    "first-kernels/launch": plot_launch_sketch,
    "first-kernels/copies": draw_copies,
    "first-kernels/swapped": draw_swapped,
}
