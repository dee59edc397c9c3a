"""three-utilisations: three programs, with the numbers that the learner's functions give."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from gpuedu.errors import AnswerError
from gpuedu.exercises.plain import number
from gpuedu.figures.caption import Caption
from gpuedu.figures.sm_use import SmUse, plot_sm_use
from gpuedu.units import MS

SMS, PEAK_BYTES_PER_S, WINDOW_S = 132, 3e12, 40 * MS

PROGRAMS = {
    "one block, all the time": [(0.0, 0.040, 1, 2e8)],
    "every SM, then nothing": [(0.001, 0.008, 132, 1.4e10), (0.021, 0.028, 132, 1.4e10)],
    "two streams": [(0.002, 0.022, 44, 3e10), (0.014, 0.030, 66, 2.4e10), (0.033, 0.038, 22, 9e9)],
}
"""Made up for the picture: kernels as (start, end, SMs, bytes), in seconds, on a GPU of 132 SMs."""


def draw_three_utilisations(
    gpu_util: Callable[..., Any], sm_active: Callable[..., Any], memory_share: Callable[..., Any]
) -> Any:
    """SMs in use over time, and the learner's three numbers beside it."""
    rows, told = [], []
    for name, kernels in PROGRAMS.items():
        says = (
            f"a kernel ran: {_percent(gpu_util(list(kernels), 0.0, WINDOW_S))}",
            f"SMs busy: {_percent(sm_active(list(kernels), 0.0, WINDOW_S, SMS))}",
            f"memory: {_percent(memory_share(list(kernels), 0.0, WINDOW_S, PEAK_BYTES_PER_S))}",
        )
        rows.append(SmUse(name, tuple((a, b, n) for a, b, n, _ in kernels), says))
        told.append(f"{name}: {', '.join(says)}")
    caption = Caption(
        title="Three programs, three answers each",
        x="time",
        source="Made-up kernels on a GPU of 132 SMs. Orange: at least one kernel runs. "
        "Numbers: your functions.",
        alt="SMs in use over time for three programs, with the learner's numbers. "
        + "; ".join(told)
        + ".",
    )
    return plot_sm_use(rows, SMS, WINDOW_S, caption=caption)


def tell_own_utilization(own: Mapping[str, Any]) -> str:
    """What was measured on the learner's GPU, as a small table; or why there is nothing."""
    if not isinstance(own, dict) or not own:
        raise AnswerError("nothing was measured", remedy='`own = measure("three-utilisations")`')
    if "note" in own:
        return f"Nothing to measure: {own['note']}."
    lines = [f"{'what ran':<40}  a kernel ran   memory was used"]
    for name, (gpu, memory) in own["shares"].items():
        lines.append(f"{name:<40}  {_percent(gpu):>12}   {_percent(memory):>15}")
    lines.append(f"Shares of time as the driver tells them (NVML), on {own['device']}, just now.")
    return "\n".join(lines)


def _percent(value: Any) -> str:
    """The learner's share in words; what is no share is told as it is."""
    try:
        share = number(value)
    except AnswerError:
        return "no number"
    if not math.isfinite(share) or abs(share) > 1e4:
        return f"{share:.3g}"
    return f"{100 * share:.2g}%" if abs(share) < 0.0995 else f"{100 * share:.3g}%"


PICTURE = draw_three_utilisations
