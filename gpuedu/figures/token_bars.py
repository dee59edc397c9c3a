"""Probabilities of the most likely tokens: what a model says, and what each setting leaves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes

from gpuedu.figures import style
from gpuedu.figures.caption import Caption

_COLORS = (style.BLUE, style.ORANGE)
_BEHIND = "#b4bac7"


@dataclass(frozen=True)
class TokenPanel:
    """A place in a text: tokens by falling probability (n,), and those that each setting leaves.

    ``left`` has for each setting, by name, the probabilities of these tokens and a note.
    """

    title: str
    tokens: tuple[str, ...]
    model: np.ndarray
    left: dict[str, tuple[np.ndarray, str]]


def plot_token_bars(panels: Sequence[TokenPanel], *, caption: Caption) -> np.ndarray:
    """Draw the model's probabilities as broad bars, and in front of them those of each setting.

    All panels share one scale.

    Args:
        panels: at least two; what is not finite and positive has no bar.
        caption: title, names of the axes, source, alternative text.

    Returns:
        The Axes of the panels.
    """
    axes = style.new_axes(3.6, columns=len(panels), sharey=True)
    for ax, panel in zip(axes, panels, strict=True):
        _draw(ax, panel)
        style.name_axes(ax, title=panel.title, x=caption.x)
        ax.title.set_fontsize(10.5)
    axes[0].set_ylabel(caption.y, fontsize=10.5, color=style.INK)
    axes[0].figure.suptitle(
        caption.title, x=0.01, ha="left", fontsize=12, color=style.INK, fontweight="bold"
    )
    style.note_source(axes[0], caption.source)
    style.describe(axes[0], caption.alt)
    return axes


def _draw(ax: Axes, panel: TokenPanel) -> None:
    places = np.arange(len(panel.tokens))
    ax.bar(places, panel.model, width=0.92, color=_BEHIND, linewidth=0, label="the model's own")
    width = 0.7 / len(panel.left)
    top = float(panel.model.max())
    rows = zip(panel.left.values(), _COLORS, strict=False)
    for number, ((p, told), color) in enumerate(rows):
        shown = np.where(np.isfinite(p) & (p > 0), p, 0.0)
        offset = (number + 0.5) * width - 0.35
        ax.bar(places + offset, shown, width=width, color=color, linewidth=0, label=told)
        top = max(top, float(shown.max()))
    ax.legend(loc="upper right", fontsize=9.5, labelcolor=style.INK, **style.OPAQUE)
    ax.set_ylim(0, max(1.12 * top, ax.get_ylim()[1]))
    ax.set_xlim(-0.7, len(panel.tokens) - 0.3)
    ax.set_xticks(places, panel.tokens)
    ax.tick_params(axis="x", length=0, labelcolor=style.INK, labelsize=9)
