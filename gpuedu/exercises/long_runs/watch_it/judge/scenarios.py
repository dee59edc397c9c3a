"""Runs that alerts are tried on: each with one fault, or with what is none."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache

import numpy as np

from gpuedu.exercises.long_runs.promql.series import Store
from gpuedu.exercises.long_runs.watched_run import (
    DOWN,
    GPUS,
    HANG,
    HOT,
    LOSS,
    NODES,
    PAUSE,
    SLOW,
    XID,
    Disturbance,
    watched_run,
)

MINUTE = 60.0
EVERY_S = 60.0
"""How often rules are evaluated, as Prometheus does by default."""
FIRST_S = 8 * MINUTE
LATEST_S = 15 * MINUTE
"""An alert fires so long after its fault, at the latest."""
BROKEN, OWN = (48, 79, 95), (13, 31, 43, 45, 69)
"""Xid errors of the device, and of the program that ran on it."""


@dataclass(frozen=True)
class Scenario:
    """A run, and which alert has to fire in it.

    Attributes:
        told: What happens, in words.
        disturbances: The same for the simulation.
        seed: Of what is random besides.
        alert: Which has to fire, "" if none.
        labels: With which labels.
        fault_s: When the fault starts; until then nothing may fire.
        compute_s: How long a node computes in each step.
    """

    told: str
    disturbances: tuple[Disturbance, ...]
    seed: int
    alert: str = ""
    labels: Mapping[str, str] = field(default_factory=dict, hash=False)
    fault_s: float = 0.0
    compute_s: float = 0.7

    @property
    def label(self) -> str:
        """What happens, and from when on."""
        starts = dict.fromkeys(f"{one.start_s / MINUTE:.1f}" for one in self.disturbances)
        return f"a run ({self.told}, from minute {' and '.join(starts)})"

    @property
    def end_s(self) -> float:
        """Until when it is watched."""
        return self.fault_s + LATEST_S if self.alert else 44 * MINUTE

    @property
    def times_s(self) -> list[float]:
        """When rules are evaluated."""
        return np.arange(FIRST_S, self.end_s + 1, EVERY_S).tolist()

    def store(self) -> Store:
        """Its series."""
        return _store(self.disturbances, self.seed, self.end_s + 30, self.compute_s)


@lru_cache(maxsize=64)
def _store(
    disturbances: tuple[Disturbance, ...], seed: int, end_s: float, compute_s: float
) -> Store:
    return watched_run(np.random.default_rng(seed), disturbances, end_s, compute_s=compute_s)


def scenarios(rng: np.random.Generator) -> Iterator[Scenario]:
    """Each fault, first; then what must not wake anybody."""
    yield from _faults(rng)
    yield from _harmless(rng)


def _faults(rng: np.random.Generator) -> Iterator[Scenario]:
    def fault(told: str, alert: str, *kinds: Disturbance, **labels: str) -> Scenario:
        start_s = kinds[0].start_s
        return Scenario(told, kinds, int(rng.integers(2**31)), alert, labels, start_s)

    def at_s() -> float:
        return float(rng.integers(20, 26)) * MINUTE + float(rng.integers(60))

    node, gpu = str(rng.choice(NODES[1:])), str(rng.choice(GPUS))
    slow = Disturbance(SLOW, at_s(), math.inf, node, value=1.45)
    found = fault(f"{node} takes 45% longer to compute", "SlowNode", slow, node=node)
    # Less, in seconds, than what nodes may differ by where steps are long.
    yield replace(found, compute_s=float(rng.uniform(0.1, 0.2)))
    slow = Disturbance(SLOW, at_s(), math.inf, "n1", value=2.5)
    yield fault("n1 takes 2.5 times as long", "SlowNode", slow, node="n1")
    for told, value in (("NaN", math.nan), ("infinite", math.inf)):
        loss = Disturbance(LOSS, at_s(), math.inf, value=value)
        yield fault(f"the loss is {told}", "LossNotFinite", loss)
    hang = Disturbance(HANG, at_s(), math.inf)
    yield fault("all processes hang", "NoProgress", hang)
    yield fault("all processes are gone", "NoProgress", Disturbance(DOWN, at_s(), math.inf))
    for degrees in (88, int(rng.integers(90, 98))):
        hot = Disturbance(HOT, at_s(), math.inf, node, gpu, value=degrees)
        told = f"GPU {gpu} of {node} is at {degrees} degrees"
        yield fault(told, "GpuHot", hot, Hostname=node, gpu=gpu)
        node, gpu = str(rng.choice(NODES)), str(rng.choice(GPUS))
    for code in BROKEN:
        where = str(rng.choice(NODES)), str(rng.choice(GPUS))
        broken = Disturbance(XID, at_s(), math.inf, *where, value=code)
        told = f"Xid {code} on GPU {where[1]} of {where[0]}"
        yield fault(told, "GpuBroken", broken, Hostname=where[0], gpu=where[1])


def _harmless(rng: np.random.Generator) -> Iterator[Scenario]:
    def quiet(told: str, *kinds: Disturbance) -> Scenario:
        return Scenario(told, kinds, int(rng.integers(2**31)))

    start_s = float(rng.integers(12, 16)) * MINUTE + float(rng.integers(60))
    later_s = start_s + 17 * MINUTE
    for_s = 3 * MINUTE
    restarts = (Disturbance(DOWN, one, one + for_s) for one in (start_s, later_s))
    yield quiet("two restarts, 3 minutes without processes each", *restarts)
    for_s = 4 * MINUTE
    pauses = (Disturbance(PAUSE, one, one + for_s) for one in (start_s, later_s))
    yield quiet("two evaluations of 4 minutes, without steps", *pauses)
    for_s = 2 * MINUTE
    slow = Disturbance(SLOW, start_s, start_s + for_s, "n3", value=2.5)
    hot = Disturbance(HOT, later_s, later_s + for_s, "n4", "2", value=93)
    warm = Disturbance(HOT, start_s, math.inf, "n5", str(rng.choice(GPUS)), value=80)
    told = f"n3 is slow for 2 minutes, GPU 2 of n4 hot for 2 minutes, GPU {warm.gpu} of n5 at 80"
    yield quiet(f"{told} degrees", slow, hot, warm)
    # A scrape shows it just before the rules are evaluated.
    times_s = (MINUTE * round(one / MINUTE) - 20 for one in (start_s, later_s))
    pairs = zip(times_s, (math.nan, math.inf), strict=True)
    losses = (Disturbance(LOSS, at_s, at_s + 30, value=value) for at_s, value in pairs)
    yield quiet("the loss is NaN, and later infinite, for 30 s each", *losses)
    own = (
        Disturbance(XID, start_s, math.inf, f"n{place}", str(place % 4), value=code)
        for place, code in enumerate(OWN, 2)
    )
    told = ", ".join(f"{code} on n{place}" for place, code in enumerate(OWN, 2))
    yield quiet(f"Xid {told}, which are errors of the program", *own)
    all_slow = [Disturbance(SLOW, start_s, math.inf, node, value=1.7) for node in NODES]
    other = Disturbance(SLOW, start_s, math.inf, str(rng.choice(NODES)), value=1.05)
    told = f"all nodes compute 70% longer, with longer texts, and {other.node} 5% longer than they"
    yield replace(quiet(told, *all_slow, other), compute_s=float(rng.uniform(1.2, 2)))
