"""transpose: its picture."""

from __future__ import annotations

from typing import Any

from gpuedu.exercises.memory.pictures import costliest, run_transpose
from gpuedu.figures.kernels.banks import plot_banks
from gpuedu.trace import Space


def draw_transpose(transpose: Any) -> Any:
    """The learner's costliest request to shared memory on its way through the banks."""
    trace = run_transpose(transpose)
    return plot_banks(trace, costliest(trace, trace.sites, Space.SHARED))


PICTURE = draw_transpose
