"""Picture of optimizers: losses of a small network that the learner's update rules train."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from gpuedu.exercises.training.quiet import quiet_torch
from gpuedu.figures.caption import Caption
from gpuedu.figures.training import LossCurve, plot_losses

STEPS, _BATCH, _EVERY = 120, 64, 5


_FAINTER = 1 / 30


AVERAGES = (0.9, 0.999, 1e-8)


_RATES = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0)


_FEW_STEPS = 60


def draw_rates(sgd: Any, adam: Any) -> Any:
    """Losses after 60 steps by rate, with the mean loss of a batch and with the sum."""
    rules = (
        ("SGD", lambda rate: lambda *of: sgd(*of, rate, 0.0)),
        ("Adam", lambda rate: lambda *of: adam(*of, rate, *AVERAGES)),
    )
    curves = []
    for name, rule in rules:
        for loss, times in (("mean", 1), ("sum", _BATCH)):
            with quiet_torch():
                ends = [_end_of(rule(rate), times) for rate in _RATES]
            curves.append(LossCurve(f"{name}, {loss}", _RATES, ends))
    told = ", ".join(f"{curve.name} {_best_of(curve)}" for curve in curves)
    caption = Caption(
        "Your rules at eight rates",
        f"Loss after {_FEW_STEPS} steps over the learning rate, by your SGD and Adam, with the "
        f"mean loss of a batch of {_BATCH} and with the sum. The best rates: {told}.",
        "Computed by your functions: an MLP on digits, half of the pixels made 30 times fainter.",
        x="learning rate",
        y=f"loss after {_FEW_STEPS} steps (nat)",
    )
    return plot_losses(curves, caption=caption, log_x=True)


def _best_of(curve: LossCurve) -> str:
    finite = [(loss, rate) for rate, loss in curve.drawn()]
    return f"{min(finite)[1]:g}" if finite else "none"


def _end_of(rule: Callable[..., None], times: float) -> float:
    return list(_train(rule, _FEW_STEPS, times))[-1][1]


def _train(
    rule: Callable[..., None], steps: int = STEPS, times: float = 1
) -> Iterator[tuple[int, float]]:
    """Step and loss, every few steps; what is trained on is ``times`` the mean loss."""
    import torch

    from gpuedu.training import MLP, load_digits
    from gpuedu.training.seeds import generator

    digits = load_digits().train
    images = digits.inputs.flatten(1).clone()
    images[:, ::2] *= _FAINTER
    model, draw = MLP(64, 10, hidden=(48,)), generator(2)
    states: list[dict[str, Any]] = [{} for _ in model.parameters()]
    cross_entropy = torch.nn.functional.cross_entropy
    for step in range(steps + 1):
        if step % _EVERY == 0:
            with torch.no_grad():
                yield step, cross_entropy(model(images[:512]), digits.targets[:512]).item()
        chosen = torch.randint(len(images), (_BATCH,), generator=draw)
        model.zero_grad()
        (times * cross_entropy(model(images[chosen]), digits.targets[chosen])).backward()
        for weights, state in zip(model.parameters(), states, strict=True):
            rule(weights.data, weights.grad, state)
