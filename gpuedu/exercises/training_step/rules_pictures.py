"""Picture of optimisers: losses of a small network that the learner's update rules train."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from gpuedu.exercises.training.quiet import quiet_torch
from gpuedu.figures.caption import Caption
from gpuedu.figures.training import LossCurve, plot_losses

_STEPS, _BATCH, _EVERY = 120, 64, 5
_FAINTER = 1 / 30


def draw_rules(sgd: Any, adam: Any, adamw: Any) -> Any:
    """Losses on digits, half of whose pixels are 30 times as faint, of four rules."""
    averages = (0.9, 0.999, 1e-8)
    rules = (
        ("SGD, lr 0.3", lambda *of: sgd(*of, 0.3, 0.0)),
        ("SGD, momentum", lambda *of: sgd(*of, 0.3, 0.9)),
        ("Adam, lr 0.01", lambda *of: adam(*of, 0.01, *averages)),
        ("AdamW, decay", lambda *of: adamw(*of, 0.01, *averages, 0.1)),
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


def _train(rule: Callable[..., None]) -> Iterator[tuple[int, float]]:
    """Step and loss, every few steps."""
    import torch

    from gpuedu.training import MLP, load_digits
    from gpuedu.training.seeds import generator

    digits = load_digits().train
    images = digits.inputs.flatten(1).clone()
    images[:, ::2] *= _FAINTER
    model, draw = MLP(64, 10, hidden=(48,)), generator(2)
    states: list[dict[str, Any]] = [{} for _ in model.parameters()]
    cross_entropy = torch.nn.functional.cross_entropy
    for step in range(_STEPS + 1):
        if step % _EVERY == 0:
            with torch.no_grad():
                yield step, cross_entropy(model(images[:512]), digits.targets[:512]).item()
        chosen = torch.randint(len(images), (_BATCH,), generator=draw)
        model.zero_grad()
        cross_entropy(model(images[chosen]), digits.targets[chosen]).backward()
        for weights, state in zip(model.parameters(), states, strict=True):
            rule(weights.data, weights.grad, state)


RULES_PICTURES: dict[str, Callable[..., Any]] = {"sgd-or-adam": draw_rules}
