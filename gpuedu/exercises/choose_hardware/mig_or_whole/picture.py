"""mig-or-whole: 70 jobs on each cut of an H100, narrow ones and wide ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gpuedu.exercises.plain import number
from gpuedu.figures import style
from gpuedu.figures.caption import Caption
from gpuedu.figures.plain_bars import PlainBar, plot_plain_bars

_JOBS = 70
_PROFILES = (
    ("1g.10gb", 1, 7),
    ("1g.20gb", 1, 4),
    ("2g.20gb", 2, 3),
    ("3g.40gb", 3, 2),
    ("7g.80gb", 7, 1),
)
_KINDS = (("narrow", 2.0, 1.0, 1, style.BLUE), ("wide", 0.2, 1.0, 7, style.ORANGE))


def draw_profiles(batch_s: Callable[..., Any]) -> Any:
    """Seconds until all are done."""
    bars = []
    for kind, host_s, work_s, width, color in _KINDS:
        for name, slices, instances in _PROFILES:
            time_s = number(batch_s(_JOBS, host_s, work_s, width, slices, instances))
            label = f"{kind}, {instances} x {name}"
            bars.append(PlainBar(label, float(time_s), f"{time_s:.0f} s", color))
    told = "; ".join(f"{bar.name} {bar.text}" for bar in bars)
    caption = Caption(
        title=f"{_JOBS} narrow jobs, and {_JOBS} wide ones, on each cut of an H100",
        x="seconds until all are done",
        source="Computed by your `batch_s`. Narrow: 2 s on the host, 1 s on the device, one slice. "
        "Wide: 0.2 s and 1 s, all seven.",
        alt=f"Seconds by cut of the GPU: {told}.",
    )
    return plot_plain_bars(bars, caption=caption)


PICTURE = draw_profiles
