"""How the time of a collective grows with the ranks: schedules, and the learner's own functions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from gpuedu.exercises.collectives.exchanging_pictures import (
    name_of,
    sum_through_rank_0,
    tensors_for,
)
from gpuedu.exercises.ranks.in_place import call_in_place
from gpuedu.figures import style
from gpuedu.figures.by_count import CountLine, plot_by_count
from gpuedu.figures.caption import Caption
from gpuedu.multi import network
from gpuedu.units import GB, MIB

NVLINK = network.link("nvlink4")
QUESTION_RANKS = (2, 4, 8, 16, 32, 64)
GROWTH_RANKS = (2, 4, 8, 16, 32)
_SCALE = 1024
"""Own functions are run with 1/1024 of the bytes on a link with 1/1024 of the rate."""
_SMALL, _LARGE = 4 * MIB, 64 * MIB
_COLORS = (style.ORANGE, style.BLUE, style.GREEN)


def through_rank_0(ranks: int, size_bytes: int) -> list[list[tuple[int, int, int]]]:
    """A schedule: all send to rank 0, which sends the sum back."""
    others = range(1, ranks)
    return [[(one, 0, size_bytes) for one in others], [(0, one, size_bytes) for one in others]]


def question_s() -> dict[str, list[float]]:
    """Seconds of both ways for 1 GB, by ``QUESTION_RANKS``."""
    size = int(1 * GB)
    return {
        "through one GPU": [_simulate_s(n, through_rank_0(n, size)) for n in QUESTION_RANKS],
        "what you'll build": [
            _simulate_s(n, network.ring_all_reduce(n, size)) for n in QUESTION_RANKS
        ],
    }


def _simulate_s(ranks: int, schedule: Iterable[Any]) -> float:
    return network.simulate(schedule, network.Cluster(ranks, NVLINK)).time_s


def draw_question() -> Any:
    """Summing 1 GB through one GPU, and by what the lesson builds."""
    times = {name: [1e3 * t for t in found] for name, found in question_s().items()}
    return _plot(
        times,
        QUESTION_RANKS,
        title="Summing 1 GB of gradients from each GPU",
        y="time (ms)",
        source="Simulated, any two GPUs connected by NVLink 4 (3.4 µs, 450 GB/s each way).",
    )


def own_times_s(answer: Callable[..., Any], size_bytes: int, *arguments: Any) -> list[float]:
    """Simulated seconds of a learner's collective on that much float32, by ``GROWTH_RANKS``."""
    link = network.Link("scaled", NVLINK.latency_s, NVLINK.bytes_per_s / _SCALE)
    elements = size_bytes // _SCALE // 4
    return [
        call_in_place(
            answer,
            [(x, *arguments) for x in tensors_for(n, elements)],
            cluster=network.Cluster(n, link),
        ).run.time_s
        for n in GROWTH_RANKS
    ]


def draw_broadcasts(*answers: Callable[..., Any]) -> Any:
    """Broadcasts from rank 0, on more and more ranks."""
    times = {name_of(one): own_times_s(one, _SMALL, 0) for one in answers}
    return _draw_own(times, "A broadcast of 4 MiB")


def draw_all_reduces(answer: Callable[..., Any]) -> Any:
    """The learner's all-reduce, and the sum through rank 0."""
    times = {
        "through rank 0": own_times_s(sum_through_rank_0, _LARGE),
        name_of(answer): own_times_s(answer, _LARGE),
    }
    return _draw_own(times, "The sum of 64 MiB from each rank, on all ranks")


def _draw_own(times_s: dict[str, list[float]], title: str) -> Any:
    largest_s = max(t for found in times_s.values() for t in found)
    factor, unit = (1e3, "ms") if largest_s >= 1e-3 else (1e6, "µs")
    times = {name: [factor * t for t in found] for name, found in times_s.items()}
    source = (
        "Simulated on light ranks that run these functions, NVLink 4 (3.4 µs, 450 GB/s; bytes and "
        "rate are 1/1,024 of it)."
    )
    return _plot(times, GROWTH_RANKS, title=title, y=f"simulated time ({unit})", source=source)


def _plot(
    times: dict[str, list[float]], ranks: Sequence[int], *, title: str, y: str, source: str
) -> Any:
    told = ". ".join(
        f"{name}: " + ", ".join(f"{t:.3g} with {n}" for n, t in zip(ranks, found, strict=True))
        for name, found in times.items()
    )
    lines = [
        CountLine(name, tuple(ranks), tuple(found), color)
        for (name, found), color in zip(times.items(), _COLORS, strict=False)
    ]
    alt = f"{y} by number of ranks. {told}."
    caption = Caption(title=title, x="ranks", y=y, source=source, alt=alt)
    return plot_by_count(lines, caption=caption)
