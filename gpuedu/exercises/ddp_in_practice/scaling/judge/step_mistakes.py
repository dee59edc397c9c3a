"""Known slips in the time of a step, each with what to say of it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

from gpuedu.exercises.compare import Misconception
from gpuedu.exercises.ddp_in_practice.scaling.scaling_model import Net, Work, step_s
from gpuedu.multi.network import Link, ring_all_reduce_s


def _step(
    samples: Callable[[int, int], float] = lambda batch, ranks: math.ceil(batch / ranks),
    ring: Callable[[int, float, Link], float] = ring_all_reduce_s,
    waits: Callable[[float, float, float, float], float] = lambda early, last, compute, share: (
        max(0.0, early - share * compute) + last
    ),
) -> Callable[..., float]:
    """A step whose samples, ring, or wait (``early``, ``last``, computing, backward) is another."""

    def gives(ranks: int, batch: int, work: Work, net: Net) -> float:
        compute = work.fixed_s + samples(batch, ranks) * work.sample_s
        link = net.link_for(ranks)
        early = ring(ranks, work.bytes - work.last_bytes, link)
        return compute + waits(early, ring(ranks, work.last_bytes, link), compute, work.backward)

    return gives


def _on(choose: Callable[[int, Net], Link]) -> Callable[..., float]:
    """A step whose ring takes another link."""

    def gives(ranks: int, batch: int, work: Work, net: Net) -> float:
        link = choose(ranks, net)
        return step_s(ranks, batch, work, replace(net, within=link, across=link))

    return gives


STEP_MISTAKES = (
    Misconception(
        _step(samples=lambda batch, ranks: batch / ranks),
        "Nobody computes half a sample. The ranks wait for the one that has most.",
    ),
    Misconception(
        _step(samples=lambda batch, ranks: batch // ranks),
        "Rounded down: some rank has a sample more, and the others wait for it.",
    ),
    Misconception(
        _step(samples=lambda batch, ranks: batch),
        "`batch` is that of all ranks together. How many samples has one?",
    ),
    Misconception(
        lambda ranks, batch, work, net: (
            step_s(ranks, batch, work, net)
            - (work.fixed_s if work.bytes == 0 else 0)
            + (work.fixed_s / ranks if work.bytes == 0 else 0)
        ),
        "The fixed part does not become less with fewer samples.",
    ),
    Misconception(
        _on(lambda ranks, net: net.within),
        "Those ranks are in several nodes, and every step of the ring waits for its slowest "
        "message: which link does that take?",
    ),
    Misconception(
        _on(lambda ranks, net: net.within if ranks < net.per_node else net.across),
        "A node has `per_node` GPUs: so many still fit in one.",
    ),
    Misconception(
        _on(lambda ranks, net: net.across),
        "Those ranks are in one node: nothing goes across.",
    ),
    Misconception(
        _step(ring=lambda ranks, size, link: (ranks - 1) * link.time_s(size / ranks)),
        "n - 1 messages are a reduce-scatter. What comes behind it?",
    ),
    Misconception(
        _step(ring=lambda ranks, size, link: 2 * ranks * link.time_s(size / ranks)),
        "2 (n - 1) messages, not 2 n: a single rank has nobody to send to.",
    ),
    Misconception(
        _step(ring=lambda ranks, size, link: 2 * (ranks - 1) * link.time_s(size)),
        "A message of the ring holds S / n bytes.",
    ),
    Misconception(
        lambda ranks, batch, work, net: (
            work.fixed_s
            + math.ceil(batch / ranks) * work.sample_s
            + ring_all_reduce_s(ranks, work.bytes, net.link_for(ranks))
        ),
        "That is one ring for all bytes, behind the backward. The last bucket has a ring of its "
        "own, and what comes before it can hide.",
    ),
    Misconception(
        _step(waits=lambda early, last, compute, share: early + last),
        "All buckets but the last travel beside the backward: what of them is hidden?",
    ),
    Misconception(
        _step(waits=lambda early, last, compute, share: early - share * compute + last),
        "No more can be hidden than there is: a backward that is longer gives no time back.",
    ),
    Misconception(
        _step(waits=lambda early, last, compute, share: max(0.0, early + last - share * compute)),
        "The last bucket is complete when the backward is over. Beside what could it hide?",
    ),
    Misconception(
        _step(waits=lambda early, last, compute, share: max(0.0, early - compute) + last),
        "In the forward there are no gradients yet: only the backward's share hides anything.",
    ),
    Misconception(
        _step(waits=lambda early, last, compute, share: (1 - share) * early + last),
        "`work.backward` is a share of *computing*. For how many seconds can the network work "
        "beside it?",
    ),
)
