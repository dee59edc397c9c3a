"""two-d-map: its picture."""

from __future__ import annotations

from typing import Any

from gpuedu.exercises.first_kernels.pictures import draw_reads, run_map


def draw_two_d_map(add_bias: Any) -> Any:
    """The reads of the matrix by one warp of the learner's kernel, in rows of memory."""
    return draw_reads(run_map(add_bias))


PICTURE = draw_two_d_map
