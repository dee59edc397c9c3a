"""When the gradients of a chain of layers are ready, and when their exchange could be over."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from gpuedu.exercises.ddp.overlap.layered import FORWARD_SHARE
from gpuedu.exercises.ddp.overlap.overlap_runs import cluster_of, plan_of
from gpuedu.multi import network

_FLOAT64_BYTES = 8


@dataclass(frozen=True)
class Times:
    """One step of a chain; by bucket: when it is ready, how many bytes, how long its all-reduce.

    ``naive_s`` is the step with all exchanges behind the backward, ``best_s`` with each as early
    as it can be: its bucket is ready, and the one before is through.
    """

    ready_s: tuple[float, ...]
    sizes_bytes: tuple[int, ...]
    exchanges_s: tuple[float, ...]
    naive_s: float
    best_s: float


def times_of(inputs: Mapping[str, Any]) -> Times:
    """The times of a case whose layers are a chain."""
    plan, ranks = plan_of(inputs), inputs["ranks"]
    cluster = cluster_of(ranks, inputs["latency_s"], inputs["bytes_per_s"])
    now_s = FORWARD_SHARE * sum(plan.times_s)
    layer_s: dict[int, float] = {}
    for layer in reversed(range(plan.stem)):
        now_s += plan.times_s[layer]
        layer_s[layer] = now_s
    elements = [_product(shape) for shape in plan.shapes]
    sizes = [_FLOAT64_BYTES * sum(elements[p] for p in bucket) for bucket in inputs["buckets"]]
    ready = [max(layer_s[p // 2] for p in bucket) for bucket in inputs["buckets"]]
    takes = [network.simulate(network.ring_all_reduce(ranks, s), cluster).time_s for s in sizes]
    end_s = 0.0
    for ready_s, time_s in zip(ready, takes, strict=True):
        end_s = max(ready_s, end_s) + time_s
    return Times(tuple(ready), tuple(sizes), tuple(takes), now_s + sum(takes), end_s)


def _product(shape: tuple[int, ...]) -> int:
    return shape[0] * (shape[1] if len(shape) > 1 else 1)
