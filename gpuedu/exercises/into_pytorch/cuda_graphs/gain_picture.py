"""A step's time by how long its kernels are, without a graph and with one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gpuedu.exercises.into_pytorch.cuda_graphs.graph_runs import LAUNCH_S, NODE_S, REPLAY_S
from gpuedu.exercises.plain import number, numbers
from gpuedu.figures import style
from gpuedu.figures.caption import Caption
from gpuedu.figures.curves import Curve, Mark, plot_curves
from gpuedu.units import US

_KERNELS = 200
_LAUNCH_US, _REPLAY_US, _NODE_US = (time_s / US for time_s in (LAUNCH_S, REPLAY_S, NODE_S))
_FROM_US, _TO_US = 0.1, 50


def draw_gain(step_times: Callable[..., Any], no_gain_from: Callable[..., Any]) -> Any:
    """Both times by the learner's functions, and the kernel from which on a graph gains nothing."""

    def times(kernel_us: float) -> list[float]:
        given = _KERNELS, kernel_us, _LAUNCH_US, _REPLAY_US, _NODE_US
        return numbers(step_times(*given), 2, "the result of `step_times`")

    kernels_us = tuple(float(one) for one in np.geomspace(_FROM_US, _TO_US, 61))
    eager, graph = zip(*map(times, kernels_us), strict=True)
    limit_us = float(
        number(no_gain_from(_KERNELS, _LAUNCH_US, _REPLAY_US, _NODE_US), "the kernel time")
    )
    is_on_axis = _FROM_US <= limit_us <= _TO_US
    told = f"no gain from {limit_us:g} µs"
    marks = [Mark(told, limit_us, times(limit_us)[1], (10, -22))] if is_on_axis else []
    caption = Caption(
        title=f"When does a graph gain? A step of {_KERNELS} kernels",
        x="a kernel takes (µs)",
        y="a step takes (µs)",
        source=f"Computed by your functions: a launch takes {_LAUNCH_US:g} µs, a replay "
        f"{_REPLAY_US:g} µs, a kernel in a graph {_NODE_US:g} µs more.",
        alt=f"Time of a step by the time of a kernel, without and with a graph; {told}. At "
        f"{_FROM_US:g} µs {eager[0]:,.0f} and {graph[0]:,.0f} µs, at {_TO_US} µs {eager[-1]:,.0f} "
        f"and {graph[-1]:,.0f} µs.",
    )
    curves = [
        Curve("one by one", kernels_us, eager, style.ORANGE, has_marks=False),
        Curve("graph", kernels_us, graph, style.BLUE, has_marks=False),
    ]
    plain = "{:,g}".format
    return plot_curves(curves, marks=marks, caption=caption, format_x=plain, format_y=plain)
