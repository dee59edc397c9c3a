"""How many steps small networks need to a held-out accuracy, by batch and learning rate."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, partial
from itertools import pairwise
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from gpuedu.training import load_digits
from gpuedu.training.seeds import generator

NAME = "steps-to-accuracy"
WHAT = "steps to a held-out accuracy on digits, by batch and learning rate, for five ways to train"

BATCHES = tuple(2**power for power in range(3, 11))
RATES, SEEDS, CLASSES = 12, 7, 10
MOST_STEPS, LEAST_STEPS, PASSES = 1200, 200, 40
"""A run ends after this many passes: sooner with a small batch, later with a large one."""
_SPACING = 1.04
"""Accuracy is looked at after steps 1, 2, ... and, later, each about so many times the last."""


@dataclass(frozen=True)
class Setting:
    """A network, how it is trained, and the accuracy to reach.

    ``lowest`` is the lowest of the learning rates, each twice the one before; ``wrong_labels`` the
    share of training labels that are random.
    """

    hidden: tuple[int, ...]
    optimizer: Callable[..., torch.optim.Optimizer]
    lowest: float
    target: float
    wrong_labels: float = 0.0

    @property
    def rates(self) -> tuple[float, ...]:
        """The learning rates that are tried."""
        return tuple(self.lowest * 2**power for power in range(RATES))


_SGD = torch.optim.SGD
SETTINGS = {
    "linear": Setting((), _SGD, 2.0**-4, 0.9),
    "one hidden layer": Setting((32,), _SGD, 2.0**-5, 0.91),
    "wrong labels": Setting((64,), _SGD, 2.0**-5, 0.9, wrong_labels=0.3),
    "momentum": Setting((32, 32), partial(_SGD, momentum=0.9), 2.0**-8, 0.92),
    "adam": Setting((64,), torch.optim.Adam, 2.0**-11, 0.93),
}


class Side(nn.Module):
    """As many networks as there are seeds, side by side: weights have one more dimension.

    Nothing of one reaches another: products are taken one by one, everything else is elementwise.
    """

    def __init__(self, widths: tuple[int, ...], seeds: int) -> None:
        super().__init__()
        chances = [generator(seed, 41) for seed in range(seeds)]
        self.weights, self.biases = nn.ParameterList(), nn.ParameterList()
        for fan_in, fan_out in pairwise(widths):
            drawn = [torch.randn(fan_in, fan_out, generator=chance) for chance in chances]
            self.weights.append(torch.stack(drawn) * fan_in**-0.5)
            self.biases.append(torch.zeros(seeds, 1, fan_out))

    def forward(self, x: Tensor) -> Tensor:
        """Scores (seeds, N, classes) of vectors (seeds, N, inputs)."""
        for place, (weight, bias) in enumerate(zip(self.weights, self.biases, strict=True)):
            x = torch.baddbmm(bias, torch.relu(x) if place else x, weight)
        return x


def run(tell: Callable[[str], None]) -> dict[str, Any]:
    """Median steps of 7 seeds by batch and rate; None if most did not get there."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    found: dict[str, Any] = {}
    try:
        for name, setting in SETTINGS.items():
            steps = [[median_steps(setting, b, r) for r in setting.rates] for b in BATCHES]
            found[name] = {"target": setting.target, "rates": list(setting.rates), "steps": steps}
            tell(f"{name}: fewest {[min(filter(None, row), default=None) for row in steps]}")
    finally:
        torch.set_num_threads(threads)
    return {"batches": list(BATCHES), "seeds": SEEDS, "settings": found}


def most_steps(batch: int) -> int:
    """When a run is given up."""
    return max(LEAST_STEPS, min(MOST_STEPS, PASSES * len(load()[0]) // batch))


def median_steps(setting: Setting, batch: int, rate: float) -> int | None:
    """After how many steps the fourth of seven seeds has reached the target."""
    reached: set[int] = set()
    for step, accuracies in train(setting, batch, rate):
        reached |= {seed for seed, share in enumerate(accuracies) if share >= setting.target}
        if 2 * len(reached) > SEEDS:
            return step
    return None


def train(setting: Setting, batch: int, rate: float) -> Iterator[tuple[int, list[float]]]:
    """Train one network a seed, and give steps done and held-out accuracies now and then.

    It ends early if a loss is not a number.
    """
    images, labels, unseen, truths = load(setting.wrong_labels)
    model = Side((images.shape[1], *setting.hidden, CLASSES), SEEDS)
    optimizer = setting.optimizer(model.parameters(), lr=rate)
    chance, look_at = generator(batch, 42), 1
    for step in range(1, most_steps(batch) + 1):
        chosen = torch.randint(len(images), (SEEDS, batch), generator=chance)
        scores = model(images[chosen]).flatten(0, 1)
        # A sum over seeds of their means: each network has the gradient of its own loss.
        loss = cross_entropy(scores, labels[chosen].flatten(), reduction="sum") / batch
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step >= look_at:
            if not torch.isfinite(loss):
                return
            look_at = max(step + 1, int(step * _SPACING))
            with torch.no_grad():
                guesses = model(unseen.expand(SEEDS, -1, -1)).argmax(dim=2)
            yield step, (guesses == truths).float().mean(dim=1).tolist()


@cache
def load(wrong_labels: float = 0.0) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Vectors (N, 64) and labels (N,) to train on, and the held-out ones; some labels random."""
    digits, chance = load_digits(), generator(43)
    labels = digits.train.targets.clone()
    wrong = torch.rand(len(labels), generator=chance) < wrong_labels
    labels[wrong] = torch.randint(CLASSES, (int(wrong.sum()),), generator=chance)
    held_out = digits.held_out
    return digits.train.inputs.flatten(1), labels, held_out.inputs.flatten(1), held_out.targets
