"""roofline: its picture."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Any

import numpy as np

from gpuedu.errors import AnswerError
from gpuedu.exercises.plain import numbers
from gpuedu.exercises.tiling.kernel_counts import kernel_counts
from gpuedu.exercises.tiling.roof_pictures import DEVICE
from gpuedu.figures.roofline import plot_roofline, roofline_caption
from gpuedu.hardware.roofline import roofs_of
from gpuedu.lens.roofline import RooflinePoint


def draw_roofline(intensities: Any) -> Any:
    """The eight kernels under the roofs of a device, where the learner's function places them."""
    points = [
        _place(name, work.flop, intensities(asdict(work))) for name, work in kernel_counts().items()
    ]
    roofs = roofs_of(DEVICE)
    caption = roofline_caption(points, roofs)
    title = f"Eight kernels under the roofs of the {roofs.device}, by your intensities"
    return plot_roofline(points, roofs, caption=replace(caption, title=title))


def _place(name: str, flop: int, pair: Any) -> RooflinePoint:
    l1, memory = numbers(pair, 2, "what `intensities` returned")
    if not (0 < l1 < np.inf and 0 < memory < np.inf):
        raise AnswerError(f"`intensities` gave {l1} and {memory} for {name}: no place for a point")
    return RooflinePoint(name, flop, flop / l1, flop / memory)


PICTURE = draw_roofline
