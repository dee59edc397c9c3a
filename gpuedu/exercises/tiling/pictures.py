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
from gpuedu.exercises.tiling.eight import describe_eight
from gpuedu.exercises.tiling.play import grid_of
from gpuedu.exercises.tiling.precision import RMS_TYPES, describe_compiled
from gpuedu.exercises.tiling.roof_pictures import draw_ladder, draw_moved, draw_roofline
from gpuedu.exercises.tiling.walks import draw_corner, draw_sketch
from gpuedu.figures.caption import Caption
from gpuedu.figures.kernels.accesses import plot_accesses
from gpuedu.figures.kernels.block_reads import plot_block_reads
from gpuedu.figures.kernels.hazards import plot_hazard
from gpuedu.trace import AccessSite, Operation, Space, Trace

SIDE, RAGGED = 64, (50, 40, 70)
"""M = N = K of the whole tiles that are drawn; M, N, K of those that are not whole."""

DOTS = ("float32[:, ::1]", "float32[:, ::1]", "float32[::1]")
"""The arguments of the kernel that is shown compiled."""

_SHOWN = frozenset({"data-race", "uninitialised-read", "divergent-barrier", "out-of-bounds"})


def _matrices(m: int, n: int, k: int) -> tuple[np.ndarray, ...]:
    rng = np.random.default_rng(6)
    a, b = (rng.normal(0, 1, shape).astype(np.float32) for shape in ((m, k), (k, n)))
    return a, b, np.zeros((m, n), np.float32)


def _launch(kernel: Any, m: int, n: int, k: int) -> Trace:
    """The launch of 32 x 32 threads a block that all but the first kernel get."""
    grid = (-(-n // 32), -(-m // 32))
    return run_kernel(kernel, grid, (32, 32), *_matrices(m, n, k), watch=range(grid[0] * grid[1]))


def draw_by_columns() -> Any:
    """What a warp asks for in one step if x runs down the rows."""
    from gpuedu.ladder.plain import by_columns

    trace = run_kernel(by_columns, (2, 2), (32, 32), *_matrices(SIDE, SIDE, 32))
    return _draw_step(trace, with_lines=False)


def draw_naive(blocks_for: Any, matmul_naive: Any) -> Any:
    """The same for the learner's kernel, launched with the learner's grid."""
    grid = grid_of(blocks_for, SIDE, SIDE)
    return _draw_step(run_kernel(matmul_naive, grid, (32, 32), *_matrices(SIDE, SIDE, 32)))


def _draw_step(trace: Trace, *, with_lines: bool = True) -> Any:
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

    return _draw_reads(_launch(naive, SIDE, SIDE, SIDE))


def draw_tiled(matmul: Any) -> Any:
    """The same for the learner's tiles; or the first hazard."""
    return _draw_hazard_or(_draw_reads, _launch(matmul, SIDE, SIDE, SIDE))


def draw_any_shape(matmul: Any) -> Any:
    """What the last block reads in which turn, where no side is whole tiles."""
    return _draw_hazard_or(draw_corner, _launch(matmul, *RAGGED))


def _draw_hazard_or(draw: Callable[[Trace], Any], trace: Trace) -> Any:
    """The first hazard of a launch, or what is drawn of one that has none."""
    seen = [found for found in trace.hazards if found.kind in _SHOWN and found.who]
    return plot_hazard(trace, seen[0]) if seen else draw(trace)


def _draw_reads(trace: Trace) -> Any:
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
        x=f"element of {argument.name}, row behind row ({rows} x {columns})",
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


def describe_rms_norm(kernel: Any) -> str:
    """What the compiler makes of a kernel that normalises columns."""
    return describe_compiled(kernel, RMS_TYPES)


PICTURES: dict[str, Callable[..., Any]] = {
    "tiling/counts": describe_eight,
    "tiling/down-the-rows": draw_by_columns,
    "tiling/compiled": describe_dots,
    "tiling/walk": draw_sketch,
    "tiling/naive-reads": draw_naive_reads,
    "tiling/moved": draw_moved,
    "tiling/ladder": draw_ladder,
    "roofline": draw_roofline,
    "naive": draw_naive,
    "accumulate-in-float32": describe_rms_norm,
    "tiled": draw_tiled,
    "any-shape": draw_any_shape,
}
