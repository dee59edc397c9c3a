"""Pictures of two lessons on cooperation, most of them made from the learner's own kernels."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from gpuedu.exercises.cooperation.find_the_race.picture import draw_touches
from gpuedu.exercises.cooperation.histogram.picture import draw_turns
from gpuedu.exercises.cooperation.recorded import draw_recorded_cooperation, draw_recorded_softmax
from gpuedu.exercises.kernels.launching import run_kernel
from gpuedu.figures import style
from gpuedu.figures.kernels.accesses import COUNTED
from gpuedu.figures.kernels.hazards import plot_hazard
from gpuedu.figures.kernels.lanes import plot_active_lanes
from gpuedu.figures.kernels.rounds import plot_rounds
from gpuedu.figures.kernels.running_sums import plot_running_sums
from gpuedu.lens.rounds import exchange_of
from gpuedu.trace import WARP_SIZE, Space, Trace

THREADS = 128


_ONE_AT_A_TIME = "let one thread at a time have the place; this lesson shows three ways"


_COUNTED = "Counted on the machine from a launch of the kernel, not timed."


def draw_lost_count(count_together: Any) -> Any:
    """Two threads that read, add and write at one place."""
    trace = run_kernel(count_together, 1, 256, np.zeros(1, np.int32))
    if not trace.hazards:
        return plot_active_lanes(trace)
    return plot_hazard(trace, replace(trace.hazards[0], remedy=_ONE_AT_A_TIME))


def draw_rounds(kernel: Any) -> Any:
    """What a kernel that adds up a block hands around in a block of 32."""
    trace = run_sum(kernel, WARP_SIZE)
    return plot_rounds(exchange_of(trace), kernel=trace.launch.kernel)


def draw_lanes(kernel: Any) -> Any:
    """The lanes of a block of 128 at each line that uses shared memory, while a kernel adds it up.

    What else a loop does, all lanes do; a kernel without shared memory is drawn line by line.
    """
    trace = run_sum(kernel, THREADS)
    shared = {site.place for site in trace.sites if site.space is Space.SHARED}
    ax = note(plot_active_lanes(trace, places=shared or None))
    if shared:
        ax.set_xlabel("lines that use shared memory, in the order in which they run")
    return ax


def note(ax: Any) -> Any:
    """Lanes are counted here, no accesses."""
    told = ax.figure.get_supxlabel().replace(COUNTED, _COUNTED)
    return style.note_source(ax, told)


def run_sum(kernel: Any, threads: int) -> Trace:
    """A launch of one block that adds up ones."""
    x, sums = np.ones(threads, np.float32), np.zeros(1, np.float32)
    return run_kernel(kernel, 1, threads, x, sums)


PICTURES = {
    "cooperation/lost-count": draw_lost_count,
    "cooperation/rounds": draw_rounds,
    "cooperation/lanes": draw_lanes,
    "cooperation/turns": draw_turns,
    "cooperation/touches": draw_touches,
    "cooperation/recorded": draw_recorded_cooperation,
    "cooperation/chain": plot_running_sums,
    "cooperation/recorded-softmax": draw_recorded_softmax,
}
