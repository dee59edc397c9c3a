"""How much of a layer's time its all-reduces take, within a node and across nodes."""

from __future__ import annotations

from typing import Any

from gpuedu.exercises.tensor_parallel.layer_pictures import DEVICE, NUMBER_BYTES, WEIGHTS, WIDTH
from gpuedu.figures.caption import Caption
from gpuedu.figures.shares import Parts, plot_parts
from gpuedu.hardware.catalog import device
from gpuedu.multi import network
from gpuedu.units import MS

TOKENS, PER_NODE, ALL_REDUCES = 8_192, 8, 4
_RANKS = (2, 4, 8, 16, 32)


def layer_s(ranks: int) -> tuple[float, float]:
    """Seconds of a layer's forward and backward pass: at the peak, and in its all-reduces.

    Six operations for each weight and token. An all-reduce goes around a ring within a node;
    between nodes every GPU sends its part on a card of its own.
    """
    compute_s = 6 * TOKENS * WEIGHTS / ranks / device(DEVICE).flop_per_s["bf16"]
    within, across = network.link("nvlink4"), network.link("infiniband-ndr")
    nodes, per_node = max(1, ranks // PER_NODE), min(ranks, PER_NODE)
    size = TOKENS * WIDTH * NUMBER_BYTES
    one_s = network.hierarchical_all_reduce_s(nodes, per_node, size, within, across)
    return compute_s, ALL_REDUCES * one_s


def draw_links() -> Any:
    """Bars of one layer's time on 2 to 32 ranks, in nodes of 8."""
    bars = []
    for ranks in _RANKS:
        compute_s, send_s = layer_s(ranks)
        share = send_s / (compute_s + send_s)
        nodes = f", {ranks // PER_NODE} nodes" if ranks > PER_NODE else ""
        parts = {"products": compute_s / MS, "all-reduces": send_s / MS}
        bars.append(Parts(f"{ranks} GPUs{nodes}", parts, f"{share:.0%} all-reduces"))
    told = "; ".join(f"{bar.name} {bar.total:.0f} ms, {bar.text}" for bar in bars)
    caption = Caption(
        title=f"One layer of Llama 3.1 405B, {TOKENS:,} tokens, forward and backward",
        x="time (ms)",
        source="Computed: H100s at their peak in bfloat16, NVLink 4 in nodes of 8, InfiniBand NDR "
        "between.",
        alt=f"Stacked bars of the time of products and of all-reduces: {told}.",
    )
    return plot_parts(bars, caption=caption)
