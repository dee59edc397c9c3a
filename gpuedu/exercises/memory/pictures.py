"""Pictures of the lesson memory, made from the kernels in the notebook, right or wrong.

A kernel is launched on a small example each time. Arguments are found by their position and shared
arrays as the costliest or the first, since their names are the learner's.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gpuedu.errors import AnswerError
from gpuedu.exercises.kernels.launching import run_kernel
from gpuedu.exercises.kernels.traffic import loads_by_block
from gpuedu.exercises.memory.recorded import draw_recorded_memory
from gpuedu.exercises.memory.tiles import TILE
from gpuedu.figures.caption import Caption
from gpuedu.figures.kernels.accesses import plot_accesses
from gpuedu.figures.kernels.banks import plot_banks
from gpuedu.figures.kernels.block_reads import plot_block_reads
from gpuedu.figures.kernels.epochs import plot_epoch
from gpuedu.figures.kernels.hazards import plot_hazard
from gpuedu.figures.kernels.tile_detour import plot_tile_detour
from gpuedu.lens.epochs import epoch_of
from gpuedu.lens.requests import find_requests
from gpuedu.trace import AccessSite, Operation, Space, Trace

COPY_SIZE, COPY_BLOCKS, COPY_THREADS, PER_THREAD = 2048, 4, 64, 8
PARTICLES, FIELDS = 128, 6
MATRIX = (64, 96)
SIGNAL, SIGNAL_THREADS = 320, 128
SUMS_SIZE, SUMS_THREADS = 100, 64


def draw_blocked(copy_blocked: Any) -> Any:
    """What one warp of the blocked copy reads in one step."""
    src, dst = _vectors(COPY_SIZE)
    return _draw(run_kernel(copy_blocked, COPY_BLOCKS, COPY_THREADS, src, dst, PER_THREAD), 0)


def draw_coalesced_copy(copy_striped: Any) -> Any:
    """The same for the learner's copy."""
    src, dst = _vectors(COPY_SIZE)
    return _draw(run_kernel(copy_striped, COPY_BLOCKS, COPY_THREADS, src, dst), 0)


def _vectors(size: int) -> np.ndarray:
    return np.ones((2, size), np.float32)


def draw_records(speed_squared_of_rows: Any) -> Any:
    """What one warp reads of a table of particles, a row for each."""
    table, out = np.ones((PARTICLES, FIELDS), np.float32), np.zeros(PARTICLES, np.float32)
    return _draw(run_kernel(speed_squared_of_rows, 2, 64, table, out), 0)


def draw_aos_to_soa(to_soa: Any, speed_squared: Any) -> Any:
    """The same for the learner's arrangement and kernel."""
    fields = to_soa(np.ones((PARTICLES, FIELDS), np.float32))
    if type(fields) is not np.ndarray or fields.ndim != 2:
        raise AnswerError("`to_soa` does not return a matrix")
    return _draw(run_kernel(speed_squared, 2, 64, fields, np.zeros(PARTICLES, np.float32)), 0)


def draw_reads(transpose: Any) -> Any:
    """What one warp of a transpose reads of the matrix."""
    return _draw(_run_transpose(transpose), 0)


def draw_writes(transpose: Any) -> Any:
    """What one warp of a transpose writes of the result."""
    return _draw(_run_transpose(transpose), 1)


def draw_transpose(transpose: Any) -> Any:
    """The learner's costliest request to shared memory on its way through the banks."""
    trace = _run_transpose(transpose)
    return plot_banks(trace, _costliest(trace, trace.sites, Space.SHARED))


def _run_transpose(transpose: Any) -> Trace:
    rows, columns = MATRIX
    m, out = np.ones(MATRIX, np.float32), np.zeros((columns, rows), np.float32)
    return run_kernel(transpose, (columns // TILE, rows // TILE), (TILE, TILE), m, out)


def draw_stencil(smooth: Any) -> Any:
    """Which block reads which elements of the input, and how often."""
    trace = _run_stencil(smooth)
    loads = loads_by_block(trace, 0, SIGNAL)
    caption = Caption(
        title=f"{trace.launch.kernel}: what each block reads of {_name(trace, 0)}",
        x="element",
        source=f"{SIGNAL} elements, blocks of {SIGNAL_THREADS} threads. Counted on the machine "
        "from a launch of your kernel, not timed.",
        alt=" ".join(_told(block, counts) for block, counts in enumerate(loads)),
    )
    return plot_block_reads(loads, caption=caption)


def _told(block: int, counts: np.ndarray) -> str:
    return (
        f"Block {block} reads {np.count_nonzero(counts)} elements, {int(counts.sum())} reads, at "
        f"most {int(counts.max())} of one."
    )


def draw_tile(smooth: Any) -> Any:
    """Who writes each place of a block's tile before the barrier, or who meets whom there."""
    trace = _run_stencil(smooth)
    return _draw_shared(trace, block=1)


def _run_stencil(smooth: Any) -> Trace:
    x, out = _vectors(SIGNAL)
    w = np.ones(7, np.float32)
    blocks = -(-SIGNAL // SIGNAL_THREADS)
    return run_kernel(smooth, blocks, SIGNAL_THREADS, x, w, out, watch=range(blocks))


def draw_uninitialised(block_sums: Any) -> Any:
    """Who writes each place of shared memory in the block that is not full."""
    return draw_sums_of(SUMS_SIZE, block_sums)


def draw_sums_of(size: int, block_sums: Any) -> Any:
    """The same, for another number of elements; the last block is the one that is not full."""
    blocks = -(-size // SUMS_THREADS)
    x, out = np.ones(size, np.float32), np.zeros(blocks, np.float32)
    trace = run_kernel(block_sums, blocks, SUMS_THREADS, x, out, watch=range(blocks))
    return _draw_shared(trace, block=blocks - 1)


def _draw_shared(trace: Trace, block: int) -> Any:
    """Shared memory at its first barrier, in ``block`` or where something is not written."""
    site = _costliest(trace, trace.sites, Space.SHARED)
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


def _draw(trace: Trace, position: int) -> Any:
    """The costliest access to one argument."""
    name = _name(trace, position)
    own = [site for site in trace.sites if site.array == name]
    return plot_accesses(trace, _costliest(trace, own, Space.GLOBAL))


def _name(trace: Trace, position: int) -> str:
    return trace.launch.arguments[position].name


def _costliest(trace: Trace, sites: Any, space: Space) -> AccessSite:
    """The access that asks for most beyond its ideal, the first of equals."""
    own = [site for site in sites if site.space is space and site.requests.sum()]
    if not own:
        memory = "shared memory" if space is Space.SHARED else "the array"
        raise AnswerError(f"`{trace.launch.kernel}` does not access {memory} yet")
    return max(own, key=_excess)


def _excess(site: AccessSite) -> tuple[int, bool]:
    """What it costs beyond the ideal; of equals, a load of shared memory says more."""
    asked = site.sectors.sum() + site.wavefronts.sum()
    ideal = site.ideal_sectors.sum() + site.ideal_wavefronts.sum()
    return int(asked - ideal), site.operation is Operation.LOAD


PICTURES: dict[str, Callable[..., Any]] = {
    "memory/detour": plot_tile_detour,
    "memory/blocked": draw_blocked,
    "memory/records": draw_records,
    "memory/reads": draw_reads,
    "memory/writes": draw_writes,
    "memory/tile": draw_tile,
    "memory/recorded": draw_recorded_memory,
    "coalesced-copy": draw_coalesced_copy,
    "aos-to-soa": draw_aos_to_soa,
    "transpose": draw_transpose,
    "stencil": draw_stencil,
    "uninitialised": draw_uninitialised,
}
