"""The text around a drawing: its title, its axes, its source and its alternative text."""

from __future__ import annotations

from dataclasses import dataclass

from matplotlib.axes import Axes

from gpuedu.figures import style


@dataclass(frozen=True)
class Caption:
    """Texts of a figure: ``x`` and ``y`` name the axes with their units; ``alt`` says it all."""

    title: str
    alt: str
    source: str
    x: str = ""
    y: str = ""


def write_caption(ax: Axes, caption: Caption) -> Axes:
    """Write title, axis names, source and alternative text."""
    style.name_axes(ax, title=caption.title, x=caption.x, y=caption.y)
    style.note_source(ax, caption.source)
    return style.describe(ax, caption.alt)
