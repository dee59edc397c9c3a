"""throttle: time and energy under power limits, for two kernels."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from gpuedu.exercises.plain import number
from gpuedu.figures import style
from gpuedu.figures.by_count import CountLine, plot_by_count
from gpuedu.figures.caption import Caption

_STATIC_W, _DYNAMIC_W = 100, 600
_CAPS = tuple(range(110, 681, 10))
"""To just below full power: there all lines meet, and names at their ends would say nothing."""

_KERNELS = (
    ("arithmetic", 1.0, 0.3, style.RED, style.ORANGE),
    ("memory", 0.3, 1.0, style.BLUE, style.SKY),
)


def draw_caps(clock_share: Callable[..., Any], capped_s: Callable[..., Any]) -> Any:
    """Time and energy over those without a limit, by the limit."""
    lines, least = [], []
    for name, compute_s, memory_s, time_color, energy_color in _KERNELS:
        times, energies = [], []
        for cap in _CAPS:
            share = number(clock_share(cap, _STATIC_W, _DYNAMIC_W))
            # Without a limit a kernel takes 1 s.
            times.append(float(number(capped_s(share, compute_s, memory_s))))
            drawn_w = _STATIC_W + _DYNAMIC_W * share**3
            energies.append(drawn_w * times[-1] / (_STATIC_W + _DYNAMIC_W))
        best = _least(energies)
        least.append(f"{best} W" if best else "nowhere")
        lines.append(CountLine(f"time, {name}", _CAPS, tuple(times), time_color))
        line = CountLine(
            f"energy, {name}", _CAPS, tuple(energies), energy_color, mark=best, has_marks=False
        )
        lines.append(line)
    told = "; ".join(f"{x.name} {x.values[0]:.2g} at {_CAPS[0]} W" for x in lines)
    caption = Caption(
        title="Under a power limit: kernels that wait for arithmetic, or for memory",
        x="power limit (W)",
        y="relative to no limit",
        source=f"Computed by your functions, for {_STATIC_W} W plus {_DYNAMIC_W} W at full clock."
        f"\nDotted: the least energy, at {least[0]} (arithmetic) and {least[1]} (memory).",
        alt=f"Time and energy by power limit, over those without one: {told}. The least energy is "
        f"at {least[0]} for arithmetic and at {least[1]} for memory.",
    )
    return plot_by_count(lines, caption=caption)


def _least(energies: list[float]) -> int | None:
    """The limit with the least energy, if any of them is a number."""
    known = [(energy, cap) for energy, cap in zip(energies, _CAPS, strict=True) if energy > 0]
    energy, cap = min(known, default=(math.inf, None))
    return cap if math.isfinite(energy) else None


PICTURE = draw_caps
