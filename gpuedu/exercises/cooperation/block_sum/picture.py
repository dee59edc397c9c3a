"""block-sum: its picture."""

from __future__ import annotations

from typing import Any

import numpy as np

from gpuedu.exercises.cooperation.pictures import THREADS, draw_lanes, run_sum
from gpuedu.figures.kernels.banks import plot_banks
from gpuedu.lens.requests import find_requests
from gpuedu.trace import Space


def draw_block_sum(block_sum: Any) -> Any:
    """The same lanes; or, where a request meets a bank twice, that request."""
    trace = run_sum(block_sum, THREADS)
    shared = [site for site in trace.sites if site.space is Space.SHARED]
    conflicts = [int((site.wavefronts - site.ideal_wavefronts).sum()) for site in shared]
    if max(conflicts, default=0) == 0:
        return draw_lanes(block_sum)
    site = shared[int(np.argmax(conflicts))]
    requests = find_requests(trace, site, warp=0)
    worst = int(np.argmax([request.wavefronts for request in requests]))
    return plot_banks(trace, site, occurrence=worst)


PICTURE = draw_block_sum
