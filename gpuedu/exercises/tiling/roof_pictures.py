"""Pictures of the lesson tiling with roofs: what tiles move, and the ladder of matmuls."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from typing import Any

import numpy as np

from gpuedu.errors import AnswerError
from gpuedu.exercises.kernels.launching import run_kernel
from gpuedu.exercises.tiling.kernel_counts import SIDE, kernel_counts
from gpuedu.figures.ladder import plot_ladder
from gpuedu.figures.roofline import COMPUTED, plot_roofline, roofline_caption
from gpuedu.hardware.records import Record, records
from gpuedu.hardware.roofline import roofs_of
from gpuedu.lens import lens
from gpuedu.lens.ladder import CUBLAS, SERIES, CountedRung, build_ladder, same_device
from gpuedu.lens.roofline import RooflinePoint, roofline_point
from gpuedu.trace import Trace
from gpuedu.trace.counts import SECTOR_BYTES

DEVICE = "h200-sxm"
_RUNGS = (
    ("by-columns", "x down the rows"),
    ("naive", "x along the columns"),
    ("tiled", "tiles of 32 x 32"),
)
_NO_CACHE = (
    "Circle: FLOP for each byte through L1. Square: for each byte of device memory. Filled: the "
    f"roof that limits.\nAt most: the share of the fp32 peak. M = N = K = {SIDE}. {COMPUTED}"
)


def draw_moved(matmul_naive: Any, matmul_tiled: Any) -> Any:
    """Two matmuls under the roofs, each with caches that hold everything, and nothing."""
    points = [
        point
        for name, kernel in (("naive", matmul_naive), ("tiled", matmul_tiled))
        for point in _ends(roofline_point(lens(_launch(kernel)), name))
    ]
    roofs = roofs_of(DEVICE)
    caption = roofline_caption(points, roofs)
    title = f"Two matmuls, each without caches and with perfect ones ({roofs.device})"
    return plot_roofline(points, roofs, caption=replace(caption, title=title, source=_NO_CACHE))


def _ends(point: RooflinePoint) -> tuple[RooflinePoint, RooflinePoint]:
    """The kernel if caches keep nothing of what comes from device memory, and if they keep all."""
    if not point.flop or not point.requested_bytes:
        raise AnswerError(f"the {point.name} kernel computes nothing yet")
    return (
        replace(point, name=f"{point.name}, no cache", memory_bytes=point.requested_bytes),
        replace(point, name=f"{point.name}, perfect cache"),
    )


def _launch(kernel: Any) -> Trace:
    rng = np.random.default_rng(6)
    a, b, c = (rng.normal(0, 1, (SIDE, SIDE)).astype(np.float32) for _ in range(3))
    return run_kernel(kernel, (SIDE // 32, SIDE // 32), (32, 32), a, b, c)


def draw_ladder(times: Mapping[str, Any]) -> Any:
    """What counts allow the three matmuls on a GPU, and the learner's or recorded times on it."""
    counted = [
        CountedRung(slug, title, "Numba", _point(f"matmul-{slug}")) for slug, title in _RUNGS
    ]
    roofs, kept = same_device((_own_record(times),) if times else records(SERIES), DEVICE)
    ladder = build_ladder(counted, roofs, kept, n=times["n"] if times else None, counted_n=SIDE)
    return plot_ladder(ladder)


def _point(name: str) -> RooflinePoint:
    work = kernel_counts()[name]
    requested = work.sectors * SECTOR_BYTES
    return RooflinePoint(name, work.flop, work.l1_bytes, work.memory_bytes, requested)


def _own_record(times: Mapping[str, Any]) -> Record:
    """The learner's times in the form of a record of the ladder."""
    size = {name: times[name] for name in ("m", "n", "k")}
    rows = [
        {"rung": rung, "language": "", "dtype": "float32", **size, "median": times[key]}
        for key, rung in (("naive", "naive"), ("tiled", "tiled"), ("library", CUBLAS))
        if key in times
    ]
    return Record(
        device=times["device"],
        name=SERIES,
        date=date.today().isoformat(),
        unit="s",
        what="the learner's own kernels",
        versions={},
        rows=tuple({**row, "spread": 0.0} for row in rows),
        is_own=True,
    )
