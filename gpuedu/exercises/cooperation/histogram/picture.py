"""histogram: its picture, and the lesson's, of values that gather in one bin and are counted."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gpuedu.errors import AnswerError
from gpuedu.exercises.kernels.launching import run_kernel
from gpuedu.figures import style
from gpuedu.figures.bars import Bar, plot_bars
from gpuedu.figures.caption import Caption
from gpuedu.figures.kernels.turns import TurnsPanel, plot_turns
from gpuedu.lens.turns import Turns, atomic_turns, most_updates
from gpuedu.trace import Space, Trace

SHARES, VALUES, BINS, CROWDED_BIN = (0.10, 0.50, 0.95), 4000, 64, 7
BLOCKS, THREADS = 4, 128
_COUNTED = "Counted on the machine from a launch of the kernel, not timed."


def crowded_values(share: float) -> np.ndarray:
    """(4000,) int32 values from 0 to 63, of which this share and some more are 7."""
    rng = np.random.default_rng(5)
    others = rng.integers(0, BINS, VALUES)
    return np.where(rng.random(VALUES) < share, CROWDED_BIN, others).astype(np.int32)


def _run(kernel: Any, share: float) -> Trace:
    values, hist = crowded_values(share), np.zeros(BINS, np.int32)
    trace = run_kernel(kernel, BLOCKS, THREADS, values, hist, watch=range(BLOCKS), max_turns=30_000)
    if trace.events_truncated:
        raise AnswerError(
            f"`{trace.launch.kernel}` asks for memory too often to be drawn",
            remedy="Share the values out among all threads first.",
        )
    return trace


def draw_turns(count_atomic: Any) -> Any:
    """The first atomic of the first warp on ``hist``, for three kinds of values."""
    panels = []
    for share in SHARES:
        trace = _run(count_atomic, share)
        turns = atomic_turns(trace, trace.launch.arguments[1].name)[0]
        panels.append(TurnsPanel(_panel_name(share, turns), turns))
    caption = Caption(
        title="One warp, one atomic: lanes on one address wait for each other",
        source="Warp 0 of block 0, its first 32 values. Blue is served first, orange waits; in "
        f"which order is not defined.\n{_COUNTED}",
        alt=" ".join(f"{panel.name}." for panel in panels),
    )
    return plot_turns(panels, caption=caption)


def _panel_name(share: float, turns: Turns) -> str:
    addresses = "1 address" if len(turns.lanes) == 1 else f"{len(turns.lanes)} addresses"
    return f"{share:.0%} of the values in bin {CROWDED_BIN}: {addresses}, {turns.turns} turns"


def draw_histogram(histogram: Any) -> Any:
    """The busiest address when values go straight into ``hist``, and with the learner's kernel."""
    straight = straight_count()
    bars = []
    for share in SHARES:
        own = _run(histogram, share)
        direct = most_updates(_run(straight, share), Space.GLOBAL)
        bars += [
            _bar(f"{share:.0%} in a bin: straight into hist", direct, style.ORANGE, ""),
            _bar("yours: in shared memory", most_updates(own, Space.SHARED), style.SKY, "//"),
            _bar("yours: into hist", most_updates(own, Space.GLOBAL), style.BLUE, ""),
        ]
    caption = Caption(
        title="How many updates does the busiest address get?",
        x="updates of one address (each step is a factor of ten)",
        source=f"{VALUES:,} values, {BINS} bins, {BLOCKS} blocks of {THREADS} threads. In shared "
        f"memory each block has addresses of its own.\n{_COUNTED}",
        alt=" ".join(f"{bar.name}: {bar.text}." for bar in bars),
    )
    return plot_bars(bars, caption=caption, row_in=0.32)


def _bar(name: str, updates: int, color: str, hatch: str) -> Bar:
    return Bar(name, float(updates) if updates else math.nan, f"{updates:,}", color, hatch)


def straight_count() -> Any:
    """A kernel ``(values, hist)`` that adds 1 to ``hist`` for each value, by an atomic.

    Any launch; it has no race, since all accesses to ``hist`` are atomics.
    """
    from gpuedu.backend import cuda

    @cuda.jit
    def count_atomic(values, hist):
        for i in range(cuda.grid(1), values.size, cuda.gridsize(1)):
            cuda.atomic.add(hist, values[i], 1)

    return count_atomic


PICTURE = draw_histogram
