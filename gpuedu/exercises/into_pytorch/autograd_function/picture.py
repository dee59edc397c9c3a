"""autograd-function: a small model that trains through the learner's operator, or can't."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gpuedu.exercises.into_pytorch.autograd_function.pictured_operator import (
    define,
    nothing_compiled,
)
from gpuedu.exercises.training.quiet import quiet_torch
from gpuedu.figures import style
from gpuedu.figures.by_count import CountLine, plot_by_count
from gpuedu.figures.caption import Caption

_STEPS, _BETA = 60, 1.0
_SAMPLES, _WIDTH, _HIDDEN = 64, 6, 8
_ROOM = 0.01


def draw_training(
    forward: Callable[..., Any],
    fake: Callable[..., Any],
    setup_context: Callable[..., Any],
    backward: Callable[..., Any],
) -> Any:
    """The loss by the step: with the kernel alone, with the operator, and as it should be."""
    with quiet_torch(), nothing_compiled():
        operator = define(forward, fake, setup_context, backward)
        alone = losses_with(lambda x, y: forward(x.detach(), y.detach(), _BETA).detach())
        with_operator = losses_with(lambda x, y: operator(x, y, _BETA))
        right = losses_with(lambda x, y: x * (_BETA * x).sigmoid() * y)
    steps = tuple(range(_STEPS + 1))
    lines = [
        CountLine("the kernel\nalone", steps, alone, style.RED, has_marks=False),
        CountLine("your\noperator", steps, with_operator, style.BLUE, has_marks=False),
        CountLine("", steps[::4], right[::4], style.INK, dots=True),
    ]
    is_right = all(abs(a - b) <= _ROOM * b for a, b in zip(with_operator, right, strict=True))
    told = f"with the kernel alone {alone[-1]:.3g}, with your operator {with_operator[-1]:.3g}"
    caption = Caption(
        title="Your operator trains as PyTorch's operations do"
        if is_right
        else "Your operator doesn't train as PyTorch's operations do",
        x="steps of training",
        y="loss / variance of the target",
        source="A gated MLP, trained here. Rings: the same with PyTorch's operations.\n"
        "With the kernel alone, only the last of its three weights gets a gradient.",
        alt=f"Lines of the loss. After {_STEPS} steps it is {told}, and should be {right[-1]:.3g}.",
    )
    return plot_by_count(lines, caption=caption, format_y=lambda value: f"{value:.2g}")


def losses_with(gated: Callable[[Any, Any], Any]) -> tuple[float, ...]:
    """The loss of a small model before each step, and after the last one.

    Args:
        gated: the gate of two tensors.
    """
    import torch

    torch.manual_seed(3)
    data = torch.randn(_SAMPLES, _WIDTH)
    w, v = (torch.randn(_WIDTH, _HIDDEN) * 0.6 for _ in range(2))
    u = torch.randn(_HIDDEN, 1) * 0.6
    hidden = data @ (w + 0.9 * torch.randn_like(w))
    target = hidden * hidden.sigmoid() * (data @ (v + 0.9 * torch.randn_like(v))) @ u
    scale = target.var()
    weights = [one.requires_grad_() for one in (w, v, u)]
    optimizer = torch.optim.Adam(weights, lr=0.05)
    losses = []
    for _ in range(_STEPS):
        loss = ((gated(data @ w, data @ v) @ u - target) ** 2).mean() / scale
        losses.append(float(loss))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        losses.append(float(((gated(data @ w, data @ v) @ u - target) ** 2).mean() / scale))
    return tuple(losses)


PICTURE = draw_training
