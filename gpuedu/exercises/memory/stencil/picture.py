"""stencil: its picture."""

from __future__ import annotations

from typing import Any

import numpy as np

from gpuedu.exercises.kernels.traffic import loads_by_block
from gpuedu.exercises.memory.pictures import SIGNAL, SIGNAL_THREADS, argument_name, run_stencil
from gpuedu.figures.caption import Caption
from gpuedu.figures.kernels.block_reads import plot_block_reads


def draw_stencil(smooth: Any) -> Any:
    """The elements of the input that each block reads, and how often."""
    trace = run_stencil(smooth)
    loads = loads_by_block(trace, 0, SIGNAL)
    caption = Caption(
        title=f"{trace.launch.kernel}: what each block reads of {argument_name(trace, 0)}",
        x="element",
        source=f"{SIGNAL} elements, blocks of {SIGNAL_THREADS} threads. Counted on the machine "
        "from a launch of your kernel, not timed.",
        alt=" ".join(_told(block, counts) for block, counts in enumerate(loads)),
    )
    return plot_block_reads(loads, caption=caption)


def _told(block: int, counts: np.ndarray) -> str:
    return (
        f"Block {block} reads {np.count_nonzero(counts)} elements, {int(counts.sum())} reads, at "
        f"most {int(counts.max())} of one."
    )


PICTURE = draw_stencil
