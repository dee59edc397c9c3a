"""Drawings of what all-reduces cost: bandwidth by size, schedules up to 1024 ranks, own times."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any

from gpuedu.errors import AnswerError
from gpuedu.exercises.collectives.all_reduce_schedules import rounds_of
from gpuedu.exercises.collectives.tree_or_ring.play import way_of
from gpuedu.exercises.plain import number, numbers
from gpuedu.figures import style
from gpuedu.figures.caption import Caption
from gpuedu.figures.curves import Curve, Level, plot_curves
from gpuedu.multi import network
from gpuedu.units import GB, MS, US, format_size

NVLINK, NDR = network.link("nvlink4"), network.link("infiniband-ndr")
SIZES = tuple(float(4**k) for k in range(5, 17))
RANKS = (2, 4, 8, 16, 32, 64, 128, 256, 1024)
COUNTS = (2, 8, 64)
ALL_SIZES, ALL_COUNTS = tuple(10.0 ** (k / 4) for k in range(12, 37)), (8, 64, 1024)
SMALL, LARGE = 100_000, 20_000_000
_COLORS = (style.GREEN, style.BLUE, style.ORANGE)
Answer = Callable[..., Any]


def draw_all_sizes() -> Any:
    """The time of a ring all-reduce by size, from a kB to a GB, for a few counts of ranks."""
    curves, told = [], []
    for ranks, color in zip(ALL_COUNTS, _COLORS, strict=True):
        times_ms = tuple(network.ring_all_reduce_s(ranks, size, NDR) / MS for size in ALL_SIZES)
        curves.append(Curve(f"{ranks:,} ranks", ALL_SIZES, times_ms, color, has_marks=False))
        told.append(f"{ranks:,} ranks: {times_ms[0]:.3g} to {times_ms[-1]:.3g} ms")
    caption = Caption(
        title="Up to some size, a ring all-reduce takes the same time whatever it sends",
        x="bytes on each rank",
        y="time (ms)",
        source="Computed: a ring on InfiniBand NDR (9.6 µs a message, 50 GB/s each way).",
        alt=f"Time of a ring all-reduce by bytes on each rank, from {_short_size(ALL_SIZES[0])} to "
        f"{_short_size(ALL_SIZES[-1])}. {'; '.join(told)}. Each line is flat to the left.",
    )
    return plot_curves(curves, caption=caption, format_x=_short_size, format_y=_plain)


def draw_bandwidths(ring_s: Answer, bandwidths: Answer) -> Any:
    """The bus bandwidth of the learner's ring by size, for a few counts of ranks, on NVLink."""
    curves = [
        Curve(f"{n} ranks", SIZES, tuple(_bus(ring_s, bandwidths, n, s) for s in SIZES), color)
        for n, color in zip(COUNTS, _COLORS, strict=True)
    ]
    told = "; ".join(f"{one.name}: {one.y[0]:.3g} to {one.y[-1]:.3g} GB/s" for one in curves)
    caption = Caption(
        title="A ring needs large tensors, and more ranks need larger ones",
        x="bytes on each rank",
        y="bus bandwidth (GB/s)",
        source="Your `ring_s` and `bandwidths`, NVLink 4 (3.4 µs, 450 GB/s each way): computed.",
        alt=f"Bus bandwidth by bytes on each rank, from {format_size(SIZES[0])} to "
        f"{format_size(SIZES[-1])}. {told}.",
    )
    levels = [Level("the link", NVLINK.bytes_per_s / GB, style.QUIET)]
    return plot_curves(curves, levels, caption=caption, format_x=_short_size, format_y=_plain)


def _bus(ring_s: Answer, bandwidths: Answer, ranks: int, size: float) -> float:
    try:
        time_s = number(ring_s(ranks, size, NVLINK.latency_s, NVLINK.bytes_per_s))
        return float(numbers(bandwidths(ranks, size, time_s), 2)[1]) / GB
    except (AnswerError, ArithmeticError):
        return float("nan")


def draw_own_times(own: Mapping[str, Any]) -> Any:
    """Times of gloo's all-reduce on this machine, and what the learner's fit predicts."""
    if not own.get("sizes_bytes"):
        return str(own.get("what", "There is nothing to draw."))
    sizes = tuple(map(float, own["sizes_bytes"]))
    fitted = tuple(i for i in range(len(sizes)) if i % 2 == 0)
    times = tuple(t / US for t in own["times_s"])
    others = tuple(i for i in range(len(sizes)) if i % 2)
    curves = [
        Curve(
            "fit", sizes, tuple(t / US for t in own["predicted_s"]), style.QUIET, has_marks=False
        ),
        _dots("fitted", sizes, times, fitted, style.BLUE),
        _dots("not fitted", sizes, times, others, style.ORANGE),
    ]
    caption = Caption(
        title=f"Real all-reduces; sizes that were not fitted: off by {own['off_percent']:g}%",
        x="bytes on each rank",
        y="time (µs)",
        source=f"Measured here: {own['what']}. Off: their median.",
        alt=f"Times of all-reduces by size, from {times[0]:,.0f} to {times[-1]:,.0f} µs. The line "
        f"of your fit, {own['alpha_us']:g} µs and {own['gb_per_s']:g} GB/s, is off by "
        f"{own['off_percent']:g}% (median).",
    )
    return plot_curves(curves, caption=caption, format_x=_short_size, format_y=_plain)


def _dots(
    name: str,
    sizes: tuple[float, ...],
    times: tuple[float, ...],
    which: Iterable[int],
    color: str,
) -> Curve:
    which = tuple(which)
    picked = tuple(sizes[i] for i in which), tuple(times[i] for i in which)
    return Curve(name, *picked, color, dots=True)


@cache
def ring_times_s(size_bytes: int) -> tuple[float, ...]:
    """Simulated seconds of a ring by ``RANKS``, every message on InfiniBand."""
    return tuple(
        network.simulate(network.ring_all_reduce(n, size_bytes), network.Cluster(n, NDR)).time_s
        for n in RANKS
    )


def draw_tree_or_ring(tree_schedule: Answer, choose: Answer) -> Any:
    """The learner's schedule and the ring up to 1024 ranks, for two sizes, and what they choose."""
    curves, told = [], []
    for size, colors in ((SMALL, (style.BLUE, style.SKY)), (LARGE, (style.RED, style.ORANGE))):
        name = f"{size / 1e6:g} MB"
        tree = tuple(_simulated_s(tree_schedule, n, size) / MS for n in RANKS)
        ring = tuple(time_s / MS for time_s in ring_times_s(size))
        ranks = tuple(map(float, RANKS))
        curves += [
            Curve(f"your schedule, {name}", ranks, tree, colors[0]),
            Curve(f"ring, {name}", ranks, ring, colors[1]),
        ]
        chosen = [_chosen(choose, n, size) for n in RANKS]
        ways = {"tree": tree, "ring": ring}
        points = tuple(ways[way][i] if way else float("nan") for i, way in enumerate(chosen))
        curves.append(Curve("", ranks, points, style.INK, dots=True))
        told.append(
            f"{name}: your schedule {tree[0]:.3g} to {tree[-1]:.3g} ms, the ring {ring[0]:.3g} to "
            f"{ring[-1]:.3g} ms; you choose {', '.join(way or 'nothing' for way in chosen)}"
        )
    caption = Caption(
        title="Your schedule and a ring, on 2 to 1,024 ranks",
        x="ranks",
        y="simulated time (ms)",
        source="Simulated message by message, InfiniBand NDR (9.6 µs, 50 GB/s) between all ranks.\n"
        "Dark marks: what your `choose` picks.",
        alt="Time of an all-reduce by ranks. " + ". ".join(told) + ".",
    )
    look = {"format_x": lambda n: f"{n:,g}", "format_y": _plain, "height_in": 4.2}
    return plot_curves(curves, caption=caption, **look)


def _simulated_s(tree_schedule: Answer, ranks: int, size_bytes: int) -> float:
    try:
        rounds = rounds_of(tree_schedule(ranks, size_bytes))
        return network.simulate(rounds, network.Cluster(ranks, NDR)).time_s or float("nan")
    except (AnswerError, ValueError):
        return float("nan")


def _chosen(choose: Answer, ranks: int, size_bytes: int) -> str:
    try:
        return way_of(choose(ranks, size_bytes, NDR.latency_s, NDR.bytes_per_s))
    except AnswerError:
        return ""


def _short_size(size_bytes: float) -> str:
    for factor, name in ((1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if size_bytes >= factor:
            return f"{size_bytes / factor:g} {name}"
    return f"{size_bytes:g} B"


def _plain(value: float) -> str:
    return f"{value:,g}"
