"""Picture of a valley: the ways of plain gradient descent, momentum and Adam from one start."""

from __future__ import annotations

from typing import Any

import numpy as np

from gpuedu.exercises.training.quiet import quiet_torch
from gpuedu.figures import style
from gpuedu.figures.caption import Caption, write_caption

STEEPNESS, START = 50.0, (10.0, 1.0)
_SHOWN = 30
_WAYS = (
    ("gradient descent", "SGD", {"lr": 2 / (STEEPNESS + 1)}, style.RED, "o"),
    (
        "with momentum",
        "SGD",
        {"lr": 0.025, "momentum": 0.75},
        style.BLUE,
        "s",
    ),
    ("Adam", "Adam", {"lr": 0.5, "betas": (0.9, 0.95)}, style.GREEN, "^"),
)


def draw_valley() -> Any:
    """The first steps of three optimizers in a valley 50 times as steep across as along."""
    ax = style.new_axes(3.6)
    x, y = np.linspace(-4.5, 10.8, 120), np.linspace(-1.7, 1.7, 160)
    height = (x[None, :] ** 2 + STEEPNESS * y[:, None] ** 2) / 2
    ax.contour(x, y, height, levels=[0.5, 2, 6, 14, 30, 60], colors=style.FAINT, linewidths=1)
    told = []
    for name, rule, options, color, marker in _WAYS:
        way = walk(rule, options, _SHOWN)
        loss = _loss(way[-1]) / _loss(way[0])
        told.append(f"{name} {_percent(loss)}")
        label = f"{name}: {_percent(loss)} of the loss is left"
        look = {"color": color, "marker": marker, "markersize": 3.5, "linewidth": 1.2}
        ax.plot(way[:, 0], way[:, 1], label=label, **look)
    ax.plot(0, 0, marker="*", markersize=13, color=style.INK, linestyle="none", label="the minimum")
    ax.grid(visible=False)
    ax.legend(loc="upper left", fontsize=9, frameon=False, ncols=2, bbox_to_anchor=(0, -0.2))
    caption = Caption(
        title=f"{_SHOWN} steps down the same valley",
        x="along the valley",
        y="across it",
        source=f"Computed now by torch.optim: loss (x² + {STEEPNESS:g} y²) / 2; gray lines join "
        "points of equal loss. One mark per step.",
        alt=f"Paths of {_SHOWN} steps from the same start. Gradient descent jumps from side to "
        f"side and is slow along the valley. Of the loss is left: {', '.join(told)}.",
    )
    return write_caption(ax, caption)


def walk(rule: str, options: dict[str, Any], steps: int) -> np.ndarray:
    """The places (steps + 1, 2) that an optimizer of ``torch.optim`` comes through."""
    import torch

    with quiet_torch():
        place = torch.nn.Parameter(torch.tensor(START, dtype=torch.float64))
        optimizer = getattr(torch.optim, rule)([place], **options)
        slopes = torch.tensor([1.0, STEEPNESS], dtype=torch.float64)
        way = [place.detach().numpy().copy()]
        for _ in range(steps):
            place.grad = slopes * place.detach()
            optimizer.step()
            way.append(place.detach().numpy().copy())
    return np.array(way)


def _loss(place: np.ndarray) -> float:
    return float((place[0] ** 2 + STEEPNESS * place[1] ** 2) / 2)


def _percent(share: float) -> str:
    """A share in percent, to one digit where it is small."""
    return f"{100 * share:.2g}%" if share >= 1e-3 else f"{100 * share:.1g}%"
