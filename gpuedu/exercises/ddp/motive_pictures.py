"""The lesson's first picture: a step on one device, and on four ranks that share its batch."""

from __future__ import annotations

from typing import Any

from gpuedu.figures.caption import Caption
from gpuedu.figures.lanes import plot_lane_groups
from gpuedu.multi import network
from gpuedu.multi.light import run_light, work_for
from gpuedu.units import MS

RANKS, SAMPLES, SAMPLE_S = 4, 64, 0.25 * MS


LINK = "ethernet10"


PARAMETERS = 500_000
"""Of a made-up model; its gradients are float32."""


def draw_four_ranks() -> Any:
    """Two timelines: all samples on one device; a quarter of them on each of four, and a sum."""
    import torch

    gradients = torch.zeros(PARAMETERS)

    def step(samples: int, ranks: int) -> None:
        import torch.distributed as dist

        work_for(samples * SAMPLE_S, f"{samples} samples")
        if ranks > 1:
            dist.all_reduce(gradients)

    link = network.link(LINK)
    alone, shared = (
        run_light(step, n, SAMPLES // n, n, cluster=network.Cluster(n, link)) for n in (1, RANKS)
    )
    caption = Caption(
        title=f"One step over {SAMPLES} samples: {alone.time_s / MS:.0f} ms, and "
        f"{shared.time_s / MS:.1f} ms",
        x="simulated time",
        source="Simulated: 0.25 ms a sample, 2 MB of gradients, 10 Gb Ethernet between them.",
        alt=f"Timelines of a step. One device computes {SAMPLES} samples for "
        f"{alone.time_s / MS:.0f} ms. Four ranks compute {SAMPLES // RANKS} each, for "
        f"{SAMPLES // RANKS * SAMPLE_S / MS:.0f} ms, and then sum their gradients: "
        f"{shared.time_s / MS:.1f} ms in all.",
    )
    groups = [("one device", alone.timeline), ("four devices", shared.timeline)]
    return plot_lane_groups(groups, caption=caption)
