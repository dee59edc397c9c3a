"""Pictures of the lessons on kernels of one's own: computed, before anything is written."""

from __future__ import annotations

from typing import Any

from gpuedu.figures import style
from gpuedu.figures.caption import Caption
from gpuedu.figures.curves import Curve, Level, plot_curves
from gpuedu.figures.plain_bars import PlainBar, plot_plain_bars
from gpuedu.hardware.catalog import device
from gpuedu.units import GB

_DEVICE = "h100-sxm"
_NUMBERS = 100_000_000
_CHAIN_MOVES = 18
"""How often GELU's eight operations move the array: six move it twice, two three times."""
_FLOP_EACH = 20
"""Operations for each number, with those of tanh: a round number."""
_TOKENS = tuple(2**power for power in range(10, 21))
_HEADS, _HEAD_WIDTH, _ITEMSIZE = 32, 128, 2


def draw_gelu_at_best() -> Any:
    """The shortest times of a GELU: as a chain, as one kernel, and of its arithmetic alone."""
    found = device(_DEVICE)
    array_bytes = 4 * _NUMBERS
    rows = (
        ("eight operations", _CHAIN_MOVES * array_bytes / found.bandwidth_bytes_per_s, style.BLUE),
        ("one kernel", 2 * array_bytes / found.bandwidth_bytes_per_s, style.BLUE),
        ("arithmetic alone", _FLOP_EACH * _NUMBERS / found.flop_per_s["fp32"], style.ORANGE),
    )
    bars = [
        PlainBar(name, 1e3 * time_s, f"{1e3 * time_s:.2g} ms", color)
        for name, time_s, color in rows
    ]
    told = ", ".join(f"{bar.name} {bar.text}" for bar in bars)
    caption = Caption(
        title="GELU of 100 million numbers spends its time moving them",
        x="shortest possible time (ms)",
        source="Computed for an H100: bytes read and written by the data sheet's bandwidth, and "
        f"{_FLOP_EACH} FLOP for each number\nby its float32 peak. GELU in its tanh form, float32.",
        alt=f"Shortest possible times of a GELU of 100 million numbers on an H100: {told}.",
    )
    return plot_plain_bars(bars, caption=caption)


def draw_scores_grow() -> Any:
    """The bytes of one layer's scores by the number of tokens, beside its inputs and result."""
    memory_bytes = device(_DEVICE).memory_bytes
    scores = [_HEADS * n * n * _ITEMSIZE / GB for n in _TOKENS]
    arrays = [4 * _HEADS * n * _HEAD_WIDTH * _ITEMSIZE / GB for n in _TOKENS]
    tokens = tuple(map(float, _TOKENS))
    curves = [
        Curve("scores", tokens, tuple(scores), style.ORANGE, has_marks=False),
        Curve("q, k, v and\nthe result", tokens, tuple(arrays), style.BLUE, has_marks=False),
    ]
    caption = Caption(
        title="The scores outgrow the GPU; what they're made from doesn't",
        x="tokens",
        y="GB in one layer",
        source=f"Computed: one text, {_HEADS} heads of {_HEAD_WIDTH} numbers, float16.",
        alt=f"Bytes in one layer by the number of tokens, from {_TOKENS[0]:,} to {_TOKENS[-1]:,}. "
        f"The scores grow from {scores[0]:.2g} to {scores[-1]:,.0f} GB; q, k, v and the result "
        f"from {arrays[0]:.2g} to {arrays[-1]:,.0f} GB. An H100 has {memory_bytes / GB:g} GB.",
    )
    level = Level(f"an H100's {memory_bytes / GB:g} GB", memory_bytes / GB, style.INK, at_left=True)
    return plot_curves(curves, [level], caption=caption)


PICTURES = {
    "custom-kernels/gelu-at-best": draw_gelu_at_best,
    "custom-kernels/scores-grow": draw_scores_grow,
}
