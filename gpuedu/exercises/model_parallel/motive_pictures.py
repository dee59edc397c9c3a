"""The lesson's first picture: what one layer of a large model takes of each GPU."""

from __future__ import annotations

from typing import Any

from gpuedu.figures.caption import Caption
from gpuedu.figures.shares import Parts, plot_parts
from gpuedu.hardware.catalogue import device
from gpuedu.units import GB

WIDTH, HIDDEN, KEY_VALUE_WIDTH = 16_384, 53_248, 1_024
"""Of a layer of Llama 3.1 405B: its model, its MLP, and its 8 key-value heads together."""
TOKENS = 131_072
_BYTES = 2
"""Of a number in bfloat16."""
_RANKS = (1, 2, 4, 8)
_DEVICE = "h100-sxm"


def kept_gb(ranks: int) -> dict[str, float]:
    """GB that a rank keeps in the backward pass of one layer, if ranks share its matrices.

    Weights and their gradients; activations that are cut with the matrices (queries, keys, values,
    attention's output; the MLP's two products and what comes of them); and those that every rank
    has whole: what goes into both norms, and what comes out.
    """
    attention = 2 * WIDTH + 2 * KEY_VALUE_WIDTH
    weights = WIDTH * attention + 3 * WIDTH * HIDDEN
    return {
        "weights and gradients": 2 * _BYTES * weights / ranks / GB,
        "activations, cut": _BYTES * TOKENS * (attention + 3 * HIDDEN) / ranks / GB,
        "activations, whole": _BYTES * TOKENS * 4 * WIDTH / GB,
    }


def draw_one_layer() -> Any:
    """Bars of one layer's bytes on 1 to 8 ranks that share its matrices."""
    bars = []
    for ranks in _RANKS:
        bar = Parts(f"{ranks} GPU{'s' * (ranks > 1)}", kept_gb(ranks))
        bars.append(Parts(bar.name, bar.parts, f"{bar.total:.0f} GB"))
    shown = device(_DEVICE)
    told = "; ".join(f"{bar.name} {bar.text} each" for bar in bars)
    caption = Caption(
        title="One layer of Llama 3.1 405B, one text of 131,072 tokens",
        x="GB on each GPU",
        source="Computed from the layer's shapes: bfloat16, all that its backward pass needs.\n"
        "Line: all of a device's memory.",
        alt=f"Stacked bars of weights and gradients, and activations: {told}. What every rank has "
        "whole is the same on all of them.",
    )
    return plot_parts(bars, [(shown.name, shown.memory_bytes / GB)], caption=caption)
