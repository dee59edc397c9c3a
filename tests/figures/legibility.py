"""Whether a figure can be read: texts that overlap, that leave the figure, that are too small."""

from __future__ import annotations

from itertools import combinations
from typing import Any

from matplotlib.axes import Axes
from matplotlib.text import Text
from matplotlib.transforms import Bbox

from gpuedu.figures.style import alt_text, to_png

_SLACK_PX = 1.0


def overlapping_texts(ax: Axes) -> list[tuple[str, str]]:
    """Pairs of texts of the figure whose boxes overlap."""
    boxes = _text_boxes(ax)
    return [(first, second) for (first, a), (second, b) in combinations(boxes, 2) if _overlap(a, b)]


def texts_outside(ax: Axes) -> list[str]:
    """Texts that leave the figure, in whole or in part."""
    whole = ax.figure.bbox
    return [
        text
        for text, box in _text_boxes(ax)
        if box.x0 < whole.x0 - _SLACK_PX
        or box.y0 < whole.y0 - _SLACK_PX
        or box.x1 > whole.x1 + _SLACK_PX
        or box.y1 > whole.y1 + _SLACK_PX
    ]


def smallest_text_pt(ax: Axes) -> float:
    """Size in points of the smallest text that is shown."""
    _lay_out(ax)
    return min(text.get_fontsize() for text in _shown_texts(ax))


def assert_fit_to_print(drawn: Any) -> None:
    """A figure whose first axes can be read, with a text for those who do not see it.

    Args:
        drawn: axes, or several of one figure.
    """
    ax = drawn if isinstance(drawn, Axes) else drawn[0]
    assert len(alt_text(drawn)) > 60
    assert overlapping_texts(ax) == []
    assert texts_outside(ax) == []
    assert smallest_text_pt(ax) >= 8.5
    assert len(to_png(drawn)) > 10_000


def _overlap(a: Bbox, b: Bbox) -> bool:
    width = min(a.x1, b.x1) - max(a.x0, b.x0)
    height = min(a.y1, b.y1) - max(a.y0, b.y0)
    return bool(width > _SLACK_PX and height > _SLACK_PX)


def _text_boxes(ax: Axes) -> list[tuple[str, Bbox]]:
    _lay_out(ax)
    # Text.get_window_extent of an annotation would take its arrow in, too.
    return [(text.get_text(), Text.get_window_extent(text)) for text in _shown_texts(ax)]


def _lay_out(ax: Axes) -> None:
    """Put texts where they are drawn, unless nothing has changed since the last time."""
    if ax.figure.stale:
        ax.figure.draw_without_rendering()


def _shown_texts(ax: Axes) -> list[Text]:
    """Texts that are drawn; a tick beyond the limits keeps a label that is not."""
    hidden = {id(label) for axes in ax.figure.axes for label in _undrawn_tick_labels(axes)}
    return [
        text
        for text in ax.figure.findobj(Text)
        if text.get_visible() and text.get_text().strip() and id(text) not in hidden
    ]


def _undrawn_tick_labels(axes: Axes) -> list[Any]:
    labels = []
    for axis in (axes.xaxis, axes.yaxis):
        low, high = sorted(axis.get_view_interval())
        slack = 1e-9 * (high - low)
        for tick in [*axis.get_major_ticks(), *axis.get_minor_ticks()]:
            is_drawn = axes.axison and low - slack <= tick.get_loc() <= high + slack
            labels += [] if is_drawn else [tick.label1, tick.label2]
    return labels
