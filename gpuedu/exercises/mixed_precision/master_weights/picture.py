"""master-weights: its picture."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gpuedu.exercises.mixed_precision.master_weights.play import pair
from gpuedu.exercises.mixed_precision.pictures_look import COLORS, COUNTED
from gpuedu.exercises.training.tensors import require_tensor
from gpuedu.figures import style
from gpuedu.figures.caption import Caption
from gpuedu.figures.paths import Path, plot_paths


def draw_weight(master_step: Callable[..., Any], round_stochastically: Callable[..., Any]) -> Any:
    """A bf16 weight on its way from 1 to 0: nearest, with a master, rounded by chance."""
    import torch

    from gpuedu.exercises.training.quiet import quiet_torch

    steps, rate = 1000, 0.001
    with quiet_torch(seed=10):
        gradient = torch.ones(1, dtype=torch.bfloat16)
        plain = weight = master = torch.ones(1)
        chance = plain.bfloat16()
        plain = plain.bfloat16()
        rows = [(1.0, 1.0, 1.0)]
        for _ in range(steps):
            plain = plain - rate * gradient
            master, weight = pair(master_step(master, gradient, rate))
            wanted = chance.float() - rate * gradient.float()
            chance = round_stochastically(wanted, torch.bfloat16, torch.rand(1))
            require_tensor(chance, "the result of `round_stochastically`")
            rows.append(tuple(float(one) for one in (plain, weight, chance)))
    return _plot_weight(np.array(rows)[::10], range(0, steps + 1, 10), rate)


def _plot_weight(rows: np.ndarray, counts: Sequence[int], rate: float) -> Any:
    names = ("bf16 alone", "from a master", "by chance")
    x = tuple(float(count) for count in counts)
    paths = [
        Path(name, x, tuple(column), color)
        for name, column, color in zip(names, rows.T.tolist(), COLORS, strict=False)
    ]
    paths.append(
        Path("wanted", x, tuple(1 - rate * count for count in counts), style.INK, aim=True)
    )
    ends = ", ".join(f"{path.name}: {path.y[-1]:.4g}" for path in paths).replace("\n", " ")
    return plot_paths(
        paths,
        caption=Caption(
            "A bf16 weight of 1, and 1,000 updates of -0.001",
            f"The weight by step, three ways. At the end {ends}.",
            f"{COUNTED} Every tenth step is drawn. Pale band: what is wanted.",
            x="step",
            y="weight",
        ),
        y_limits=(-0.15, 1.1),
    )


PICTURE = draw_weight
