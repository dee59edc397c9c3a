"""First pictures of the lessons: a step on one device and on four; an exchange that comes late."""

from __future__ import annotations

from typing import Any

from gpuedu.exercises.ddp.lane_pictures import shown
from gpuedu.exercises.ddp.overlap.exchange_ways import attach_late
from gpuedu.exercises.ddp.overlap.overlap_runs import cluster_of, train_overlapped
from gpuedu.exercises.ddp.overlap.picture import (
    BUCKETS,
    BYTES_PER_S,
    EXCHANGE_S,
    LATENCY_S,
    LAYERS,
    PLAN,
    lanes_of,
)
from gpuedu.figures.caption import Caption
from gpuedu.figures.lanes import plot_lane_groups, plot_lanes
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
        title=f"One step over {SAMPLES} samples: {alone.time_s / MS:.0f} ms on one device, "
        f"{shared.time_s / MS:.1f} ms on four",
        x="simulated time",
        source="Simulated: 0.25 ms a sample, 2 MB of gradients, connected by 10 Gb Ethernet.",
        alt=f"Timelines of a step. One device computes {SAMPLES} samples for "
        f"{alone.time_s / MS:.0f} ms. Four ranks compute {SAMPLES // RANKS} each, for "
        f"{SAMPLES // RANKS * SAMPLE_S / MS:.0f} ms, and then sum their gradients: "
        f"{shared.time_s / MS:.1f} ms in all.",
    )
    groups = [("one device", shown(alone.timeline)), ("four devices", shown(shared.timeline))]
    return plot_lane_groups(groups, caption=caption)


def draw_sent_late() -> Any:
    """A step of eight layers that sends every layer's gradients after the backward pass."""
    cluster = cluster_of(PLAN.ranks, LATENCY_S, BYTES_PER_S)
    run = train_overlapped(attach_late, PLAN, BUCKETS, cluster)
    whole_ms, sent_ms = run.time_s / MS, LAYERS * EXCHANGE_S / MS
    caption = Caption(
        title=f"First compute, then send: {whole_ms:.1f} ms, and for {sent_ms:.1f} ms of it the "
        "GPU waits",
        x="simulated time of rank 0",
        source=f"Simulated: {PLAN.ranks} ranks; {LAYERS} layers, numbered from 0, of 0.5 ms "
        "forward and 1 ms backward; a made-up network.",
        alt=f"Timeline of rank 0 and its network in a step of {whole_ms:.1f} ms. {LAYERS} layers "
        "are computed forward and backward while the network is idle; then it carries one "
        f"all-reduce a layer, {sent_ms:.1f} ms in all, while the rank waits.",
    )
    return plot_lanes(lanes_of(run.timeline), caption=caption, lanes=("rank 0", "network"))
