"""transfer-size: what is measured on the learner's machine."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gpuedu.clock import time_launch
from gpuedu.exercises.feed_the_gpu.transfer_size.copy_times import SIZES
from gpuedu.exercises.plain import numbers
from gpuedu.exercises.training.quiet import quiet_torch
from gpuedu.units import GB, US

_BUDGET_S = 0.05


def measure_copies(fit: Callable[..., Any]) -> dict[str, Any]:
    """Time copies by size, and fit them with the learner's function.

    From pinned memory to the GPU; without one, from one place of the host's memory to another.

    Returns:
        ``what`` was copied, ``latency_us``, ``gb_per_s`` and ``half_size_kb`` (1,000 bytes).
    """
    what, times = time_copies()
    sizes = np.array([float(size) for size in SIZES])
    latency_s, rate = (float(n) for n in numbers(fit(sizes, np.array(times)), 2, "the fit"))
    return {
        "what": what,
        "latency_us": _short(latency_s / US),
        "gb_per_s": _short(rate / GB),
        "half_size_kb": _short(latency_s * rate / 1e3),
    }


def time_copies() -> tuple[str, list[float]]:
    """What was copied, and the median time of a copy for each size, in seconds."""
    import torch

    has_gpu = torch.cuda.is_available()
    if has_gpu:
        place, sync = "cuda", torch.cuda.synchronize
        what = f"from pinned memory to the {torch.cuda.get_device_name()}"
    else:
        place, sync = "cpu", _nothing
        what = "within the host's memory, by one thread; there is no GPU here"
    times = []
    with quiet_torch():
        for size in SIZES:
            source = torch.zeros(size, dtype=torch.uint8, pin_memory=has_gpu)
            to = torch.zeros(size, dtype=torch.uint8, device=place)
            copy = _copy(to, source)
            times.append(time_launch(copy, sync, budget_s=_BUDGET_S, most=200).median_s)
    return what, times


def _copy(to: Any, source: Any) -> Callable[[], object]:
    return lambda: to.copy_(source, non_blocking=True)


def _nothing() -> None:
    """The host's own copies are done when they return."""


def _short(value: float) -> float:
    """Three figures."""
    return float(f"{value:.3g}")


MEASURE = measure_copies
