"""What one layer of a large model takes of each GPU: the lesson's first picture, and its last."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gpuedu.figures.caption import Caption
from gpuedu.figures.shares import Parts, plot_parts
from gpuedu.hardware.catalog import device
from gpuedu.units import GB

WIDTH, HIDDEN, KEY_VALUE_WIDTH = 16_384, 53_248, 1_024
"""Of a layer of Llama 3.1 405B: its model, its MLP, and its 8 key-value heads together."""
ATTENTION = 2 * WIDTH + 2 * KEY_VALUE_WIDTH
"""Columns of queries, keys, values and of attention's output."""
WEIGHTS = WIDTH * ATTENTION + 3 * WIDTH * HIDDEN
NUMBER_BYTES = 2
"""bfloat16."""
DEVICE = "h100-sxm"
_TOKENS = 131_072
_RANKS = (1, 2, 4, 8)


_LONG = (131_072, 262_144, 524_288, 1_048_576)
_SHARING = 8


def kept_gb(ranks: int, tokens: int = _TOKENS, *, cuts_tokens: bool = False) -> dict[str, float]:
    """GB that a rank needs for the backward pass of one layer, if ranks share its matrices.

    Weights and their gradients; activations that are cut with the matrices (queries, keys, values,
    attention's output; the MLP's two products and what comes of them); and those around them: what
    goes into both norms, and what comes out. Every rank has these whole, unless ``cuts_tokens``.
    """
    between = tokens // ranks if cuts_tokens else tokens
    return {
        "weights and gradients": 2 * NUMBER_BYTES * WEIGHTS / ranks / GB,
        "activations: attention, MLP": NUMBER_BYTES
        * tokens
        * (ATTENTION + 3 * HIDDEN)
        / ranks
        / GB,
        "activations: norms": NUMBER_BYTES * between * 4 * WIDTH / GB,
    }


def draw_one_layer() -> Any:
    """Bars of one layer's bytes on 1 to 8 ranks that share its matrices."""
    bars = [Parts(f"{n} GPU{'s' * (n > 1)}", kept_gb(n)) for n in _RANKS]
    return _draw(
        bars, "With 8 GPUs, inputs and outputs of the norms take as much on each as with 1."
    )


def draw_tokens_too() -> Any:
    """The same layer whole, with its matrices cut, and with its tokens cut between them, too."""
    bars = [
        Parts("1 GPU", kept_gb(1)),
        Parts("8 GPUs, matrices cut", kept_gb(8)),
        Parts("8 GPUs, also tokens cut", kept_gb(8, cuts_tokens=True)),
    ]
    return _draw(bars, "With tokens cut as well, every part is smaller by a factor of 8.")


def draw_long_texts() -> Any:
    """The layer on 8 ranks that share its matrices, while the text gets longer."""
    bars = [Parts(f"{tokens:,} tokens", kept_gb(_SHARING, tokens)) for tokens in _LONG]
    title = f"One layer of Llama 3.1 405B on {_SHARING} GPUs that share its matrices"
    return _draw(bars, "Weights stay the same; what the norms need grows with the text.", title)


def _draw(
    bars: Sequence[Parts],
    tells: str,
    title: str = f"One layer of Llama 3.1 405B, one text of {_TOKENS:,} tokens",
) -> Any:
    bars = [Parts(bar.name, bar.parts, f"{bar.total:.0f} GB") for bar in bars]
    shown = device(DEVICE)
    told = "; ".join(f"{bar.name}: {bar.text} each" for bar in bars)
    caption = Caption(
        title=title,
        x="GB on each GPU",
        source="Computed from the layer's shapes: bfloat16, all that its backward pass needs. "
        f"Line: a device's memory.\n{tells}",
        alt=f"Stacked bars of weights and gradients, activations that are cut with the matrices, "
        f"and inputs and outputs of the norms. {told}. {tells}",
    )
    return plot_parts(bars, [(shown.name, shown.memory_bytes / GB)], caption=caption)
