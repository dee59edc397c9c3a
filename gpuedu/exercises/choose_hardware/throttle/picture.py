"""throttle: time and energy under power limits, for two kernels."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gpuedu.exercises.plain import number
from gpuedu.figures import style
from gpuedu.figures.caption import Caption
from gpuedu.figures.curves import Curve, plot_curves

_STATIC_W, _DYNAMIC_W = 100, 600
_CAPS = tuple(range(160, 701, 30))
_KERNELS = (("waits for arithmetic", 1.0, 0.4), ("waits for memory", 0.5, 1.0))


def draw_caps(clock_share: Callable[..., Any], capped_s: Callable[..., Any]) -> Any:
    """Time and energy over those without a limit, by the limit."""
    curves = []
    for (name, compute, memory), colour in zip(_KERNELS, (style.RED, style.BLUE), strict=True):
        full_s = max(compute, memory)
        times, joules = [], []
        for cap in _CAPS:
            share = number(clock_share(cap, _STATIC_W, _DYNAMIC_W))
            time_s = number(capped_s(share, compute, memory))
            times.append(time_s / full_s)
            drawn_w = _STATIC_W + _DYNAMIC_W * share**3
            joules.append(drawn_w * time_s / (full_s * (_STATIC_W + _DYNAMIC_W)))
        caps = tuple(map(float, _CAPS))
        curves.append(Curve(f"time, {name}", caps, tuple(times), colour))
        faint = style.ORANGE if colour == style.RED else style.SKY
        curves.append(Curve(f"energy, {name}", caps, tuple(joules), faint, has_marks=False))
    told = "; ".join(f"{one.name} {one.y[0]:.2g} at {one.x[0]:g} W" for one in curves)
    caption = Caption(
        title="A power limit costs arithmetic its cube root, and memory nothing",
        x="power limit (W)",
        y="over that without a limit",
        source=f"Computed by your functions: {_STATIC_W} W, and {_DYNAMIC_W} W more at full clock.",
        alt=f"Time and energy by power limit, over those without one: {told}.",
    )
    return plot_curves(
        curves, caption=caption, format_x=lambda x: f"{x:g}", format_y=lambda y: f"{y:g}"
    )


PICTURE = draw_caps
