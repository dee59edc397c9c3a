"""Sweeps over learning rates for a small and a large batch, and runs with what they suggest."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from statistics import quantiles
from typing import Any

import torch
from torch import nn

from gpuedu.training import MLP, Batches, evaluate, load_digits, seed_all
from gpuedu.training.data import Split
from gpuedu.training.seeds import generator, kept_random_state

NAME = "rate-finder"
WHAT = "50 sweeps over learning rates on digits, and the loss of runs with shares of the rate found"

BATCHES, SEEDS, PASSES = (32, 1024), 50, 8
LOWEST, HIGHEST, RUNGS, KEPT, LIMIT = 0.01, 10.0, 200, 0.9, 2.0
COUNTS, COUNT_SEEDS = (12, 25, 50, 100, 200, 400), 20
"""How many rates other sweeps have, over the same range, and how many sweeps there are of each."""
SHARES = {"twice": 2.0, "the rate itself": 1.0, "half": 0.5, "a quarter": 0.25, "a tenth": 0.1}
"""Shares of the rate at which the smoothed loss of a sweep is lowest."""
_HIDDEN, _CEILING = (64,), 3 * math.log(10)


class Trial:
    """A small network on digits, SGD over it, and steps with one batch after another.

    ``wrong_labels`` is the share of training labels that are drawn at random.
    """

    def __init__(self, batch: int, seed: int, wrong_labels: float = 0.0) -> None:
        with kept_random_state():
            seed_all(seed)
            self.model = MLP(64, 10, hidden=_HIDDEN)
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=LOWEST)
        self.batches = Batches(_with_wrong_labels(wrong_labels, seed), batch, seed=seed)
        self.coming = iter(())

    def step(self) -> float:
        """Take a step with the optimizer's rate; returns the batch's loss before the update."""
        try:
            x, y = next(self.coming)
        except StopIteration:
            self.coming = iter(self.batches)
            x, y = next(self.coming)
        self.optimizer.zero_grad()
        loss = nn.functional.cross_entropy(self.model(x), y)
        loss.backward()
        self.optimizer.step()
        return loss.item()

    def finish(self, rate: float, passes: int = PASSES) -> float:
        """Train for some passes with this rate; returns the held-out loss."""
        return self.follow([rate] * (passes * len(self.batches)))

    def follow(self, rates: Sequence[float]) -> float:
        """Take a step with each rate; returns the held-out loss, at most 3 times that of guessing.

        As :func:`gpuedu.experiments.loss_by_rate.run` counts a run that diverged.
        """
        for rate in rates:
            for group in self.optimizer.param_groups:
                group["lr"] = rate
            self.step()
        loss = evaluate(self.model, load_digits().held_out, nn.functional.cross_entropy).loss
        return min(loss, _CEILING) if math.isfinite(loss) else _CEILING


def _with_wrong_labels(share: float, seed: int) -> Split:
    train, chance = load_digits().train, generator(47, seed)
    wrong = torch.rand(len(train), generator=chance) < share
    drawn = torch.randint(10, (len(train),), generator=chance)
    return Split(train.inputs, torch.where(wrong, drawn, train.targets))


def lowest_at(batch: int, seed: int, count: int = RUNGS) -> float:
    """The rate at which the smoothed loss of a sweep over ``count`` rates is lowest."""
    trial = Trial(batch, seed)
    average, best, best_rate = 0.0, math.inf, LOWEST
    for rung in range(count):
        rate = LOWEST * (HIGHEST / LOWEST) ** (rung / (count - 1))
        trial.optimizer.param_groups[0]["lr"] = rate
        average = KEPT * average + (1 - KEPT) * trial.step()
        smoothed = average / (1 - KEPT ** (rung + 1))
        if not smoothed <= LIMIT * best:
            break
        if smoothed < best:
            best, best_rate = smoothed, rate
    return best_rate


def run(tell: Callable[[str], None]) -> dict[str, Any]:
    """By batch: the rates found, losses with shares of them, rates found by other sweeps.

    Losses and the rates of other sweeps are quartiles.
    """
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    found: dict[str, Any] = {}
    try:
        for batch in BATCHES:
            rates = [lowest_at(batch, seed) for seed in range(SEEDS)]
            rows = {name: _quartiles(batch, rates, share) for name, share in SHARES.items()}
            found[str(batch)] = {
                "rates": [float(f"{rate:.4g}") for rate in rates],
                "losses": rows,
                "by_count": {str(count): _found_with(batch, count) for count in COUNTS},
            }
            tell(f"batch {batch}: {rows}, {found[str(batch)]['by_count']}")
    finally:
        torch.set_num_threads(threads)
    return {
        "passes": PASSES,
        "seeds": SEEDS,
        "count_seeds": COUNT_SEEDS,
        "shares": SHARES,
        "batches": found,
    }


def _quartiles(batch: int, rates: list[float], share: float) -> list[float]:
    losses = [Trial(batch, seed).finish(share * rate) for seed, rate in enumerate(rates)]
    return [round(one, 4) for one in quantiles(losses, n=4, method="inclusive")]


def _found_with(batch: int, count: int) -> list[float]:
    """Quartiles of the rates of the lowest loss, of sweeps over ``count`` rates."""
    rates = [lowest_at(batch, seed, count) for seed in range(COUNT_SEEDS)]
    return [float(f"{one:.4g}") for one in quantiles(rates, n=4, method="inclusive")]
