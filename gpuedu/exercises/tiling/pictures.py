"""Pictures of the lesson tiling, made from the learner's code, right or wrong.

A kernel is launched on small matrices each time. Arguments are found by their position, since their
names are the learner's.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gpuedu.errors import AnswerError
from gpuedu.exercises.kernels.launching import run_kernel
from gpuedu.exercises.kernels.traffic import loads_by_block
from gpuedu.exercises.tiling.kernel_counts import describe_counts
from gpuedu.exercises.tiling.precision import describe_compiled
from gpuedu.exercises.tiling.roof_pictures import draw_ladder, draw_moved
from gpuedu.figures.caption import Caption
from gpuedu.figures.kernels.accesses import plot_accesses
from gpuedu.figures.kernels.block_reads import plot_block_reads
from gpuedu.figures.kernels.hazards import plot_hazard
from gpuedu.figures.kernels.tile_walk import TileWalk, describe_walk, plot_tile_walk
from gpuedu.trace import AccessSite, Operation, Space, Trace

SIDE = 64
"""M = N = K of the products that are drawn."""

TILE = 32
SKETCHED, SKETCHED_BLOCK = (96, 96, 128), (1, 2)
"""M, N, K and the block of the sketch."""

DOTS = ("float32[:, ::1]", "float32[:, ::1]", "float32[::1]")
"""The arguments of the kernel that is shown compiled."""
_SHOWN = frozenset({"data-race", "uninitialised-read", "divergent-barrier", "out-of-bounds"})


def random_matrices(m: int, n: int, k: int) -> tuple[np.ndarray, ...]:
    """``a`` (m, k) and ``b`` (k, n), the same in each picture, and an empty ``c``."""
    rng = np.random.default_rng(6)
    a, b = (rng.normal(0, 1, shape).astype(np.float32) for shape in ((m, k), (k, n)))
    return a, b, np.zeros((m, n), np.float32)


def launch_product(kernel: Any, m: int, n: int, k: int) -> Trace:
    """The launch of 32 x 32 threads a block that all but the first kernel get."""
    grid = (-(-n // 32), -(-m // 32))
    return run_kernel(
        kernel, grid, (32, 32), *random_matrices(m, n, k), watch=range(grid[0] * grid[1])
    )


def draw_sketch() -> Any:
    """The tiles that one block needs, numbered by turn; M, N and K are whole tiles."""
    m, n, k = SKETCHED
    x, y = SKETCHED_BLOCK
    a, b = np.full((m, k), -1), np.full((k, n), -1)
    for turn in range(k // TILE):
        along = slice(TILE * turn, TILE * (turn + 1))
        a[TILE * y : TILE * (y + 1), along] = turn
        b[along, TILE * x : TILE * (x + 1)] = turn
    walk = TileWalk(a, b, SKETCHED_BLOCK)
    return plot_tile_walk(
        walk,
        caption=Caption(
            title=f"What block {SKETCHED_BLOCK} needs, turn by turn",
            alt=f"b is above c, and a to its left. {describe_walk(walk)}",
            source="A sketch. A number is the turn: in turn 0 the block brings the two tiles with "
            "a 0, and adds the products that they have.",
        ),
    )


def draw_by_columns() -> Any:
    """What a warp asks for in one step if x runs down the rows."""
    from gpuedu.ladder.plain import by_columns

    trace = run_kernel(by_columns, (2, 2), (32, 32), *random_matrices(SIDE, SIDE, 32))
    return draw_step(trace, with_lines=False)


def draw_step(trace: Trace, *, with_lines: bool = True) -> Any:
    """The line that asks for most sectors of ``a`` and ``b``, with all its accesses."""
    names = {trace.launch.arguments[at].name for at in (0, 1)}
    loads = [
        site
        for site in trace.sites
        if site.array in names and site.operation is Operation.LOAD and site.requests.sum()
    ]
    if not loads:
        raise AnswerError(f"`{trace.launch.kernel}` does not read `a` or `b` yet")
    return plot_accesses(trace, max(loads, key=_sectors).place, with_lines=with_lines)


def _sectors(site: AccessSite) -> int:
    return int(site.sectors.sum()) if site.space is Space.GLOBAL else 0


def draw_naive_reads() -> Any:
    """Which block reads which elements of ``a`` without tiles, and how often."""
    from gpuedu.ladder.plain import naive

    return draw_reads(launch_product(naive, SIDE, SIDE, SIDE))


def draw_hazard_or(draw: Callable[[Trace], Any], trace: Trace) -> Any:
    """The first hazard of a launch, or what is drawn of one that has none."""
    seen = [found for found in trace.hazards if found.kind in _SHOWN and found.who]
    return plot_hazard(trace, seen[0]) if seen else draw(trace)


def draw_reads(trace: Trace) -> Any:
    """How often each element of the first argument is read."""
    argument = trace.launch.arguments[0]
    rows, columns = argument.shape
    loads = loads_by_block(trace, 0, rows * columns)
    told = [
        f"Block {block} reads {np.count_nonzero(counts):,} elements, {int(counts.sum()):,} reads, "
        f"at most {int(counts.max())} of one."
        for block, counts in enumerate(loads)
    ]
    mean = loads.sum() / loads.shape[1]
    caption = Caption(
        title=f"{trace.launch.kernel}: an element of {argument.name} is read {mean:.3g} times",
        x=f"element of {argument.name}, row by row ({rows} x {columns})",
        source=f"{len(loads)} blocks of 32 x 32 threads, one for each tile of the result. Counted "
        "on the machine from a launch, not timed.",
        alt=f"On average an element is read {mean:.3g} times. {' '.join(told)}",
    )
    return plot_block_reads(loads, caption=caption)


def describe_dots(kernel: Any) -> str:
    """What the compiler makes of a kernel of two matrices and a third array, line by line.

    The third is a vector; of a kernel that cannot be compiled so, it is a matrix.
    """
    try:
        return describe_compiled(kernel, DOTS)
    except AnswerError:
        return describe_compiled(kernel, (DOTS[0],) * 3)


PICTURES = {
    "tiling/counts": describe_counts,
    "tiling/down-the-rows": draw_by_columns,
    "tiling/compiled": describe_dots,
    "tiling/walk": draw_sketch,
    "tiling/naive-reads": draw_naive_reads,
    "tiling/moved": draw_moved,
    "tiling/ladder": draw_ladder,
}
