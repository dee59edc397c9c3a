"""cuda-graphs: the learner's replays on a timeline, below the same steps launched one by one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gpuedu.clock import Interval, Timeline
from gpuedu.clock.graphs import CPU, GPU
from gpuedu.errors import AnswerError
from gpuedu.exercises.into_pytorch.cuda_graphs.graph_runs import (
    KERNEL_S,
    LAUNCH_S,
    NODE_S,
    REPLAY_S,
    GraphRun,
    run_by_graph,
    run_eagerly,
)
from gpuedu.figures.caption import Caption
from gpuedu.figures.lanes import plot_lane_groups
from gpuedu.units import US

_KERNELS, _INPUTS = 16, 3
_SETTING_UP = "capture"
"""The kind of interval in which the CPU notes a launch."""


def draw_cuda_graphs(run_captured: Callable[..., Any], *_formulas: Any) -> Any:
    """Three steps of 16 kernels, launched one by one, and by the learner's replays."""
    eager, own = (_run(one) for one in (run_eagerly, run_captured))
    if own.refused:
        raise AnswerError(f"the capture ended with “{own.refused[0]}”")
    setup_s = _end_of_setup(own.timeline) if own.captures == 1 else 0.0
    groups = [("launched one by one", eager.timeline)]
    name = "your replays" if setup_s else f"yours, with {own.captures} captures"
    groups.append((name, _from(own.timeline, setup_s)))
    told = [f"{what}: {_times(line)}" for what, line in groups]
    before = f" Before it, warm-up and capture took {setup_s / US:.0f} µs, once." if setup_s else ""
    caption = Caption(
        title=f"{_INPUTS} steps of {_KERNELS} kernels",
        x="simulated time",
        source=f"Simulated: a launch takes the CPU {LAUNCH_S / US:g} µs, a replay "
        f"{REPLAY_S / US:g} µs;\na kernel runs {KERNEL_S / US:g} µs, and {NODE_S / US:g} µs pass "
        f"before each kernel of a graph.{before}",
        alt="Timelines of CPU and GPU. " + "; ".join(told) + ".",
    )
    heads = [(said, line) for said, (_, line) in zip(told, groups, strict=True)]
    return plot_lane_groups(heads, caption=caption, lanes=(CPU, GPU), texts=lambda one: ())


def _run(function: Callable[..., Any]) -> GraphRun:
    inputs = [(np.full(4, i + 1.0), 0.1 * (i + 1)) for i in range(_INPUTS)]
    return run_by_graph(function, [1.0] * _KERNELS, inputs)


def _end_of_setup(timeline: Timeline) -> float:
    """When the last capture ended and what had been launched before it was done; 0 without one."""
    captured = [one.end_s for one in timeline.on(CPU, _SETTING_UP)]
    if not captured:
        return 0.0
    running = [one.end_s for one in timeline.on(GPU) if one.start_s < captured[-1]]
    return max(captured[-1], *running) if running else captured[-1]


def _from(timeline: Timeline, start_s: float) -> Timeline:
    """What began later, counted from then on."""
    return Timeline.of(
        Interval(one.lane, one.kind, one.start_s - start_s, one.end_s - start_s, one.label)
        for one in timeline.intervals
        if one.start_s >= start_s - 1e-12
    )


def _times(timeline: Timeline) -> str:
    if not timeline.end_s:
        return "nothing ran"
    idle = 1 - timeline.busy_s(GPU) / timeline.end_s
    return f"{timeline.end_s / US:.0f} µs, GPU idle {idle:.0%} of it"


PICTURE = draw_cuda_graphs
