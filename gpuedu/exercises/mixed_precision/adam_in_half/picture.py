"""adam-in-half: its picture."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gpuedu.exercises.mixed_precision.adam_in_half.play import require_state
from gpuedu.exercises.mixed_precision.pictures_look import COLORS, COUNTED
from gpuedu.exercises.training.tensors import require_tensor
from gpuedu.figures.caption import Caption
from gpuedu.figures.paths import Path, plot_paths


def draw_adam(
    adam_in_half: Callable[..., Any], begin: Callable[..., Any], adam_step: Callable[..., Any]
) -> Any:
    """The way of a weight in ten steps, by the size of the gradient: in half, and the learner's."""
    import torch

    from gpuedu.exercises.training.quiet import quiet_torch

    powers = np.arange(-24, 16)
    with quiet_torch():
        weight = torch.zeros(powers.size, dtype=torch.float16)
        gradient = torch.from_numpy(2.0**powers).half()
        halves = {"step": 0, "m": torch.zeros_like(weight), "v": torch.zeros_like(weight)}
        state, half, mended = require_state(begin(weight.clone())), weight, weight
        for _ in range(_ADAM_STEPS):
            half = adam_in_half(half, gradient, halves, _ADAM_RATE)
            mended = adam_step(state, gradient, _ADAM_RATE)
            require_tensor(mended, "the result of `adam_step`")
        way = _ADAM_STEPS * _ADAM_RATE
        moved = [tuple((-one.double() / way).tolist()) for one in (mended, half)]
    return _plot_adam(tuple(map(float, powers)), moved)


_ADAM_STEPS, _ADAM_RATE = 10, 0.001
_LOST, _TOP = 1e3, 1.33
"""A movement from which on a weight is lost, and where that is marked."""


def _plot_adam(powers: tuple[float, ...], moved: Sequence[tuple[float, ...]]) -> Any:
    names = ("adam_step", "adam_in_half")
    paths = [
        Path(name, powers, tuple(y if abs(y) < _LOST else math.nan for y in way), color)
        for name, way, color in zip(names, moved, COLORS, strict=False)
    ]
    told = "; ".join(f"{path.name} {_ends(path)}" for path in paths)
    ax = plot_paths(
        paths,
        caption=Caption(
            "Ten steps of Adam: how far do they move a weight?",
            f"Movement, 1 for ten times the rate, by the size of the gradient. {told}.",
            f"{COUNTED} Gradients are powers of 2. Crosses at the top: the weight became "
            "infinite or NaN.",
            x="gradient: 2 to the power of ...",
            y="moved / (10 * rate)",
        ),
        y_limits=(-0.1, 1.4),
    )
    for path, way in zip(paths, moved, strict=True):
        lost = [x for x, y in zip(powers, way, strict=True) if not abs(y) < _LOST]
        ax.plot(lost, [_TOP] * len(lost), "x", color=path.color, markersize=6, zorder=3)
    return ax


def _ends(path: Path) -> str:
    drawn = [x for x, y in path.drawn if y > 0]
    return f"moves from 2**{drawn[0]:.0f} to 2**{drawn[-1]:.0f}" if drawn else "does not move"


PICTURE = draw_adam
