"""amdahl: its picture."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gpuedu.exercises.why_gpus.pictures import drawable
from gpuedu.figures import style
from gpuedu.figures.caption import Caption
from gpuedu.figures.curves import Curve, Level, plot_curves

SHARES = (0.5, 0.9, 0.99, 0.999)


WORKERS = tuple(int(n) for n in np.unique(np.geomspace(1, 4096, 61).round()))


_COLORS = (style.BLUE, style.RED, style.GREEN, style.INK)


def draw_amdahl(amdahl: Callable[..., Any], amdahl_limit: Callable[..., Any]) -> Any:
    """The learner's speed-up against workers, for four parallel shares."""
    curves, levels, said = [], [], []
    for p, color in zip(SHARES, _COLORS, strict=True):
        speedups = tuple(drawable(amdahl(p, n)) for n in WORKERS)
        limit = drawable(amdahl_limit(p))
        bound = f"limit {limit:,.4g}" if limit > 0 else "no limit to draw"
        curves.append(Curve(f"p = {p:g}: {bound}", tuple(map(float, WORKERS)), speedups, color))
        levels.append(Level("" if curves[-1].drawn else f"p = {p:g}: {bound}", limit, color))
        most = f"{speedups[-1]:,.4g}" if speedups[-1] > 0 else "no number above 0"
        said.append(f"p = {p:g}: {most} on {WORKERS[-1]:,} workers, {bound}")
    caption = Caption(
        title="The serial part decides, however many workers you add",
        x="workers n (each step is a factor of ten)",
        y="speed-up (times as fast)",
        source="Computed by your functions; dashed: your limits.",
        alt="Curves of the speed-up against the number of workers. " + "; ".join(said) + ".",
    )
    return plot_curves(curves, levels, caption=caption)


PICTURE = draw_amdahl
