"""Picture of optimisers: losses of a small network that the learner's update rules train."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from gpuedu.exercises.training.quiet import quiet_torch
from gpuedu.figures.caption import Caption
from gpuedu.figures.training import LossCurve, plot_losses

_STEPS, _BATCH, _EVERY = 120, 64, 5
_FAINTER = 1 / 30
_AVERAGES = (0.9, 0.999, 1e-8)
_RATES = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0)
_FEW_STEPS = 60


def draw_rules(sgd: Any, adam: Any, adamw: Any) -> Any:
    """Losses on digits, half of whose pixels are 30 times as faint, of four rules."""
    rules = (
        ("SGD, lr 0.3", lambda *of: sgd(*of, 0.3, 0.0)),
        ("SGD, momentum", lambda *of: sgd(*of, 0.3, 0.9)),
        ("Adam, lr 0.01", lambda *of: adam(*of, 0.01, *_AVERAGES)),
        ("AdamW, decay", lambda *of: adamw(*of, 0.01, *_AVERAGES, 0.1)),
    )
    curves = []
    for name, rule in rules:
        with quiet_torch():
            rows = list(_train(rule))
        curves.append(LossCurve(name, [step for step, _ in rows], [loss for _, loss in rows]))
    ends = ", ".join(f"{curve.name}: {curve.losses[-1]:.3g}" for curve in curves)
    caption = Caption(
        "Your rules on digits with faint pixels",
        f"Training losses of four update rules over {_STEPS} steps; at the end {ends}.",
        "Computed by your functions: an MLP on digits, half of the pixels 30 times as faint.",
        x="step",
        y="loss on 512 training samples (nat)",
    )
    return plot_losses(curves, caption=caption)


def draw_rates(sgd: Any, adam: Any) -> Any:
    """Losses after 60 steps by rate, with the mean loss of a batch and with the sum."""
    rules = (
        ("SGD", lambda rate: lambda *of: sgd(*of, rate, 0.0)),
        ("Adam", lambda rate: lambda *of: adam(*of, rate, *_AVERAGES)),
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
        "Computed by your functions: an MLP on digits, half of the pixels 30 times as faint.",
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
    rule: Callable[..., None], steps: int = _STEPS, times: float = 1
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


RULES_PICTURES: dict[str, Callable[..., Any]] = {
    "sgd-or-adam": draw_rules,
    "training-step/rates": draw_rates,
}
