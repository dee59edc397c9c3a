"""accumulate: its picture."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from gpuedu.exercises.mixed_precision.pictures_look import COLORS, COUNTED
from gpuedu.exercises.plain import number
from gpuedu.figures import style
from gpuedu.figures.caption import Caption
from gpuedu.figures.paths import Path, plot_paths

_MOST_OFF = 0.1


def draw_sums(
    running: Callable[..., Any],
    pairwise: Callable[..., Any],
    kahan: Callable[..., Any],
    dot: Callable[..., Any],
) -> Any:
    """The learner's sums of numbers near 0.01, as they grow, and their errors."""
    counts = range(0, 8193, 512)
    # Of equal numbers, a pairwise sum only doubles: that would lose nothing.
    values = np.random.default_rng(10).uniform(0.0085, 0.0115, counts[-1]).astype(np.float16)
    ways: dict[str, Callable[[np.ndarray], Any]] = {
        "running": running,
        "pairwise": pairwise,
        "Kahan": kahan,
        "dot": lambda values: dot(values, np.ones_like(values)),
    }
    true = tuple(float(values[:n].astype(np.float64).sum()) for n in counts)
    with np.errstate(all="ignore"):
        reached = {
            name: tuple(
                number(way(values[:n].copy()), f"the {name} sum")
                if _is_asked(name, n)
                else math.nan
                for n in counts
            )
            for name, way in ways.items()
        }
    return _plot_sums(reached, true)


def _is_asked(name: str, n: int) -> bool:
    """True where the lesson asks for a sum of so many: pairwise of powers of 2 only."""
    return name != "pairwise" or n & (n - 1) == 0


def _plot_sums(reached: Mapping[str, tuple[float, ...]], true: tuple[float, ...]) -> Any:
    """The sums on the left; on the right, far larger, how far they are off."""
    left, right = style.new_axes(3.6, columns=2)
    sums, errors = [], []
    for (name, values), color in zip(reached.items(), COLORS, strict=False):
        off = tuple(a - b for a, b in zip(values, true, strict=True))
        sums.append(Path(f"{values[-1]:.5g}", true, values, color))
        near = tuple(y if abs(y) <= _MOST_OFF else math.nan for y in off)
        told_name = name if near == off or name == "pairwise" else f"{name}: leaves\nthis range"
        errors.append(Path(told_name, true, near, color))
    told = ", ".join(f"{name}: {values[-1]:.5g}" for name, values in reached.items())
    source = (
        f"{COUNTED} All near 0.01, in all {true[-1]:.5g}. Pairwise: only counts that are powers "
        "of 2."
    )
    alt = f"Four sums against the true sum, which ends at {true[-1]:.5g}. At the end: {told}."
    plot_paths(
        sums,
        caption=Caption("8,192 numbers, added", alt, source, x="true sum", y="sum"),
        y_limits=(0, 1.25 * true[-1]),
        ax=left,
    )
    plot_paths(
        errors,
        caption=Caption("How far off?", alt, source, x="true sum", y="sum - true sum"),
        y_limits=(-_MOST_OFF, _MOST_OFF),
        ax=right,
    )
    return np.array([left, right])


PICTURE = draw_sums
