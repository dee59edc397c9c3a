"""What the lesson registers times on the learner's GPU: the ladder, and kernels of their own."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gpuedu.errors import AnswerError
from gpuedu.exercises.registers.kernels import tile_kernel
from gpuedu.exercises.registers.products import BLOCK

N = 2048
"""M = N = K of the products that are timed."""


_TIME_S = 90.0


_LADDER = (
    "by-columns",
    "naive",
    "tiled",
    "register-tile",
    "wide-register-tile",
    "vector-loads",
    "double-buffer",
    "c-warp-tile",
)


_BESIDE = ("tiled", "register-tile", "wide-register-tile")


_LIBRARY = "cublas"


_NO_GPU = "Counts hold without one, and recorded times are in the ladder's figure."


@dataclass(frozen=True)
class OwnRung:
    """A learner's kernel as a rung: what a measurement asks of one."""

    name: str
    kernel: Any
    side: int
    language: str = "Numba"

    def launch(self, a: Any, b: Any, c: Any) -> None:
        """Enqueue the product once, on arrays of the device."""
        grid = (-(-c.shape[1] // self.side), -(-c.shape[0] // self.side))
        self.kernel[grid, BLOCK](a, b, c)


def measure_rungs() -> dict[str, float]:
    """Percent of cuBLAS of each rung, at 2,048; without a GPU, an AnswerError says so."""
    from gpuedu.ladder import rung

    return _measure([rung(slug) for slug in _LADDER])


def measure_own(make_matmul: Any) -> dict[str, float]:
    """The same for the learner's kernels for t = 2, 4 and 8, beside three rungs."""
    from gpuedu.ladder import rung

    own = [OwnRung(f"yours, {t} x {t}", tile_kernel(make_matmul, t), 16 * t) for t in (2, 4, 8)]
    return _measure([*(rung(slug) for slug in _BESIDE), *own])


def _measure(chosen: Sequence[Any]) -> dict[str, float]:
    from gpuedu.backend import has_gpu

    if not has_gpu():
        raise AnswerError("there is no GPU here, so nothing is timed", remedy=_NO_GPU)
    from gpuedu.recording.matmul import measure_ladder

    measured = measure_ladder(chosen, (N,), time_s=_TIME_S)
    for text in measured.left_out:
        print(f"left out: {text}")
    return percent_of_library(measured.rows)


def percent_of_library(rows: Iterable[Any]) -> dict[str, float]:
    """For each rung the library's time in percent of its own; empty without the library.

    >>> percent_of_library([{"rung": "naive", "median": 4.0}, {"rung": "cublas", "median": 1.0}])
    {'naive': 25.0, 'cublas': 100.0}
    """
    times = {row["rung"]: row["median"] for row in rows}
    if _LIBRARY not in times:
        print("The library was not timed, so there is nothing to compare with.")
        return {}
    return {name: float(np.round(100 * times[_LIBRARY] / own, 1)) for name, own in times.items()}


MEASURES = {
    "registers/ladder": measure_rungs,
    "registers/own": measure_own,
}
