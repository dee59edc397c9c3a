"""layer-norm: its picture."""

from __future__ import annotations

from typing import Any

import numpy as np

from gpuedu.exercises.custom_kernels.moved_pictures import COUNTED, chain, moved_bytes, normal
from gpuedu.exercises.kernels.programs import run_program
from gpuedu.figures.caption import Caption
from gpuedu.figures.launch_bytes import plot_launch_bytes

_ROWS, _RUN_ROWS, _COLUMNS, _BLOCK = 1_000, 2, 8_000, 1_024
"""Rows that are told of, and rows that run: bytes grow in proportion."""
_CHAIN = (
    ("mean", 1),
    ("x - mean", 2),
    ("squared", 2),
    ("mean", 1),
    ("/ root", 2),
    ("* weight", 2),
    ("+ bias", 2),
)
"""The operations of the chain, and how often each moves the matrix."""


def draw_layer_norm(layer_norm: Any) -> Any:
    """Bytes moved by each operation of the chain, and by the learner's kernel."""
    x = normal(_RUN_ROWS, _COLUMNS)
    weight = bias = np.ones(_COLUMNS, np.float32)
    given = (x, np.zeros_like(x), weight, bias, _COLUMNS, 1e-5, _BLOCK)
    trace = run_program(layer_norm, _RUN_ROWS, 128, *given)
    once = _RUN_ROWS * 2 * weight.nbytes  # weight and bias come from the L2 cache
    matrix = 4 * _ROWS * _COLUMNS
    own = (moved_bytes(trace) - once) * _ROWS // _RUN_ROWS
    programs = [
        chain("seven operations", ((says, times * matrix) for says, times in _CHAIN)),
        chain("your kernel", [("layer norm", own)]),
    ]
    caption = Caption(
        title=f"What moves through memory for {_ROWS:,} rows of {_COLUMNS:,}",
        x="MB read and written",
        source=f"Weight and bias left out. The chain by formula; your kernel: {COUNTED}",
        alt="; ".join(f"{one.name}: {one.told}" for one in programs) + ".",
    )
    return plot_launch_bytes(programs, caption=caption)


PICTURE = draw_layer_norm
