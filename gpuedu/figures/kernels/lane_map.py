"""A picture that a kernel computed, beside how busy the warps were that computed it."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes

from gpuedu.figures import style
from gpuedu.figures.caption import Caption, write_caption


def plot_lane_map(values: np.ndarray, busy: np.ndarray, *, name: str, caption: Caption) -> Any:
    """Draw two maps of the same pixels side by side, each with its own scale.

    Args:
        values: (rows, columns), what was computed.
        busy: (rows, columns), mean active lanes of the warp that has the pixel, 0 to 32.
        name: What ``values`` are, with their unit.
        caption: title, source, alternative text.

    Returns:
        Both Axes, in an array.
    """
    rows, columns = values.shape
    axes = style.new_axes(1.5 + 3.7 * rows / columns, columns=2)
    _draw_map(axes[0], values, name, "magma", (0, max(1.0, float(values.max()))))
    _draw_map(axes[1], busy, "active lanes of the warp, of 32", "viridis", (0, 32))
    write_caption(axes[0], caption)
    return axes


def _draw_map(
    ax: Axes, values: np.ndarray, name: str, colors: str, limits: tuple[float, float]
) -> None:
    image = ax.imshow(values, cmap=colors, vmin=limits[0], vmax=limits[1], interpolation="nearest")
    ax.grid(visible=False)
    ax.set_xticks([])
    ax.set_yticks([])
    for spine in ax.spines.values():
        spine.set_visible(False)
    bar = ax.figure.colorbar(image, ax=ax, orientation="horizontal", fraction=0.05, pad=0.03)
    bar.ax.tick_params(labelsize=9, colors=style.QUIET)
    bar.set_label(name, fontsize=9.5, color=style.INK)
    bar.outline.set_visible(False)
