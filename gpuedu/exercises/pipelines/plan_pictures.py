"""All plans for a model on a cluster by memory and time, and where the time of the best goes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gpuedu.exercises.pipelines.parallel_plans import Cluster, Model, Plan
from gpuedu.exercises.pipelines.plan_costs import fits, plans, step_s, times_s
from gpuedu.figures.caption import Caption
from gpuedu.figures.shares import Parts, plot_parts
from gpuedu.hardware.catalog import device
from gpuedu.multi import network
from gpuedu.units import GB

REACHED = 0.5
"""Of the matrix peak, by the products alone."""
GPT_3 = Model(174_600_000_000, 96, 96, 12_288, 2_048, 1_536)
LLAMA = Model(405_000_000_000, 128, 128, 16_384, 8_192, 2_048)
"""126 layers; the embedding and the last product count as one each, as they do in Meta's stages."""
A100S = Cluster(
    1_536,
    8,
    80 * GB,
    REACHED * device("a100-80gb").flop_per_s["bf16"],
    network.link("nvlink3").bytes_per_s,
    network.link("infiniband-hdr").bytes_per_s,
)
H100S = Cluster(
    8_192,
    8,
    80 * GB,
    REACHED * device("h100-sxm").flop_per_s["bf16"],
    network.link("nvlink4").bytes_per_s,
    network.link("infiniband-ndr").bytes_per_s,
)
MEGATRON = Plan(16, 8, 12, 96, 0)
META = Plan(64, 8, 16, 32, 1)
"""Both as published; Meta shards gradients, too, but does not say when they are reduced."""
_TENSORS = (1, 2, 4, 8, 16, 32)


def draw_plan_times() -> Any:
    """Bars of the fastest plan that fits, by how many ranks share a layer."""
    found = [one for one in plans(GPT_3, A100S) if fits(GPT_3, A100S, one)]
    bars = [_bar(tensor, [one for one in found if one.tensor == tensor]) for tensor in _TENSORS]
    told = "; ".join(f"{bar.name} {bar.text}".replace("\n", ", ") for bar in bars)
    caption = Caption(
        title="GPT-3 on 1,536 A100s: the fastest plan that fits, by tensor size",
        x="seconds per step",
        source="Computed: nodes of 8 with NVLink 3, InfiniBand HDR between them; half of the "
        "matrix peak,\n174.6 billion parameters, a batch of 1,536 sequences of 2,048 tokens.",
        alt=f"Stacked bars of computing, bubble, and what is sent: {told}.",
    )
    return plot_parts(bars, caption=caption, row_in=0.52)


def _bar(tensor: int, found: Sequence[Plan]) -> Parts:
    """The fastest of these plans, which all fit."""
    if not found:
        return Parts(f"tensor {tensor}", {}, "nothing fits")
    best = min(found, key=lambda one: step_s(GPT_3, A100S, one))
    parts = times_s(GPT_3, A100S, best)
    shown = {
        "computing": parts["compute"],
        "bubble": parts["bubble"],
        "activations sent": parts["tensor"] + parts["pipeline"],
        "gradients and weights sent": parts["data"],
    }
    name = f"tensor {tensor}, pipeline {best.pipeline}\n{best.micro_batches} micro-batches"
    return Parts(name, shown, f"{sum(parts.values()):.1f} s")


PICTURES = {"pipelines/plan-times": draw_plan_times}
"""For ``pictures.PICTURES`` of the lesson."""
