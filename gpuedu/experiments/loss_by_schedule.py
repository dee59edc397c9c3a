"""The loss after a fixed number of passes, by the highest rate, for three schedules."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import asdict, dataclass
from statistics import quantiles
from typing import Any

import torch

from gpuedu.experiments.rate_finder import PASSES, Trial

NAME = "loss-by-schedule"
WHAT = (
    "held-out loss on digits after 8 passes, by peak rate, constant, decaying and with warm-up, "
    "with true labels and with noisy ones"
)

SEEDS, WARM_UP = 15, 0.25
"""``WARM_UP`` is the share of all steps in which the rate rises."""


@dataclass(frozen=True)
class Setting:
    """What is trained on: a batch, the share of labels drawn at random, and the peaks tried."""

    batch: int
    wrong_labels: float
    peaks: tuple[float, ...]


def _peaks(highest: int) -> tuple[float, ...]:
    return tuple(float(f"{10 ** (k / 8):.3g}") for k in range(-8, highest + 1))


SETTINGS = {
    "true labels": Setting(128, 0.0, _peaks(8)),
    "wrong labels": Setting(16, 0.3, _peaks(4)),
}

Share = Callable[[float], float]
"""The rate, as a share of its peak, from the share of the run that is over."""


def _cosine(done: float) -> float:
    return (1 + math.cos(math.pi * done)) / 2


def _warm_up_and_cosine(done: float) -> float:
    return done / WARM_UP if done < WARM_UP else _cosine((done - WARM_UP) / (1 - WARM_UP))


SCHEDULES: dict[str, Share] = {
    "constant": lambda done: 1.0,
    "cosine": _cosine,
    "warm-up, cosine": _warm_up_and_cosine,
}


def run(tell: Callable[[str], None]) -> dict[str, Any]:
    """Quartiles of the held-out loss, by setting, schedule and peak; SGD, float32."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    found: dict[str, Any] = {}
    try:
        for name, setting in SETTINGS.items():
            losses = {schedule: _by_peak(setting, share) for schedule, share in SCHEDULES.items()}
            found[name] = {**asdict(setting), "losses": losses}
            tell(f"{name}: {losses}")
    finally:
        torch.set_num_threads(threads)
    return {"passes": PASSES, "seeds": SEEDS, "warm_up": WARM_UP, "settings": found}


def _by_peak(setting: Setting, share: Share) -> dict[str, list[float]]:
    rows = []
    for peak in setting.peaks:
        losses = [trained(setting, share, peak, seed) for seed in range(SEEDS)]
        rows.append([round(one, 4) for one in quantiles(losses, n=4, method="inclusive")])
    low, middle, high = (list(column) for column in zip(*rows, strict=True))
    return {"low": low, "median": middle, "high": high}


def trained(setting: Setting, share: Share, peak: float, seed: int) -> float:
    """The held-out loss of a run whose rate is ``peak`` times ``share`` of what is over."""
    trial = Trial(setting.batch, seed, setting.wrong_labels)
    steps = PASSES * len(trial.batches)
    return trial.follow([peak * share((step + 0.5) / steps) for step in range(steps)])
