"""Pictures of the lesson registers, made from the learner's functions and kernels, right or wrong.

A kernel is launched on a small product each time. Shared arrays are found as the costliest, since
their names are the learner's.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from gpuedu.errors import AnswerError
from gpuedu.exercises.registers import tables
from gpuedu.exercises.registers.kernels import tile_kernel
from gpuedu.exercises.registers.products import run_product
from gpuedu.exercises.registers.rung_counts import N, counted_rungs
from gpuedu.figures.kernels.banks import plot_banks
from gpuedu.figures.ladder import plot_ladder
from gpuedu.figures.roofline import plot_roofline, roofline_caption
from gpuedu.hardware.records import records
from gpuedu.hardware.roofline import roofs_of
from gpuedu.lens import lens
from gpuedu.lens.banks import bank_visits
from gpuedu.lens.ladder import SERIES, build_ladder, same_device
from gpuedu.lens.requests import find_requests
from gpuedu.lens.roofline import roofline_point
from gpuedu.trace import AccessSite, Operation, Space, Trace

DEVICE, CAPABILITY = "h200-sxm", (9, 0)


_SIDE, _DEEP = 128, 64
"""M = N and K of the products under the roofs: deep enough that writing `c` is little."""


def draw_ladder() -> Any:
    """The rungs with the bound that their counts allow on a GPU, and what that GPU measured."""
    roofs, kept = same_device(records(SERIES), DEVICE)
    return plot_ladder(build_ladder(counted_rungs(), roofs, kept, counted_n=N))


def draw_roofline(make_matmul: Any) -> Any:
    """The learner's kernels for t = 2, 4 and 8 under the roofs of a device."""
    points = [
        roofline_point(lens(run_square(make_matmul, t)), f"{t} x {t} sums") for t in (2, 4, 8)
    ]
    if not all(point.flop for point in points):
        raise AnswerError("the kernel computes nothing yet")
    roofs = roofs_of(DEVICE)
    caption = roofline_caption(points, roofs)
    title = f"Your kernels under the roofs of the {roofs.device} ({_SIDE} x {_SIDE} x {_DEEP})"
    return plot_roofline(points, roofs, caption=replace(caption, title=title))


def run_square(make_matmul: Any, t: int) -> Trace:
    """Launch the learner's kernel for t x t sums on the product that all t have in common."""
    return run_product(tile_kernel(make_matmul, t), 16 * t, product(_SIDE, _SIDE, _DEEP))


def product(m: int, n: int, k: int) -> dict[str, np.ndarray]:
    """Matrices of ones."""
    shapes = {"a": (m, k), "b": (k, n), "c": (m, n)}
    return {name: np.ones(shape, np.float32) for name, shape in shapes.items()}


def draw_banks(trace: Trace, prefers: Operation = Operation.LOAD) -> Any:
    """The banks that the costliest access to shared memory asks for."""
    sites = [site for site in trace.sites if site.space is Space.SHARED and site.requests.sum()]
    if not sites:
        raise AnswerError(f"`{trace.launch.kernel}` does not use shared memory yet")
    return plot_banks(
        trace,
        max(
            sites, key=lambda site: (_excess(site), site.operation is prefers, _banks(trace, site))
        ),
    )


def _banks(trace: Trace, site: AccessSite) -> int:
    """Banks that the first warp's first request uses: a request to few shows little."""
    found = find_requests(trace, site, block=trace.watched[0], warp=0)
    return len({visit.bank for visit in bank_visits(found[0])}) if found else 0


def _excess(site: AccessSite) -> int:
    """Passes beyond the least, in all requests together."""
    return int((site.wavefronts - site.ideal_wavefronts).sum())


PICTURES = {
    "registers/ladder": draw_ladder,
    "registers/roofline": draw_roofline,
    "registers/compiled": tables.compiled_tiles,
    "registers/stack": tables.compiled_stack,
    "registers/instructions": tables.compiled_instructions,
    "registers/five": tables.five_accounts,
    "registers/last": tables.compiled_rungs,
}
