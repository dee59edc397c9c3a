"""bandwidth: its picture."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from gpuedu.errors import AnswerError
from gpuedu.exercises.plain import number
from gpuedu.exercises.welcome.pictures import plot_rates
from gpuedu.units import GB


def draw_bandwidth(bandwidth_gb_per_s: Callable[..., float], times: Mapping[str, Any]) -> Any:
    """The four kernels on this machine, by the learner's formula."""
    if "copy" not in times:
        raise AnswerError(
            "there are no times to draw", remedy='run `times = measure("bandwidth")` first'
        )
    rates = {}
    for kernel in ("copy", "scale", "add", "triad"):
        got = bandwidth_gb_per_s(kernel, times["n"], times["itemsize"], times[kernel])
        rates[kernel] = number(got, "the bandwidth") * GB
    if not all(map(math.isfinite, rates.values())):
        raise AnswerError("the bandwidth is not a finite number")
    where = times["device"]
    return plot_rates(
        rates,
        where,
        f"Your formula, on {where}",
        f"filled: {times['n']:,} float32 elements timed on {where}, turned into a rate by your "
        "function; hollow: data sheets",
    )


PICTURE = draw_bandwidth
