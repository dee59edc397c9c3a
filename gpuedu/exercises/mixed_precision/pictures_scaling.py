"""Pictures of a scale that finds itself, and of what autocast runs in which dtype."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from gpuedu.exercises.training.tensors import as_number
from gpuedu.figures import style
from gpuedu.figures.caption import Caption
from gpuedu.figures.curves import Level
from gpuedu.figures.training import LossCurve, plot_losses

_FACTORS = tuple(2.0**power for power in range(14))


_SURE = tuple(float(score) for score in range(1, 25))


def draw_large(half_loss: Callable[..., Any], safe_loss: Callable[..., Any]) -> Any:
    """Both losses under autocast to float16, for inputs that are made larger and larger."""
    x, w1, w2, yes, largest, _ = _small_model()
    losses = {"as given": half_loss, "yours": safe_loss}
    found = _losses(losses, [(factor * x, w1, w2, yes) for factor in _FACTORS])
    return _plot_both(
        found,
        tuple(largest * factor for factor in _FACTORS),
        Caption(
            "Larger inputs: they should change nothing",
            f"Loss by the largest hidden number. From the smallest to the largest: {_ends(found)}.",
            _COMPUTED,
            x="largest hidden number",
            y="loss (nat)",
        ),
        log_x=True,
    )


def draw_certain(half_loss: Callable[..., Any], safe_loss: Callable[..., Any]) -> Any:
    """Both losses, and a chance in float32, for scores that are farther and farther from 0."""
    x, w1, w2, yes, _, most = _small_model()
    parts = [(x, w1, w2 * (score / most), yes) for score in _SURE]
    losses = {"as given": half_loss, "yours": safe_loss}
    found = _losses({**losses, "chance in float32": _loss_of_chance_in_float32}, parts)
    return _plot_both(
        found,
        _SURE,
        Caption(
            "A model that is more and more certain, and right",
            f"Loss by the largest score. From the smallest to the largest: {_ends(found)}.",
            _COMPUTED,
            x="largest score (z in line 3)",
            y="loss (nat)",
        ),
        log_x=False,
    )


_COMPUTED = (
    "Computed here, on the CPU, under autocast to float16. An inf or a NaN is not drawn: there the "
    "line\nhas a gap, or ends at an x."
)


def _small_model() -> tuple[Any, ...]:
    """Inputs, two weights, right answers; the largest hidden number and the largest score."""
    import torch

    from gpuedu.exercises.training.quiet import quiet_torch

    with quiet_torch(seed=10):
        x, w1, w2 = torch.randn(32, 16), torch.randn(16, 32) / 4, torch.randn(32, 1) / 2
    w2 = w2.mean() - w2  # turned so that the surest score is above 0, where a chance becomes 1
    hidden = torch.relu(x @ w1)
    scores = hidden / hidden.square().mean(dim=1, keepdim=True).sqrt() @ w2
    return x, w1, w2, (scores > 0).float(), float(hidden.max()), float(scores.abs().max())


def _loss_of_chance_in_float32(x: Any, w1: Any, w2: Any, yes: Any) -> Any:
    """The given loss with `.float()` in two places: the chance is still rounded, and 1 in time."""
    import torch

    h = torch.relu(x @ w1).float()
    z = h / ((h * h).mean(dim=1, keepdim=True).sqrt() + 1e-5) @ w2
    p = torch.sigmoid(z.float())
    return -(yes * torch.log(p) + (1 - yes) * torch.log(1 - p)).mean()


_Found = dict[str, tuple[float, ...]]


def _losses(losses: Mapping[str, Callable[..., Any]], parts: Sequence[tuple[Any, ...]]) -> _Found:
    import torch

    from gpuedu.exercises.training.quiet import quiet_torch

    found = {}
    with quiet_torch(seed=10), torch.autocast("cpu", torch.float16):
        for name, loss in losses.items():
            told = [loss(*(one.clone() for one in each)) for each in parts]
            found[name] = tuple(as_number(value, "the loss") for value in told)
    return found


def _ends(found: _Found) -> str:
    return ", ".join(f"{name} {told[0]:.3g} to {told[-1]:.3g}" for name, told in found.items())


def _plot_both(found: _Found, across: Sequence[float], caption: Caption, *, log_x: bool) -> Any:
    no_numbers = [x for told in found.values() for x in told if not math.isfinite(x)]
    return plot_losses(
        [LossCurve(name, across, told) for name, told in found.items()],
        lost="NaN from" if all(map(math.isnan, no_numbers)) else "inf or NaN from",
        levels=[Level("ln 2: a coin", math.log(2), style.QUIET)],
        caption=caption,
        ceiling=10.0,
        log_x=log_x,
    )
