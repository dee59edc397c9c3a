"""gpu-or-tpu: the useful share by size, on a TPU and on a GPU."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gpuedu.exercises.plain import number
from gpuedu.figures import style
from gpuedu.figures.caption import Caption
from gpuedu.figures.curves import Curve, plot_curves

_SIZES = tuple(size + more for size in range(64, 5121, 64) for more in (0, 1))
"""Multiples of a tile, and one more: where the shares are highest, and lowest."""

_TILES, _SMS = (128, 256), 132


def draw_shares(tpu_share: Callable[..., Any], gpu_share: Callable[..., Any]) -> Any:
    """Square products from 64 to 5,121."""
    x = tuple(map(float, _SIZES))
    curves = [
        Curve(
            f"TPU, {side} x {side}",
            x,
            tuple(float(number(tpu_share(n, n, n, side))) for n in _SIZES),
            color,
            has_marks=False,
        )
        for side, color in ((128, style.GREEN), (256, style.ORANGE))
    ]
    shares = tuple(float(number(gpu_share(n, n, *_TILES, _SMS))) for n in _SIZES)
    curves.append(Curve(f"GPU, {_SMS} SMs", x, shares, style.BLUE, has_marks=False))
    told = "; ".join(f"{one.name} {one.y[0]:.2g} to {one.y[-1]:.2g}" for one in curves)
    caption = Caption(
        title="The share of a square product that is useful work",
        x="size of all three dimensions",
        y="useful share",
        source=f"Computed by your functions. GPU: tiles of {_TILES[0]} x {_TILES[1]}, one on each "
        f"of {_SMS} SMs at a time.",
        alt=f"Useful share by size, from {_SIZES[0]} to {_SIZES[-1]}: {told}.",
    )
    return plot_curves(
        curves, caption=caption, format_x=lambda n: f"{n:,g}", format_y=lambda y: f"{y:.3g}"
    )


PICTURE = draw_shares
