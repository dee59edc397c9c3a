"""How large a bucket should be, where the exchange runs during the backward pass: modeled."""

from __future__ import annotations

from typing import Any

from gpuedu.exercises.ddp.buckets.grouping import group
from gpuedu.exercises.ddp.buckets.picture import write_bytes
from gpuedu.exercises.ddp.buckets.resnet50 import layers, parameter_bytes
from gpuedu.figures import style
from gpuedu.figures.caption import Caption
from gpuedu.figures.curves import Curve, plot_curves
from gpuedu.multi import network
from gpuedu.units import MS

RANKS, BACKWARD_S = 8, 20 * MS
"""The time of the backward pass is assumed; it is shared among the layers by their products."""
LINKS = {"infiniband-ndr": style.GREEN, "ethernet100": style.BLUE}
LIMITS = tuple(int(10 ** (power / 6)) for power in range(24, 51))
FIRST_BYTES = 2**20


def draw_bucket_size() -> Any:
    """What part of the exchange is after the backward pass, by the limit of a bucket."""
    curves, told = [], []
    for name, color in LINKS.items():
        link = network.link(name)
        left_ms = tuple((step_s(limit, link) - BACKWARD_S) / MS for limit in LIMITS)
        curves.append(Curve(link.name, LIMITS, left_ms, color, has_marks=False))
        best_ms, limit = min(zip(left_ms, LIMITS, strict=True))
        told.append(
            f"{link.name}: {left_ms[0]:.3g} ms with buckets of 10 kB, {best_ms:.2g} ms with those "
            f"of {write_bytes(limit)}, {left_ms[-1]:.3g} ms with all in one"
        )
    caption = Caption(
        title="Small buckets add latencies; with large ones, the last sticks out",
        x="limit of a bucket (bytes)",
        y="time not hidden (ms)",
        source=f"Modeled: ResNet-50, {RANKS} ranks, the ring's closed form, each bucket as early "
        f"as possible; a backward pass of {BACKWARD_S / MS:.0f} ms is assumed.",
        alt="Time of the exchange that is after the backward pass, by the limit of a bucket, with "
        "overlap. " + "; ".join(told) + ". Curves dip where the last bucket happens to be small.",
    )
    return plot_curves(curves, caption=caption, format_x=write_bytes, format_y=lambda y: f"{y:g}")


def step_s(limit_bytes: int, link: network.Link) -> float:
    """From the start of the backward pass until the last bucket is through."""
    made, sizes = layers(), parameter_bytes()
    total, now_s = sum(one.products for one in made), 0.0
    ready_s: list[float] = []
    for one in reversed(made):
        now_s += BACKWARD_S * one.products / total
        ready_s += [now_s] * len(one.shapes)
    ready_s.reverse()
    end_s = 0.0
    first = min(FIRST_BYTES, limit_bytes)
    for bucket in group(sizes, ["float32"] * len(sizes), first, limit_bytes):
        begin_s = max(end_s, *(ready_s[place] for place in bucket))
        size = sum(sizes[place] for place in bucket)
        end_s = begin_s + network.ring_all_reduce_s(RANKS, size, link)
    return end_s
