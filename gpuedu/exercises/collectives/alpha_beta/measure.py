"""alpha-beta: what is measured on the learner's machine."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gpuedu.errors import AnswerError, GpueduError
from gpuedu.exercises.plain import number, numbers
from gpuedu.units import GB, US

SIZES = tuple(2**k for k in range(12, 25))
"""4 KiB to 16 MiB."""


_RANKS, _REPEATS = 2, 15


def time_all_reduces(sizes: tuple[int, ...], repeats: int) -> list[float]:
    """Runs on every rank: the shortest time of an all-reduce, in seconds, by bytes."""
    import time

    import torch
    import torch.distributed as dist

    torch.set_num_threads(1)
    shortest = []
    for size in sizes:
        x = torch.zeros(size // 4)
        taken = []
        for _ in range(repeats + 2):
            dist.barrier()
            start = time.perf_counter()
            dist.all_reduce(x)
            taken.append(time.perf_counter() - start)
        shortest.append(min(taken[2:]))
    return shortest


def measure_gloo(fit_ring: Callable[..., Any], ring_s: Callable[..., Any]) -> dict[str, Any]:
    """Time gloo's all-reduce between two processes; fit every second size, predict all.

    Returns:
        ``what`` was measured, ``alpha_us``, ``gb_per_s``, ``off_percent`` (the median error of the
        sizes that were not fitted), and the sizes with their times and predictions.
    """
    from gpuedu.multi import launch

    try:
        launched = launch(time_all_reduces, _RANKS, SIZES, _REPEATS, backend="gloo")
    except GpueduError as fault:
        return {"what": f"no processes could be started here: {fault}"}
    times_s = np.max(np.array(launched.results), axis=0)
    sizes = np.array(SIZES, float)
    alpha_s, rate = numbers(fit_ring(_RANKS, sizes[::2], times_s[::2]), 2, "fit_ring's result")
    if not rate > 0:
        raise AnswerError(f"your fit gave a rate of {rate:g} bytes/s, which is no rate")
    predicted = np.array([number(ring_s(_RANKS, size, alpha_s, rate)) for size in sizes.tolist()])
    off = np.abs(predicted / times_s - 1)[1::2]
    return {
        "what": f"{_RANKS} processes of this machine, by gloo, the shortest of {_REPEATS}",
        "alpha_us": _short(alpha_s / US),
        "gb_per_s": _short(rate / GB),
        "off_percent": _short(100 * float(np.median(off))),
        "sizes_bytes": list(SIZES),
        "times_s": times_s.tolist(),
        "predicted_s": predicted.tolist(),
    }


def _short(value: float) -> float:
    """Three figures."""
    return float(f"{value:.3g}")


MEASURE = measure_gloo
