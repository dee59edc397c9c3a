"""no-loops: its picture."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gpuedu.exercises.arrays.watching import COUNTED, watch
from gpuedu.exercises.cupy.no_loops.play import ROOM
from gpuedu.figures import style
from gpuedu.figures.caption import Caption
from gpuedu.figures.curves import Curve, Level, plot_curves

QUERIES, POINTS, FEATURES = 64, 96, (2, 4, 8, 16, 32, 64, 128)


def squared_distances_large(xp: Any, queries: Any, points: Any) -> Any:
    """(m, n) squared distances as the lesson gives them, by an array of shape (m, n, d)."""
    differences = queries[:, None] - points
    return (differences**2).sum(axis=2)


def draw_no_loops(squared_distances: Callable[..., Any], vote: Callable[..., Any]) -> Any:
    """Peak memory of the version with a large temporary and of the learner's, by features."""
    large = [_peak(squared_distances_large, d) for d in FEATURES]
    own = [_peak(squared_distances, d) for d in FEATURES]
    caption = Caption(
        title="Memory needed at once, in arrays of shape (m, n)",
        x="features d (each step doubles it)",
        y="arrays of shape (m, n)",
        source=f"m = {QUERIES}, n = {POINTS}, float32; on top of the inputs. {COUNTED}",
        alt=f"With {FEATURES[-1]} features the large version needs {large[-1]:.0f} times the "
        f"result, yours {own[-1]:.1f} times; with {FEATURES[0]} features {large[0]:.1f} "
        f"and {own[0]:.1f}.",
    )
    x = tuple(map(float, FEATURES))
    return plot_curves(
        [
            Curve("given version", x, tuple(large), style.ORANGE, dots=True),
            Curve("yours", x, tuple(own), style.BLUE, dots=True),
        ],
        [Level(f"room for {ROOM}", ROOM, style.QUIET, at_left=True)],
        caption=caption,
        format_y=lambda value: f"{value:g}",
        ticks_x=FEATURES,
        steps_y=(1, 3),
    )


def _peak(function: Callable[..., Any], features: int) -> float:
    """Peak memory of a call, in units of its result."""
    from gpuedu.arrays import cupy as cp

    rng = np.random.default_rng(features)
    queries, points = (
        cp.asarray(rng.normal(0, 1, (many, features)).astype(np.float32))
        for many in (QUERIES, POINTS)
    )
    return watch(function, cp, queries, points).extra_bytes / (QUERIES * POINTS * 4)


PICTURE = draw_no_loops
