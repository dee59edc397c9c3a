"""buckets: its picture, what exchanging ResNet-50's gradients costs in the learner's buckets."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gpuedu.exercises.ddp.buckets.planted import plant_parameters
from gpuedu.exercises.ddp.buckets.play import places_of
from gpuedu.exercises.ddp.buckets.resnet50 import layers, parameter_bytes
from gpuedu.figures import style
from gpuedu.figures.caption import Caption
from gpuedu.figures.curves import Curve, Level, plot_curves
from gpuedu.multi import network
from gpuedu.units import MS, format_quantity

RANKS = 8
LINKS = {"nvlink4": style.GREEN, "ethernet100": style.BLUE}
LIMITS = tuple(int(10**power) for power in (4, 4.5, 5, 5.5, 6, 6.5, 7, 7.5, 8, 8.5))


def draw_buckets(make_buckets: Callable[..., Any]) -> Any:
    """Time of all all-reduces against the limit of a bucket, with the learner's buckets."""
    shapes = [shape for layer in layers() for shape in layer.shapes]
    sizes = parameter_bytes()
    parameters = plant_parameters(shapes, ["float32"] * len(shapes), [True] * len(shapes))
    by_limit = [
        [
            sum(sizes[place] for place in bucket)
            for bucket in places_of(make_buckets(list(parameters), limit, limit), parameters)
        ]
        for limit in LIMITS
    ]
    curves, levels, told = [], [], []
    for name, color in LINKS.items():
        link = network.link(name)
        times_s = tuple(_time_s(made, link) for made in by_limit)
        curves.append(Curve(link.name, LIMITS, tuple(t / MS for t in times_s), color))
        alone_ms = _time_s(sizes, link) / MS
        levels.append(Level("one message each", alone_ms, color, at_left=True))
        told.append(f"{link.name}: {times_s[0] / MS:.3g} ms to {times_s[-1] / MS:.3g} ms")
    counts = (
        f"{len(by_limit[0])} buckets at {write_bytes(LIMITS[0])}, {len(by_limit[-1])} at the end"
    )
    caption = Caption(
        title=f"Your buckets of ResNet-50's gradients: {counts}",
        x="limit of a bucket (bytes)",
        y="all all-reduces (ms)",
        source=f"Your `make_buckets`, both limits alike; {RANKS} ranks, the ring's closed form.",
        alt="Time of all all-reduces of a step by the limit of a bucket, for two links. "
        + "; ".join(told)
        + f". {counts}.",
    )
    return plot_curves(curves, levels, caption=caption, format_x=write_bytes, format_y=_write_ms)


def _time_s(sizes: list[int], link: network.Link) -> float:
    return sum(network.ring_all_reduce_s(RANKS, size, link) for size in sizes)


def write_bytes(size_bytes: float) -> str:
    """A size of a message, with a decimal prefix."""
    return format_quantity(size_bytes, "B")


def _write_ms(time_ms: float) -> str:
    return f"{time_ms:g}"


PICTURE = draw_buckets
