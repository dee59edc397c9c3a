"""A launch as a drawing: the grid, its blocks, their threads, and how warps divide a block."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from gpuedu.figures import style
from gpuedu.figures.caption import Caption, write_caption
from gpuedu.figures.kernels.cells import draw_cell, sheet, warp_color, write

_COLUMNS, _LEFT = 32, 0.4
_BLOCKS, _THREADS = 3, 8
_PITCH = 10.9


def plot_launch_sketch(*, ax: Axes | None = None) -> Axes:
    """Draw ``kernel[3, 8]``: three blocks of eight threads, each with its own numbers.

    Args:
        ax: where to draw; a new figure by default.
    """
    ax = sheet(8.1, _COLUMNS, _LEFT) if ax is None else ax
    write(ax, 0, 0.5, "kernel[3, 8](...)", size_pt=11, family="monospace", weight="bold")
    write(ax, 9.6, 0.5, "3 blocks of 8 threads: 24 runs of the same lines", size_pt=10)
    _frame(ax, -0.2, 1.3, 32.4, 4.2, style.QUIET)
    write(ax, 0.1, 1.85, "grid", size_pt=9.5, color=style.QUIET)
    for block in range(_BLOCKS):
        _draw_block(ax, block, 0.3 + block * _PITCH)
    says = "Real blocks have up to 1,024 threads. The device runs them in warps of 32 lanes:"
    write(ax, 0, 6.2, says, size_pt=10)
    for lane in range(_COLUMNS):
        draw_cell(ax, lane, 6.9, color=warp_color(0), text=str(lane))
    return write_caption(
        ax,
        Caption(
            title="A launch: one program, many threads",
            alt="A grid of three blocks. Block 0, 1 and 2 each have eight threads, numbered 0 to 7 "
            "in every block. Below, a warp of 32 lanes, numbered 0 to 31.",
            source="A sketch. The numbers are what a thread reads from cuda.blockIdx.x and "
            "cuda.threadIdx.x; in the warp they are lanes.",
        ),
    )


def _draw_block(ax: Axes, block: int, left: float) -> None:
    _frame(ax, left, 2.4, _THREADS + 1.6, 2.8, warp_color(block))
    write(ax, left + 0.4, 3.1, f"block: blockIdx.x = {block}", size_pt=9.5, weight="bold")
    for thread in range(_THREADS):
        draw_cell(ax, left + 0.8 + thread, 3.9, color=warp_color(block), text=str(thread))


def _frame(ax: Axes, x: float, y: float, width: float, height: float, color: str) -> None:
    ax.add_patch(Rectangle((x, y), width, height, facecolor="none", edgecolor=color, lw=1.4))
