"""One style for all figures, without touching matplotlib's global settings.

A figure has its own near-white ground, so that it reads the same in a light and in a dark notebook.
Colors are Okabe and Ito's, which color-blind readers can tell apart; never color alone.
"""

from __future__ import annotations

import io
from typing import Any

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

INK = "#1f2430"
QUIET = "#5b6270"
FAINT = "#d9dce3"
GROUND = "#fcfcfd"
BLUE, ORANGE, GREEN, RED = "#0072b2", "#e69f00", "#009e73", "#d55e00"
SKY, PINK, YELLOW = "#56b4e9", "#cc79a7", "#f0e442"
CYCLE = (BLUE, ORANGE, GREEN, RED, PINK, SKY)

OPAQUE = {"framealpha": 1.0, "facecolor": GROUND, "edgecolor": "none"}
"""The frame of a key that lies on lines of the grid: these end beside it."""
BEHIND_TEXT = {"facecolor": GROUND, "edgecolor": "none", "pad": 0.8}
"""The same for a text: its ``bbox``."""

WIDTH_IN = 8.0
DPI = 200


def new_axes(height_in: float = 3.2, columns: int = 1, **options: Any) -> Any:
    """A dressed Axes (or an array of them) in a figure of notebook width."""
    figure = Figure(figsize=(WIDTH_IN, height_in), dpi=DPI, layout="constrained")
    FigureCanvasAgg(figure)
    figure.set_facecolor(GROUND)
    axes = figure.subplots(1, columns, **options)
    for ax in [axes] if columns == 1 else axes:
        dress(ax)
    return axes


def dress(ax: Axes) -> Axes:
    """Apply the course's style to one Axes."""
    ax.set_facecolor(GROUND)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        ax.spines[side].set_color(QUIET)
    ax.tick_params(colors=QUIET, labelsize=10)
    ax.grid(axis="y", color=FAINT, linewidth=0.8)
    ax.set_axisbelow(True)
    ax.set_prop_cycle(color=CYCLE)
    return ax


def name_axes(ax: Axes, *, title: str = "", x: str = "", y: str = "") -> Axes:
    """Write the title to the left and the names of the axes, with their units."""
    ax.set_title(title, loc="left", fontsize=12, color=INK, fontweight="bold")
    ax.set_xlabel(x, fontsize=10.5, color=INK)
    ax.set_ylabel(y, fontsize=10.5, color=INK)
    return ax


def bare(ax: Axes) -> Axes:
    """Remove the frame, for drawings that are not plots."""
    ax.set_axis_off()
    return ax


def note_source(ax: Axes, text: str) -> Axes:
    """Say below the figure where its numbers come from: measured here, counted, a data sheet.

    Marks of code are left out: a figure has no other letters for it.
    """
    text = text.replace("`", "")
    ax.figure.supxlabel(text, fontsize=8.5, color=QUIET, x=0.01, ha="left")
    return ax


def describe(ax: Axes, alt: str) -> Axes:
    """Give the figure its alternative text, for readers who do not see it."""
    ax.figure.set_label(alt)
    return ax


def alt_text(axes: Any) -> str:
    """The alternative text of the figure that these Axes are in."""
    ax = axes if isinstance(axes, Axes) else axes.flat[0]
    return str(ax.figure.get_label())


def to_png(axes: Any) -> bytes:
    """The figure as PNG bytes, at twice the notebook's resolution."""
    ax = axes if isinstance(axes, Axes) else axes.flat[0]
    out = io.BytesIO()
    ax.figure.savefig(out, format="png", facecolor=GROUND)
    return out.getvalue()


def to_svg(axes: Any) -> str:
    """The figure as a text of SVG, its letters drawn as shapes, with its alternative text."""
    ax = axes if isinstance(axes, Axes) else axes.flat[0]
    out = io.StringIO()
    ax.figure.savefig(
        out, format="svg", facecolor=GROUND, metadata={"Title": alt_text(axes), "Date": None}
    )
    return out.getvalue()
