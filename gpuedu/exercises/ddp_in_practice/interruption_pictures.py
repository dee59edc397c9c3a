"""How long a training runs until a GPU's failure interrupts it, by how many GPUs there are."""

from __future__ import annotations

from typing import Any

from gpuedu.figures import style
from gpuedu.figures.caption import Caption
from gpuedu.figures.curves import Curve, Mark, plot_curves

DAYS, UNEXPECTED, GPUS = 54, 419, 16_384
"""Llama 3's training, as its authors report it."""
COUNTS = tuple(2**k for k in range(3, 18))
_HOURS = 24


def hours_between(gpus: int) -> float:
    """Hours from one unexpected interruption to the next, if each GPU brings its own share.

    >>> round(hours_between(16_384), 1)
    3.1
    """
    return DAYS * _HOURS / UNEXPECTED * GPUS / gpus


def draw_interruptions() -> Any:
    """The reported point, and a line through it along which each GPU fails as often as there."""
    counts = tuple(map(float, COUNTS))
    line = tuple(hours_between(n) for n in COUNTS)
    curves = [
        Curve("if every GPU\nfails equally often", counts, line, style.QUIET, has_marks=False),
        Curve("", (float(GPUS),), (hours_between(GPUS),), style.RED, dots=True),
    ]
    point = Mark(f"Llama 3: {hours_between(GPUS):.1f} hours", GPUS, hours_between(GPUS), (8, 8))
    caption = Caption(
        title="The more GPUs, the sooner something fails",
        x="GPUs",
        y="hours between interruptions",
        source=f"Dot: reported for Llama 3, {UNEXPECTED} unexpected interruptions in {DAYS} days "
        f"on up to {GPUS:,} GPUs. Line: computed from it,\nat the same rate per GPU.",
        alt="Hours between unexpected interruptions by the number of GPUs, log axes. The line "
        f"falls from {line[0]:,.0f} hours with {COUNTS[0]} GPUs to {line[-1]:.2g} with "
        f"{COUNTS[-1]:,}; the reported point is {hours_between(GPUS):.2g} hours with {GPUS:,}.",
    )
    look = {"format_x": "{:,g}".format, "format_y": "{:,g}".format}
    return plot_curves(curves, (), [point], caption=caption, **look)
