"""flash-attention: its picture."""

from __future__ import annotations

from typing import Any

import numpy as np

from gpuedu.exercises.custom_kernels.moved_pictures import COUNTED, moved_bytes, normal
from gpuedu.exercises.kernels.programs import run_program
from gpuedu.figures import style
from gpuedu.figures.caption import Caption
from gpuedu.figures.curves import Curve, plot_curves
from gpuedu.units import MB

_TOKENS = (128, 256, 512, 1024)
_WIDTH, _BLOCK = 64, 64
_PASSES = 4
"""How often the chain moves the scores: stored and loaded, before and after the softmax."""


def draw_attention(attention: Any) -> Any:
    """Bytes by the number of tokens: of the chain, and of the learner's kernel."""
    own = [_own_bytes(attention, n) for n in _TOKENS]
    once = [4 * 2 * n * _WIDTH for n in _TOKENS]
    chain = [least + _PASSES * 2 * n * n for least, n in zip(once, _TOKENS, strict=True)]
    named = (
        ("chain, with scores in memory", chain, style.ORANGE),
        ("your kernel", own, style.BLUE),
        ("q, k, v, o once", once, style.QUIET),
    )
    curves = [
        Curve(name, _TOKENS, tuple(one / MB for one in moved), color)
        for name, moved, color in named
    ]
    last = ", ".join(f"{name} {moved[-1] / MB:.1f} MB" for name, moved, _ in named)
    caption = Caption(
        title=f"What one head of attention asks of memory, {_WIDTH} numbers a token",
        x="tokens",
        y="MB read and written",
        source=f"Blocks of {_BLOCK} x {_BLOCK}, float16. Chain by formula; your kernel: {COUNTED}",
        alt=f"Bytes by tokens, from {_TOKENS[0]} to {_TOKENS[-1]}. For {_TOKENS[-1]}: {last}.",
    )
    ax = plot_curves(curves, caption=caption, format_x=_whole, format_y=_short)
    ax.set_xticks(_TOKENS, [_whole(n) for n in _TOKENS])
    return ax


def _own_bytes(attention: Any, n: int) -> int:
    q, k, v = (normal(n, _WIDTH, dtype=np.float16) for _ in range(3))
    out = np.zeros_like(q)
    sizes = (n, 0.125, _WIDTH, _BLOCK, _BLOCK, False)
    return moved_bytes(run_program(attention, n // _BLOCK, 128, q, k, v, out, *sizes))


def _whole(value: float) -> str:
    return f"{value:,.0f}"


def _short(value: float) -> str:
    return f"{value:g}"


PICTURE = draw_attention
