"""Pictures of the lesson memory, made from the kernels in the notebook, right or wrong.

A kernel is launched on a small example each time. Arguments are found by their position and shared
arrays as the costliest or the first, since their names are the learner's.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gpuedu.errors import AnswerError
from gpuedu.exercises.kernels.launching import run_kernel
from gpuedu.exercises.memory.recorded import draw_recorded_memory
from gpuedu.figures.kernels.accesses import plot_accesses
from gpuedu.figures.kernels.epochs import plot_epoch
from gpuedu.figures.kernels.hazards import plot_hazard
from gpuedu.figures.kernels.tile_detour import plot_tile_detour
from gpuedu.lens.epochs import epoch_of
from gpuedu.lens.requests import find_requests
from gpuedu.trace import AccessSite, Operation, Space, Trace

COPY_SIZE, COPY_BLOCKS, COPY_THREADS, PER_THREAD = 2048, 4, 64, 8
PARTICLES, FIELDS = 128, 6
MATRIX, TILE = (64, 96), 32
SIGNAL, SIGNAL_THREADS = 320, 128


def draw_blocked(copy_blocked: Any) -> Any:
    """The reads of one warp of the blocked copy in one step."""
    src, dst = vectors(COPY_SIZE)
    return draw(run_kernel(copy_blocked, COPY_BLOCKS, COPY_THREADS, src, dst, PER_THREAD), 0)


def vectors(size: int) -> np.ndarray:
    """An input and an output of ones."""
    return np.ones((2, size), np.float32)


def draw_records(speed_squared_of_rows: Any) -> Any:
    """The reads of one warp from a table of particles, a row for each."""
    table, out = np.ones((PARTICLES, FIELDS), np.float32), np.zeros(PARTICLES, np.float32)
    return draw(run_kernel(speed_squared_of_rows, 2, 64, table, out), 0)


def draw_reads(transpose: Any) -> Any:
    """The reads of one warp of a transpose from the matrix."""
    return draw(run_transpose(transpose), 0)


def draw_writes(transpose: Any) -> Any:
    """The writes of one warp of a transpose into the result."""
    return draw(run_transpose(transpose), 1)


def run_transpose(transpose: Any) -> Trace:
    """A launch over ``MATRIX``."""
    rows, columns = MATRIX
    m, out = np.ones(MATRIX, np.float32), np.zeros((columns, rows), np.float32)
    return run_kernel(transpose, (columns // TILE, rows // TILE), (TILE, TILE), m, out)


def draw_tile(smooth: Any) -> Any:
    """A block's tile at its first barrier: the writer of each place, or two threads that race."""
    trace = run_stencil(smooth)
    return draw_shared(trace, block=1)


def run_stencil(smooth: Any) -> Trace:
    """A launch over ``SIGNAL`` elements with seven equal weights."""
    x, out = vectors(SIGNAL)
    w = np.ones(7, np.float32)
    blocks = -(-SIGNAL // SIGNAL_THREADS)
    return run_kernel(smooth, blocks, SIGNAL_THREADS, x, w, out, watch=range(blocks))


def draw_shared(trace: Trace, block: int) -> Any:
    """Shared memory at its first barrier, in ``block`` or where something is not written."""
    site = costliest(trace, trace.sites, Space.SHARED)
    own = [seen for seen in trace.hazards if seen.array == site.array and seen.who]
    for seen in own:
        if seen.kind == "data-race":
            return plot_hazard(trace, seen)
    unwritten = [seen.who.block[0] for seen in own if seen.kind == "uninitialised-read"]
    block = unwritten[0] if unwritten else block
    missing = _never_written(trace, site.array, block)
    touched = find_requests(trace, site.array, block=block)
    first = min(request.epoch for request in touched if request.site.array == site.array)
    return plot_epoch(epoch_of(trace, site.array, first, block), missing=missing)


def _never_written(trace: Trace, array: str, block: int) -> frozenset[int]:
    """Places of a block's array that are read in some epoch and not written in it or before."""
    holes: set[int] = set()
    written: set[int] = set()
    requests = find_requests(trace, array, block=block)
    for number in sorted({one.epoch for one in requests if one.site.array == array}):
        epoch = epoch_of(trace, array, number, block)
        written |= epoch.written.keys()
        holes |= epoch.read.keys() - written
    return frozenset(holes)


def draw(trace: Trace, position: int) -> Any:
    """The costliest access to one argument."""
    name = argument_name(trace, position)
    own = [site for site in trace.sites if site.array == name]
    return plot_accesses(trace, costliest(trace, own, Space.GLOBAL))


def argument_name(trace: Trace, position: int) -> str:
    """An argument of the kernel as the learner calls it."""
    return trace.launch.arguments[position].name


def costliest(trace: Trace, sites: Any, space: Space) -> AccessSite:
    """The access that asks for most beyond its ideal, the first of equals."""
    own = [site for site in sites if site.space is space and site.requests.sum()]
    if not own:
        memory = "shared memory" if space is Space.SHARED else "the array"
        raise AnswerError(f"`{trace.launch.kernel}` does not access {memory} yet")
    return max(own, key=_excess)


def _excess(site: AccessSite) -> tuple[int, bool]:
    """Its cost beyond the ideal; of equals, a load of shared memory says more."""
    asked = site.sectors.sum() + site.wavefronts.sum()
    ideal = site.ideal_sectors.sum() + site.ideal_wavefronts.sum()
    return int(asked - ideal), site.operation is Operation.LOAD


PICTURES = {
    "memory/detour": plot_tile_detour,
    "memory/blocked": draw_blocked,
    "memory/records": draw_records,
    "memory/reads": draw_reads,
    "memory/writes": draw_writes,
    "memory/tile": draw_tile,
    "memory/recorded": draw_recorded_memory,
}
