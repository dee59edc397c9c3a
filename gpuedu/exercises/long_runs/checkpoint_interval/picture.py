"""checkpoint-interval: what an interval loses, and a day of a run with several of them."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from gpuedu.errors import AnswerError
from gpuedu.exercises.long_runs.expectation_alone import (
    expected_waste,
    exponential_waste,
    weibull_survival,
)
from gpuedu.exercises.long_runs.interrupted_run import (
    KEPT,
    LOST,
    RESTART,
    SAVE,
    Saving,
    interrupted_run,
)
from gpuedu.exercises.plain import number
from gpuedu.figures import style
from gpuedu.figures.caption import Caption
from gpuedu.figures.curves import Curve, Mark, plot_curves
from gpuedu.figures.strips import Look, Strip, plot_strips

NODE_MTBF_S = 6300 * 3600.0
"""Of a machine with 8 GPUs: what 419 interruptions in 54 days make for 2,048 of them."""
_SAVING = Saving(60.0, 0.0, 300.0)
_NODES = (128, 2048, 32_768)
_COLORS = (style.BLUE, style.ORANGE, style.RED)
_SHAPE = 0.6
_MINUTE, _HOUR = 60.0, 3600.0
_LOOKS = {
    "trains": Look(style.BLUE),
    "trains, but it's lost": Look(style.RED, "////"),
    "saves": Look(style.ORANGE),
    "restarts": Look(style.QUIET),
}
_NAMES = dict(zip((KEPT, LOST, SAVE, RESTART), _LOOKS, strict=True))
Chooser = Callable[..., Any]


def _chosen_s(best_interval: Chooser, nodes: int) -> float:
    saving = (_SAVING.save_s, _SAVING.write_s, _SAVING.restart_s)
    chosen = float(number(best_interval(*saving, NODE_MTBF_S, nodes), "the result"))
    if not 0 < chosen < math.inf:
        raise AnswerError(
            f"`best_interval` gave {chosen:g} s for {nodes:,} nodes, which can't be drawn",
            remedy="It should be a positive number of seconds.",
        )
    return chosen


def draw_wastes(best_interval: Chooser) -> Any:
    """The expected waste by the interval, for three sizes of a run, with the learner's choice."""
    minutes = tuple(float(one) for one in np.geomspace(2, 600, 90))
    curves, marks, told = [], [], []
    for nodes, color in zip(_NODES, _COLORS, strict=True):
        mtbf_s = NODE_MTBF_S / nodes
        wastes = [exponential_waste(one * _MINUTE, _SAVING, mtbf_s) for one in minutes]
        shown = tuple(one if one < 20 else math.nan for one in wastes)
        name = f"{nodes:,} machines"
        curves.append(Curve(name, minutes, shown, color, has_marks=False))
        chosen_s = _chosen_s(best_interval, nodes)
        waste = exponential_waste(chosen_s, _SAVING, mtbf_s)
        if waste < 20:
            marks.append(Mark("", chosen_s / _MINUTE, waste))
        told.append(f"{name} {chosen_s / _MINUTE:.3g} min, {waste:.2g} lost")
    mtbf_s = NODE_MTBF_S / _NODES[1]
    bunched = weibull_survival(mtbf_s, _SHAPE)
    wastes = [expected_waste(one * _MINUTE, _SAVING, mtbf_s, bunched) for one in minutes]
    shown = tuple(one if one < 20 else math.nan for one in wastes)
    curves.append(Curve("2,048, in bunches", minutes, shown, style.PINK, has_marks=False))
    caption = Caption(
        title="What is lost for each second of training that is kept (rings: your interval)",
        x="time between two saves (min)",
        y="seconds lost per second kept",
        source="Expected, computed exactly: a save takes 1 min, a restart 5 min; each machine "
        "fails once in 6,300 h.\nIn bunches: Weibull failures of shape 0.6, as often on average.",
        alt="Curves of the expected waste over the interval, each with a flat minimum. Chosen: "
        + "; ".join(told)
        + ".",
    )
    return plot_curves(
        curves,
        marks=marks,
        caption=caption,
        format_x=lambda x: f"{x:g}",
        format_y=lambda y: f"{y:g}",
        height_in=4.0,
    )


def draw_day(best_interval: Chooser) -> Any:
    """A day of 2,048 machines with the same failures: the learner's interval, and two others."""
    nodes = _NODES[1]
    chosen_s = _chosen_s(best_interval, nodes)
    gaps_s = np.random.default_rng(11).exponential(NODE_MTBF_S / nodes, 40).tolist()
    strips = []
    for name, interval_s in (
        ("a fifth", chosen_s / 5),
        ("yours", chosen_s),
        ("five times", chosen_s * 5),
    ):
        run = interrupted_run(interval_s, _SAVING, gaps_s)
        day = [one for one in run if one.start_s < 24 * _HOUR]
        kept_s = sum(min(one.end_s, 24 * _HOUR) - one.start_s for one in day if one.kind == KEPT)
        says = f"every {_shown(interval_s)}: {kept_s / _HOUR:.1f} of 24 h are kept"
        stretches = ((_NAMES[one.kind], one.start_s / _HOUR, one.end_s / _HOUR) for one in day)
        strips.append(Strip(name, tuple(stretches), says))
    caption = Caption(
        title="A day of 2,048 machines, with the same failures each time",
        x="time (h)",
        source="Simulated: a save takes 1 min, a restart 5 min; 3.1 h between failures on average.",
        alt="Three strips over 24 hours. " + "; ".join(f"{s.name}: {s.says}" for s in strips) + ".",
    )
    return plot_strips(strips, _LOOKS, caption=caption, end=24.0)


def _shown(time_s: float) -> str:
    if time_s < 2 * _MINUTE:
        return f"{time_s:.3g} s"
    return f"{time_s / _MINUTE:.3g} min" if time_s < 3 * _HOUR else f"{time_s / _HOUR:.3g} h"


PICTURE = draw_wastes
