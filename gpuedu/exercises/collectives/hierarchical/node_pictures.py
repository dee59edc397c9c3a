"""Drawings of all-reduces over nodes: the learner's steps, and its time up to 1024 GPUs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import torch

from gpuedu.errors import AnswerError, DeadlockError
from gpuedu.exercises.collectives.exchanging_pictures import name_of
from gpuedu.exercises.collectives.hierarchical.node_clusters import ACROSS, WITHIN
from gpuedu.exercises.ranks import Ranked, run_ranks
from gpuedu.figures import style
from gpuedu.figures.caption import Caption
from gpuedu.figures.curves import Curve, plot_curves
from gpuedu.figures.exchanges import plot_exchanges
from gpuedu.multi import network
from gpuedu.units import GIB, MS

PER_NODE, OWN_RANKS = 8, (16, 32, 64)
RANKS = (16, 64, 256, 1024)
_SCALE = 2**17
"""Own functions are run with so many times fewer bytes, on links so many times slower."""
_SIZE = GIB
_LINKS = "NVLink 4 in nodes of 8 GPUs, InfiniBand NDR between nodes, one card per GPU."
Answer = Callable[..., Any]


def _scaled(one: network.Link) -> network.Link:
    return network.Link(one.name, one.latency_s, one.bytes_per_s / _SCALE)


def _run(answer: Answer, ranks: int, per_node: int) -> Ranked:
    cluster = network.Cluster(ranks, _scaled(WITHIN), _scaled(ACROSS), per_node)
    elements = _SIZE // _SCALE // 4

    def body(rank: int) -> None:
        answer(torch.full((elements,), float(rank)), per_node)

    return run_ranks(body, ranks, [answer], cluster=cluster)


def draw_hierarchical(answer: Answer) -> Any:
    """The learner's all-reduce of 1 GiB on two nodes of four GPUs."""
    ranks, per_node = 8, 4
    try:
        run = _run(answer, ranks, per_node)
    except (AnswerError, DeadlockError) as fault:
        return f"{name_of(answer)}: {fault.message}"
    of_rank_0 = [one for one in run.exchanges if one.rank == 0]
    told = "; ".join(
        f"{one.kind} from {one.start_s / MS:.1f} to {one.end_s / MS:.1f} ms"
        for one in of_rank_0[:8]
    )
    caption = Caption(
        title=f"{name_of(answer)} of 1 GiB on 2 nodes of 4 GPUs: {run.time_s / MS:.1f} ms",
        x="simulated time",
        source=f"Simulated, run with 1/{_SCALE:,} of these bytes and of the rates. NVLink 4 and "
        "InfiniBand NDR.\nBytes: what each rank hands over.",
        alt=f"What 8 ranks do over {run.time_s / MS:.1f} ms. Rank 0: {told or 'nothing'}.",
    )
    shown = [replace(one, size_bytes=one.size_bytes * _SCALE) for one in run.exchanges]
    return plot_exchanges(shown, caption=caption, ranks=ranks)


@cache
def flat_times_s() -> tuple[float, ...]:
    """Simulated seconds of one ring over all ranks, by ``RANKS``."""
    return tuple(_simulate_s(network.ring_all_reduce(n, _SIZE), n) for n in RANKS)


@cache
def node_times_s() -> tuple[float, ...]:
    """The same of three rings."""
    return tuple(
        _simulate_s(network.hierarchical_all_reduce(n // PER_NODE, PER_NODE, _SIZE), n)
        for n in RANKS
    )


def _simulate_s(schedule: Any, ranks: int) -> float:
    return network.simulate(schedule, network.Cluster(ranks, WITHIN, ACROSS, PER_NODE)).time_s


def draw_nodes(answer: Answer) -> Any:
    """One ring and three rings up to 1024 GPUs, and the learner's own function up to 64."""
    own = tuple(_own_s(answer, n) / MS for n in OWN_RANKS)
    ranks = tuple(map(float, RANKS))
    curves = [
        Curve("one ring", ranks, tuple(t / MS for t in flat_times_s()), style.ORANGE),
        Curve("three rings", ranks, tuple(t / MS for t in node_times_s()), style.BLUE),
        Curve("yours", tuple(map(float, OWN_RANKS)), own, style.INK, dots=True),
    ]
    told = "; ".join(f"{one.name}: {one.y[0]:.3g} to {one.y[-1]:.3g} ms" for one in curves)
    caption = Caption(
        title="An all-reduce of 1 GiB, on nodes of 8 GPUs",
        x="GPUs",
        y="simulated time (ms)",
        source=f"Simulated. {_LINKS}",
        alt=f"Time of an all-reduce by the number of GPUs. {told}.",
    )
    look = {"format_x": lambda n: f"{n:,g}", "format_y": lambda t: f"{t:g}"}
    return plot_curves(curves, caption=caption, **look)


def _own_s(answer: Answer, ranks: int) -> float:
    try:
        return _run(answer, ranks, PER_NODE).time_s
    except (AnswerError, DeadlockError):
        return float("nan")
