"""Which of several texts fits into a bar: the longest that has room."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from matplotlib.axes import Axes
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import text_to_path


@lru_cache(maxsize=4096)
def width_pt(text: str, size_pt: float) -> float:
    """How wide a text is in the style's font, in points; the widest line if there are several.

    >>> width_pt("kernel", 9.0) < width_pt("kernels", 9.0) < width_pt("kernels", 12.0)
    True
    """
    font = FontProperties(size=size_pt)
    widths = (
        text_to_path.get_text_width_height_descent(line, font, ismath=False)[0]
        for line in text.splitlines()
    )
    return float(max(widths, default=0.0))


def longest_fit(texts: Sequence[str], room_pt: float, size_pt: float) -> str:
    """The first of ``texts`` that is not wider than the room; "" if none fits.

    >>> longest_fit(["a long sentence", "short"], 40.0, 9.0), longest_fit(["short"], 4.0, 9.0)
    ('short', '')
    """
    return next((text for text in texts if width_pt(text, size_pt) <= room_pt), "")


@dataclass(frozen=True)
class Scale:
    """Points on the page for one unit of a linear x axis, and of a linear y axis."""

    x_pt: float
    y_pt: float


def measure_scale(ax: Axes) -> Scale:
    """The scale, once limits, tick labels and title are set; drawing what is there takes time."""
    ax.figure.draw_without_rendering()
    (left, low), (right, high) = ax.transData.transform([(0, 0), (1, 1)])
    pt_per_px = 72 / float(ax.figure.dpi)
    return Scale(abs(float(right - left)) * pt_per_px, abs(float(high - low)) * pt_per_px)
