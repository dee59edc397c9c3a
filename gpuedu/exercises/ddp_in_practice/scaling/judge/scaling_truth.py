"""What a data-parallel step costs on a network: what the learner's functions have to say.

A step computes on the largest shard, and waits for what of the all-reduce the backward did not
hide. Simplified: one flat ring; the last bucket comes behind the backward, all others beside it;
every rank computes alike fast, and the optimizer's own time is in the fixed part.
"""

from __future__ import annotations

import math

from gpuedu.exercises.ddp_in_practice.scaling.scaling_model import Net, Work
from gpuedu.multi.network import ring_all_reduce_s


def step_s(ranks: int, batch: int, work: Work, net: Net) -> float:
    """Seconds of a step with ``batch`` samples on all ranks together.

    >>> from gpuedu.multi.network import Link
    >>> fast = Link("made up", 0.0, 1e9)
    >>> step_s(2, 5, Work(1e-3, 1e-3, 0.5, 4e6, 1e6), Net(8, fast, fast))
    0.006
    """
    computing_s = work.fixed_s + math.ceil(batch / ranks) * work.sample_s
    link = net.link_for(ranks)
    early_s = ring_all_reduce_s(ranks, work.bytes - work.last_bytes, link)
    last_s = ring_all_reduce_s(ranks, work.last_bytes, link)
    return computing_s + max(0.0, early_s - work.backward * computing_s) + last_s


def efficiency(ranks: int, batch: int, work: Work, net: Net, scaling: str) -> float:
    """What the ranks reach of ``ranks`` times the samples a second of one."""
    alone_s = step_s(1, batch, work, net)
    if scaling == "weak":
        return alone_s / step_s(ranks, ranks * batch, work, net)
    return alone_s / (ranks * step_s(ranks, batch, work, net))


def recipe(
    ranks: int, batch: int, peak: float, steps: float, scale: float, optimizer: str
) -> tuple[int, float, float]:
    """Batch, learning rate and steps of a training on more ranks, each with ``batch`` samples.

    >>> recipe(4, 32, 0.1, 1000, 96, "sgd")
    (128, 0.4, 437.5)
    """
    grows = ranks if optimizer == "sgd" else math.sqrt(ranks)
    return ranks * batch, peak * grows, steps * (1 + scale / (ranks * batch)) / (1 + scale / batch)
