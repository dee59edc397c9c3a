"""fused-softmax: its picture."""

from __future__ import annotations

from typing import Any

import numpy as np

from gpuedu.exercises.custom_kernels.moved_pictures import COUNTED, chain, moved_bytes, normal
from gpuedu.exercises.kernels.programs import run_program
from gpuedu.figures.caption import Caption
from gpuedu.figures.launch_bytes import plot_launch_bytes

_ROWS, _RUN_ROWS, _COLUMNS = 4_096, 4, 512
"""Rows that are told of, and rows that run: bytes grow in proportion."""
_CHAIN = (("max", 1), ("x - max", 2), ("exp", 2), ("sum", 1), ("/ sum", 2))
"""The operations of the chain, and how often each moves the matrix."""


def draw_softmax(softmax: Any) -> Any:
    """Bytes moved by each operation of the chain, and by the learner's kernel."""
    x = normal(_RUN_ROWS, _COLUMNS)
    out = np.zeros_like(x)
    trace = run_program(softmax, _RUN_ROWS, 128, x, out, _COLUMNS, _COLUMNS)
    matrix = 4 * _ROWS * _COLUMNS
    programs = [
        chain("five operations", ((says, times * matrix) for says, times in _CHAIN)),
        chain("your kernel", [("softmax", moved_bytes(trace) * _ROWS // _RUN_ROWS)]),
    ]
    caption = Caption(
        title=f"What moves through memory for {_ROWS:,} rows of {_COLUMNS}",
        x="MB read and written",
        source=f"Each piece is one launch. The chain by formula; your kernel: {COUNTED}",
        alt="; ".join(f"{one.name}: {one.told}" for one in programs) + ".",
    )
    return plot_launch_bytes(programs, caption=caption)


PICTURE = draw_softmax
