"""Run a whole launch on the oracle."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np

from tests.simt.oracle.inference import TypedFunction, infer
from tests.simt.oracle.interpreter import run_kernel
from tests.simt.oracle.memory import Memory, View, raw_memory
from tests.simt.oracle.ordering import Ordering, Outcome
from tests.simt.oracle.threads import Block, Dim3, SpinsForeverError, Thread
from tests.simt.oracle.turns import run_blocks

STEPS_PER_THREAD = 200_000


def run(
    kernel: Callable[..., None],
    grid: int | tuple[int, ...],
    block: int | tuple[int, ...],
    *args: object,
    dynamic_shared_bytes: int = 0,
    seed: int = 0,
) -> Outcome:
    """Run a kernel on NumPy arrays in place; the seed decides who comes first (``turns.py``)."""
    function = infer(kernel, *args)
    grid, block = _three(grid), _three(block)
    outcome = Outcome()
    count = int(np.prod(grid)) * int(np.prod(block))
    ordering = Ordering(count, outcome, granule=_granule(args))
    views = [View(Memory(a), a) if isinstance(a, np.ndarray) else a for a in args]
    blocks = []
    for number, index in enumerate(_indices(grid)):
        shared = Block(index, raw_memory(dynamic_shared_bytes, private=False))
        blocks.append(_threads(function, views, shared, number, block, grid, ordering))
    with np.errstate(all="ignore"):
        try:
            run_blocks(blocks, seed)
        except SpinsForeverError as error:
            outcome.hazards.add(("runaway-loop", error.args[0]))
    return outcome


def _threads(
    function: TypedFunction,
    views: list[object],
    shared: Block,
    block_number: int,
    block: Dim3,
    grid: Dim3,
    ordering: Ordering,
) -> list[Thread]:
    size = int(np.prod(block))
    threads = []
    for rank, index in enumerate(_indices(block)):
        number = block_number * size + rank
        thread = Thread(
            number, rank, index, shared, block, grid, ordering, ordering.outcome, STEPS_PER_THREAD
        )
        thread.program = run_kernel(function, views, thread)
        threads.append(thread)
    return threads


def _indices(extent: Dim3) -> list[Dim3]:
    """All (x, y, z), x fastest."""
    z, y, x = (range(e) for e in reversed(extent))
    return [(i, j, k) for k, j, i in itertools.product(z, y, x)]


def _three(size: int | tuple[int, ...]) -> Dim3:
    size = size if isinstance(size, tuple) else (size,)
    return (*size, *(1,) * (3 - len(size)))


def _granule(args: tuple[object, ...]) -> int:
    sizes = {a.itemsize for a in args if isinstance(a, np.ndarray)}
    return min(sizes | {4})
