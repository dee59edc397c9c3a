"""find-the-race: its picture, of what threads do to a shared array between two barriers."""

from __future__ import annotations

from typing import Any

import numpy as np

from gpuedu.errors import AnswerError
from gpuedu.exercises.kernels.launching import run_kernel
from gpuedu.figures.kernels.touches import plot_touches
from gpuedu.lens.epochs import epoch_of
from gpuedu.trace import Operation, Space, Trace

THREADS = 128
_SHOWN = range(28, 37)
"""Threads on both sides of the border between two warps."""


def draw_touches(widen: Any) -> Any:
    """One step of ``widen`` in a block of 128: who reads and who writes, barrier by barrier."""
    x = np.random.default_rng(2).normal(0, 9, (1, THREADS)).astype(np.float32)
    trace = run_kernel(widen, 1, THREADS, x, 1, np.zeros_like(x))
    array, first = _first_reads(trace)
    epochs = epoch_of(trace, array, first).epochs
    shown = [epoch_of(trace, array, number) for number in epochs if first <= number <= first + 1]
    title = f"{trace.launch.kernel}, one step: who reads and who writes {array}"
    return plot_touches(shown, _SHOWN, title=title)


def _first_reads(trace: Trace) -> tuple[str, int]:
    """The shared array that is read first, and how many barriers the block had passed then."""
    loads = [
        number
        for number, site in enumerate(trace.sites)
        if site.space is Space.SHARED and site.operation is Operation.LOAD
    ]
    rows = np.flatnonzero(np.isin(trace.events.site, loads))
    if not rows.size:
        raise AnswerError(
            "the kernel reads nothing from shared memory, so there is nothing to draw",
            remedy="The picture is of the array in which a row is widened, step by step.",
        )
    row = rows[0]
    return trace.sites[trace.events.site[row]].array, int(trace.events.epoch[row])


PICTURE = draw_touches
