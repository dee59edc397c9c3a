"""no-sync: its picture."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from gpuedu.exercises.ddp.lane_pictures import shown
from gpuedu.exercises.ddp.sgd import Sgd
from gpuedu.exercises.ranks import run_ranks
from gpuedu.figures.caption import Caption
from gpuedu.figures.lanes import plot_lanes
from gpuedu.multi import network, work_for
from gpuedu.multi.exchanges import wire_bytes
from gpuedu.units import MS, format_size

RANKS, COUNT, SAMPLES = 3, 4, 8


FORWARD_S, BACKWARD_S = 0.2 * MS, 0.4 * MS


LINK = "ethernet10"


_INTO, _CLASSES = 8192, 10


_LAYER_BYTES = 4 * _INTO * _CLASSES


class Timed(nn.Module):
    """A linear layer whose forward and backward take simulated time."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(_INTO, _CLASSES, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        """Scores."""
        work_for(FORWARD_S, "F")
        scores = self.layer(x)
        scores.register_hook(lambda _: work_for(BACKWARD_S, "B"))
        return scores


def draw_no_sync(parallel_class: Callable[..., Any], step: Callable[..., Any]) -> Any:
    """The lanes of three ranks over a step of four micro-batches."""
    models = [Timed() for _ in range(RANKS)]
    targets = torch.arange(SAMPLES) % _CLASSES
    batches = [(torch.ones(SAMPLES, _INTO), targets) for _ in range(COUNT)]

    def body(rank: int) -> None:
        optimizer = Sgd(models[rank].parameters(), 0.1)
        step(parallel_class(models[rank]), optimizer, list(batches))

    cluster = network.Cluster(RANKS, network.link(LINK))
    functions = [step, getattr(parallel_class, "backward", None)]
    run = run_ranks(body, RANKS, functions, cluster=cluster)
    # Where a step ends that exchanges after each backward pass: draft and solution on one axis.
    once_s = network.simulate(network.ring_all_reduce(RANKS, _LAYER_BYTES), cluster).time_s
    usual_s = COUNT * (FORWARD_S + BACKWARD_S + once_s)
    sent = wire_bytes(run.exchanges) / RANKS
    calls = sum(one.rank == 0 for one in run.exchanges)
    caption = Caption(
        title=f"A step of {COUNT} micro-batches: {run.time_s / MS:.1f} ms, {format_size(sent)} "
        "sent by each rank",
        x="simulated time",
        source=f"Simulated: F, forward pass, {FORWARD_S / MS:g} ms; B, backward pass, "
        f"{BACKWARD_S / MS:g} ms; one layer of {format_size(_LAYER_BYTES)}; 10 Gb Ethernet.",
        alt=f"Timelines of {RANKS} ranks over a step of {COUNT} micro-batches, with {calls} "
        f"collectives of rank 0. It takes {run.time_s / MS:.1f} ms; each rank sends "
        f"{format_size(sent)}.",
    )
    return plot_lanes(shown(run.timeline), caption=caption, end_s=max(usual_s, run.time_s))


PICTURE = draw_no_sync
