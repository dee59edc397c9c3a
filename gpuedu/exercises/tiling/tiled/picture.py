"""tiled: its picture."""

from __future__ import annotations

from typing import Any

from gpuedu.exercises.tiling.pictures import SIDE, draw_hazard_or, draw_reads, launch_product


def draw_tiled(matmul: Any) -> Any:
    """How often the learner's tiles read each element of ``a``; or the first hazard."""
    return draw_hazard_or(draw_reads, launch_product(matmul, SIDE, SIDE, SIDE))


PICTURE = draw_tiled
