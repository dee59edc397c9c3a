"""coalesced-copy: its picture."""

from __future__ import annotations

from typing import Any

from gpuedu.exercises.kernels.launching import run_kernel
from gpuedu.exercises.memory.pictures import COPY_BLOCKS, COPY_SIZE, COPY_THREADS, draw, vectors


def draw_coalesced_copy(copy_striped: Any) -> Any:
    """The reads of one warp of the learner's copy in one step."""
    src, dst = vectors(COPY_SIZE)
    return draw(run_kernel(copy_striped, COPY_BLOCKS, COPY_THREADS, src, dst), 0)


PICTURE = draw_coalesced_copy
