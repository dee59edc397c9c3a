"""Cases of lr-finder: losses by script, curves to choose a rate from, and a real network."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from gpuedu.exercises.batch_and_learning_rate.lr_finder.judge.sweeps import (
    LIMIT,
    ladder,
    smooth,
    stops_after,
)
from gpuedu.exercises.batch_and_learning_rate.lr_finder.rate_trials import Task
from gpuedu.exercises.contract import Case

_CLEAR = 0.01
"""No smoothed loss is nearer to the limit, as a share of it: rounding decides nothing."""


def cases(rng: np.random.Generator) -> list[Case]:
    """Losses by script: flat, noisy, rising, with spikes, not finite; curves; a real network."""
    drawn = [_sweep(rng, [1.0] * count, "ladder") for count in (2, int(rng.integers(5, 9)), 40)]
    drawn += [_sweep(rng, _noisy(rng, 30), "smooth") for _ in range(2)]
    drawn += [_sweep(rng, losses, "stop") for losses in _stopping(rng)]
    drawn.append(_sweep(rng, [0.0] * 6, "stop"))  # 0 is not above twice 0
    drawn.append(_sweep(rng, [3e8, 4e8, 3.5e8, 3e8], "stop"))  # high is not above twice high
    drawn += [_sweep(rng, losses, "finite") for losses in _not_finite(rng)]
    drawn += [_suggest(rng, place) for place in ("middle", "first", "last")]
    counts = rng.permutation(np.arange(10, 15)).tolist()
    for kind, used in (("SGD", True), ("SGD", False), ("Adam", True)):
        task = asdict(Task(kind, used, seed=int(rng.integers(2**31))))
        label = f"{kind}, {'after some steps' if used else 'new'}"
        inputs = {"ask": "find", "task": task, **_range(rng, counts.pop())}
        drawn.append(Case(label, inputs, ("groups", "restored")))
    for error, place in (("interrupt", 1), ("shape", int(rng.integers(3, 9)))):
        task = asdict(Task(breaks_at=place, seed=int(rng.integers(2**31))))
        inputs = {"ask": "error", "task": task, "error": error, **_range(rng, counts.pop())}
        drawn.append(Case("a step that breaks off", inputs, ("broken",)))
    return drawn


def _sweep(rng: np.random.Generator, losses: Sequence[float], prop: str) -> Case:
    low = float(f"{10 ** rng.uniform(-5, -2):.2g}")
    high = float(f"{low * 10 ** rng.uniform(1.5, 4):.2g}")
    inputs = {"ask": "sweep", "losses": list(losses), "low": low, "high": high}
    return Case(f"{len(losses)} rates from {low:g} to {high:g}", inputs, (prop,))


def _range(rng: np.random.Generator, count: int) -> dict[str, Any]:
    """What ``find_rate`` is called with on the real network: rates with which it still learns."""
    low = float(f"{10 ** rng.uniform(-4.3, -3.7):.2g}")
    return {"low": low, "high": float(f"{low * 10 ** rng.uniform(1.5, 2):.2g}"), "count": count}


def _noisy(rng: np.random.Generator, count: int) -> list[float]:
    """Falling, with scatter, and never so high that a sweep would stop."""
    losses = 2.3 * np.exp(-np.arange(count) / count) * rng.uniform(0.85, 1.15, count)
    return losses.tolist()


def _stopping(rng: np.random.Generator) -> list[list[float]]:
    """Rises of all kinds, a spike, and no rise.

    One rise stays below the first loss, one is a leap at once, and one is so slow that no ten
    steps of it are a rise to ``LIMIT`` times.
    """
    count = 60

    def rise() -> list[float]:
        falls = 2.3 * np.exp(-np.arange(30) / 12)
        rises = falls[-1] * 1.16 ** np.arange(1, count - 29)
        return (np.r_[falls, rises] * rng.uniform(0.95, 1.05, count)).tolist()

    def low_rise() -> list[float]:
        falls = 2.3 * np.exp(-np.arange(40) / 10)
        return (np.r_[falls, np.full(20, 1.0)] * rng.uniform(0.95, 1.05, count)).tolist()

    def spike() -> list[float]:
        losses = np.array(_noisy(rng, count))
        losses[int(rng.integers(15, 40))] *= 6
        return losses.tolist()

    def leap() -> list[float]:
        return [1.0, float(rng.uniform(20, 40)), *[50.0] * 8]

    def slow_rise() -> list[float]:
        falls = 2.3 * np.exp(-np.arange(20) / 20)
        rises = falls[-1] * 1.04 ** np.arange(1, count - 19)
        return (np.r_[falls, rises] * rng.uniform(0.98, 1.02, count)).tolist()

    kinds = (rise, low_rise, spike, lambda: _noisy(rng, count), leap, slow_rise)
    return [_clear(kind) for kind in kinds]


def _clear(draw: Any) -> list[float]:
    """Losses of which no smoothed one comes close to the limit from either side."""
    for _ in range(1000):
        losses = draw()
        smoothed = smooth(losses)[: stops_after(losses)]
        ratios = [one / min(smoothed[:k]) for k, one in enumerate(smoothed) if k]
        if all(abs(ratio / LIMIT - 1) > _CLEAR for ratio in ratios):
            return losses
    raise AssertionError("no losses keep away from the limit")


def _not_finite(rng: np.random.Generator) -> list[list[float]]:
    """NaN and inf on the way, sound losses after it; and as the first loss."""
    drawn = []
    for value in (math.nan, math.inf):
        losses = _noisy(rng, 30)
        losses[int(rng.integers(8, 20))] = value
        drawn.append(losses)
    return [*drawn, [math.nan] * 5, [math.inf, *_noisy(rng, 8)]]


def _suggest(rng: np.random.Generator, where: str) -> Case:
    count = int(rng.integers(12, 20))
    lowest = {"first": 0, "last": count - 1}.get(where, int(rng.integers(5, count - 4)))
    rates = [float(f"{rate:.4g}") for rate in ladder(0.001, float(rng.uniform(2, 9)), count)]
    away = np.abs(np.arange(count) - lowest)
    smoothed = 0.8 + 0.02 * away**1.5 + rng.uniform(0, 0.01, count)
    smoothed[lowest] = 0.79
    inputs = {
        "ask": "suggest",
        "rates": rates,
        "smoothed": [round(x, 4) for x in smoothed.tolist()],
    }
    return Case(f"the {where} of {count} is lowest", inputs, ("suggest",))
