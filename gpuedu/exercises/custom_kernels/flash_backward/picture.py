"""flash-backward: its picture."""

from __future__ import annotations

from typing import Any

import numpy as np

from gpuedu.exercises.custom_kernels.moved_pictures import COUNTED, moved_bytes, normal
from gpuedu.exercises.kernels.programs import run_program
from gpuedu.figures import style
from gpuedu.figures.caption import Caption
from gpuedu.figures.curves import Curve, plot_curves
from gpuedu.units import MB

_TOKENS = (128, 256, 512)
_WIDTH, _BLOCK = 64, 64
_PASSES = 6
"""How often the chain moves an n x n array: weights loaded for dv and for the slopes; their
gradients stored and loaded; the slopes stored and loaded."""


def draw_backward(backward: Any) -> Any:
    """Bytes by the number of tokens: of the chain, and of the learner's kernel."""
    once = [(5 + 2) * 2 * n * _WIDTH + 4 * n for n in _TOKENS]
    chain = [least + _PASSES * 2 * n * n for least, n in zip(once, _TOKENS, strict=True)]
    named = (
        ("chain, with\nweights in memory", chain, style.ORANGE),
        ("your kernel", [_own_bytes(backward, n) for n in _TOKENS], style.BLUE),
        ("each array once", once, style.QUIET),
    )
    curves = [
        Curve(name, _TOKENS, tuple(one / MB for one in moved), color)
        for name, moved, color in named
    ]
    last = ", ".join(f"{name} {moved[-1] / MB:.1f} MB" for name, moved, _ in named)
    last = last.replace("\n", " ")
    caption = Caption(
        title=f"What dk and dv of one head ask of memory, {_WIDTH} numbers a token",
        x="tokens",
        y="MB read and written",
        source=f"Blocks of {_BLOCK} x {_BLOCK}, float16. Chain by formula; your kernel: {COUNTED}",
        alt=f"Bytes by tokens, from {_TOKENS[0]} to {_TOKENS[-1]}. For {_TOKENS[-1]}: {last}.",
    )
    ax = plot_curves(
        curves, caption=caption, format_x=lambda n: f"{n:,.0f}", format_y=lambda y: f"{y:g}"
    )
    ax.set_xticks(_TOKENS, [f"{n:,}" for n in _TOKENS])
    return ax


def _own_bytes(backward: Any, n: int) -> int:
    arrays = [normal(n, _WIDTH, dtype=np.float16) for _ in range(5)]
    lse = np.full(n, 60.0, np.float32)
    sums = [np.zeros_like(arrays[0]) for _ in range(2)]
    sizes = (n, 0.125, _WIDTH, _BLOCK, _BLOCK)
    return moved_bytes(run_program(backward, n // _BLOCK, 128, *arrays, lse, *sums, *sizes))


PICTURE = draw_backward
