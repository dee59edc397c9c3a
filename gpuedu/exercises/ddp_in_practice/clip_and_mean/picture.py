"""clip-and-mean: its picture."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gpuedu.exercises.ddp_in_practice.clip_and_mean.play import run_finish
from gpuedu.figures import style
from gpuedu.figures.caption import Caption
from gpuedu.figures.plain_bars import PlainBar, plot_plain_bars

MAX_NORM = 1.0


_SIZES = (40.0, 2.0, 1.5, 1.0)


def draw_norms(finish: Callable[..., Any]) -> Any:
    """Norms of four ranks' gradients, of their mean, and of the result of ``finish``."""
    gradients = [[one] for one in _gradients()]
    inputs = {"gradients": gradients, "max_norm": MAX_NORM, "seed": 0}
    _, found = run_finish(finish, inputs)
    mean = np.mean(_gradients(), axis=0)
    left = found[0]["gradients"][0]
    left = mean * np.nan if left is None else left
    size = float(np.linalg.norm(left))
    cosine = float(left @ mean) / (size * float(np.linalg.norm(mean))) if size > 0 else np.nan
    own = [(f"rank {rank}", size, style.BLUE) for rank, size in enumerate(_SIZES)]
    known = [*own, ("mean", float(np.linalg.norm(mean)), style.GREEN)]
    bars = [PlainBar(name, value, f"{value:.3g}", color) for name, value, color in known]
    bars.append(PlainBar("result", size, f"{size:.3g}", style.ORANGE))
    told = ", ".join(f"{bar.name} {bar.text}" for bar in bars)
    caption = Caption(
        title=f"The result: norm {size:.3g}, cosine to the mean {cosine:.3f}",
        x="norm of the gradient",
        source=f"Computed here: planted gradients on 4 light ranks, max_norm {MAX_NORM:g}.",
        alt=f"Bars of norms: {told}. The limit is {MAX_NORM:g}. The cosine between the result "
        f"and the mean of the ranks' gradients is {cosine:.3f}.",
    )
    ax = plot_plain_bars(bars, caption=caption, row_in=0.36)
    ax.set_ylim(-0.6, len(bars) + 0.2)
    ax.axvline(MAX_NORM, color=style.INK, linewidth=1.3, dashes=(5, 3), zorder=3)
    for text in ax.texts:  # not on the line
        text.xy = max(text.xy[0], MAX_NORM), text.xy[1]
    look = {"xytext": (5, 0), "textcoords": "offset points", "fontsize": 9.5, "color": style.INK}
    ax.annotate("max_norm", (MAX_NORM, len(bars) - 0.2), va="center", **look)
    return ax


def _gradients() -> list[np.ndarray]:
    """A gradient of six numbers for each rank."""
    drawn = np.random.default_rng(3).standard_normal((len(_SIZES), 6))
    return [one * size / np.linalg.norm(one) for one, size in zip(drawn, _SIZES, strict=True)]


PICTURE = draw_norms
