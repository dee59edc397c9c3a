"""How much of its last warp a block leaves empty, over the sizes of blocks."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.axes import Axes

from gpuedu.figures import style
from gpuedu.figures.caption import Caption, write_caption


def plot_warp_fill(
    sizes: Sequence[int], shares: Sequence[float], *, caption: Caption, ax: Axes | None = None
) -> Axes:
    """Draw the share of lanes without a thread by block size, a dot at each multiple of 32.

    Args:
        sizes: Threads of a block, rising.
        shares: Lanes without a thread over all lanes of the block's warps, 0 to 1; nan is left out.
        caption: title, axes, source, alternative text.
        ax: where to draw; a new figure by default.
    """
    ax = style.new_axes(3.0) if ax is None else ax
    percent = [100 * share for share in shares]
    ax.plot(sizes, percent, color=style.BLUE, linewidth=1.6)
    whole = [(n, p) for n, p in zip(sizes, percent, strict=True) if n % 32 == 0]
    ax.plot(*zip(*whole, strict=True), "o", color=style.RED, markersize=6)
    ax.set_xticks([n for n, _ in whole if n % 64 == 0])
    ax.set_xlim(0, max(sizes) + 4)
    ax.set_ylim(-4, 104)
    return write_caption(ax, caption)
