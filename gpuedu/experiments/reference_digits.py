"""How well a small network does on digits with wrong labels, and if it learns them by heart."""

from __future__ import annotations

from collections.abc import Callable
from statistics import median, quantiles
from typing import Any

import torch
from torch import nn

from gpuedu.experiments.noisy_digits import draw_task
from gpuedu.training import MLP, Split, evaluate, seed_all
from gpuedu.training.seeds import kept_random_state

NAME = "reference-digits"
WHAT = "accuracy on held-out digits after training on labels of which 3 in 10 are wrong"

RUNS, CURVES = 60, 20
BATCH, STEPS, LONG_STEPS, EVERY = 128, 150, 600, 25
_FIRST_CURVE_SEED = 10_000


def train_reference(
    train: Split,
    *,
    steps: int = STEPS,
    dropout: float = 0.5,
    look: Callable[[int, nn.Module], None] | None = None,
) -> nn.Module:
    """A network of one hidden layer, trained by AdamW; ``look`` sees it every few steps."""
    mean, spread = train.inputs.mean(), train.inputs.std()
    model = nn.Sequential(_Normalized(mean, spread), MLP(64, 10, hidden=(128,), dropout=dropout))
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    for step in range(steps + 1):
        if look is not None and step % EVERY == 0:
            look(step, model)
        if step == steps:
            break
        chosen = torch.randint(len(train), (BATCH,))
        loss = nn.functional.cross_entropy(model(train.inputs[chosen]), train.targets[chosen])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return model


class _Normalized(nn.Module):
    """Inputs of mean 0 and spread 1."""

    def __init__(self, mean: torch.Tensor, spread: torch.Tensor) -> None:
        super().__init__()
        self.register_buffer("mean", mean)
        self.register_buffer("spread", spread)

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        return (images - self.mean) / self.spread


def run(tell: Callable[[str], None]) -> dict[str, Any]:
    """The accuracies of the reference runs, and the losses of long ones, plain and with dropout."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        with kept_random_state():
            accuracies = [_reference(seed) for seed in range(RUNS)]
            tell(f"{RUNS} runs: {min(accuracies):.3f} to {max(accuracies):.3f}")
            plain, dropout = (_long_runs(share, tell) for share in (0.0, 0.5))
    finally:
        torch.set_num_threads(threads)
    return {
        "accuracies": accuracies,
        "recipe": {"steps": STEPS, "batch": BATCH, "dropout": 0.5},
        "steps": list(range(0, LONG_STEPS + 1, EVERY)),
        "plain": plain,
        "dropout": dropout,
    }


def _reference(seed: int) -> float:
    train, held_out = draw_task(seed)
    seed_all(seed)
    return round(
        evaluate(train_reference(train), held_out, nn.functional.cross_entropy).accuracy, 4
    )


def _long_runs(dropout: float, tell: Callable[[str], None]) -> dict[str, Any]:
    """Medians and quartiles of the losses by step, and the accuracies at the end."""
    losses: dict[str, list[list[float]]] = {"train": [], "held_out": []}
    accuracies = []
    for number in range(CURVES):
        train, held_out = draw_task(_FIRST_CURVE_SEED + number)
        seed_all(number)
        rows: dict[str, list[float]] = {"train": [], "held_out": []}

        def look(_step: int, model: nn.Module, rows: Any = rows, splits: Any = (train, held_out)):
            for name, split in zip(rows, splits, strict=True):
                rows[name].append(evaluate(model, split, nn.functional.cross_entropy).loss)

        model = train_reference(train, steps=LONG_STEPS, dropout=dropout, look=look)
        accuracies.append(evaluate(model, held_out, nn.functional.cross_entropy).accuracy)
        for name, row in rows.items():
            losses[name].append(row)
    tell(f"dropout {dropout}: accuracy {median(accuracies):.3f} after {LONG_STEPS} steps")
    found: dict[str, Any] = {"accuracies": [round(one, 4) for one in accuracies]}
    for name, rows in losses.items():
        by_step = [quantiles(step, n=4, method="inclusive") for step in zip(*rows, strict=True)]
        low, middle, high = ([round(row[at], 4) for row in by_step] for at in range(3))
        found[name] = {"low": low, "median": middle, "high": high}
    return found
