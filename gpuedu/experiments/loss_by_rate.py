"""The loss after a fixed number of samples, by learning rate, for a small and a large batch."""

from __future__ import annotations

import math
from collections.abc import Callable
from statistics import quantiles
from typing import Any

import torch
from torch import nn

from gpuedu.training import MLP, Batches, TrainingError, evaluate, load_digits, seed_all, train
from gpuedu.training.seeds import kept_random_state

NAME = "loss-by-rate"
WHAT = "held-out loss on digits after 8 passes, by learning rate, for three batch sizes"

BATCHES = (16, 128, 1024)
PASSES, SEEDS, HIDDEN = 8, 5, (64,)
RATES = tuple(float(f"{10 ** (k / 4):.3g}") for k in range(-12, 6))
_GUESSING = math.log(10)


def run(tell: Callable[[str], None]) -> dict[str, Any]:
    """Median and quartiles of the held-out loss, by batch and learning rate; SGD, float32.

    A loss that is not finite, or above 3 times that of guessing, counts as that: ``ceiling``.
    """
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    found: dict[str, Any] = {}
    try:
        with kept_random_state():
            for batch in BATCHES:
                found[str(batch)] = _by_rate(batch)
                tell(f"batch {batch}: {found[str(batch)]['median']}")
    finally:
        torch.set_num_threads(threads)
    return {
        "rates": list(RATES),
        "passes": PASSES,
        "seeds": SEEDS,
        "samples": len(load_digits().train),
        "ceiling": round(3 * _GUESSING, 4),
        "losses": found,
    }


def _by_rate(batch: int) -> dict[str, list[float]]:
    rows = []
    for rate in RATES:
        losses = [_loss(batch, rate, seed) for seed in range(SEEDS)]
        rows.append([round(one, 4) for one in quantiles(losses, n=4, method="inclusive")])
    low, middle, high = (list(column) for column in zip(*rows, strict=True))
    return {"low": low, "median": middle, "high": high}


def _loss(batch: int, rate: float, seed: int) -> float:
    """The held-out loss of one run: as many samples for each batch, so fewer steps for a large."""
    digits = load_digits()
    seed_all(seed)
    model = MLP(64, 10, hidden=HIDDEN)
    optimizer = torch.optim.SGD(model.parameters(), lr=rate)
    batches = Batches(digits.train, batch, seed=seed)
    try:
        train(
            model,
            batches,
            nn.functional.cross_entropy,
            optimizer,
            steps=PASSES * len(batches),
        )
    except TrainingError:
        return 3 * _GUESSING
    loss = evaluate(model, digits.held_out, nn.functional.cross_entropy).loss
    return min(loss, 3 * _GUESSING) if math.isfinite(loss) else 3 * _GUESSING
