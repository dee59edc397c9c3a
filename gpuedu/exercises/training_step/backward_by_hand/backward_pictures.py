"""Pictures of backward-by-hand: how much of a gradient comes through, by size and by depth."""

from __future__ import annotations

from typing import Any

from gpuedu.exercises.training.quiet import quiet_torch
from gpuedu.figures.caption import Caption
from gpuedu.figures.training import LossCurve, plot_losses

SAMPLES, UNITS, CLASSES = 64, 64, 10


LAYERS, WIDTH = 10, 64


def draw_depth() -> Any:
    """Root mean square of the gradient at each of ten layers, by autograd."""
    import torch

    with quiet_torch():
        sizes = {
            "ReLU": gradient_sizes(torch.relu, 2**0.5),
            "tanh": gradient_sizes(torch.tanh, 1.0),
            "sigmoid": gradient_sizes(torch.sigmoid, 1.0),
        }
    curves = [
        LossCurve(name, range(LAYERS), [size / found[-1] for size in reversed(found)])
        for name, found in sizes.items()
    ]
    first = ", ".join(f"{curve.name} {curve.losses[-1]:.1g}" for curve in curves)
    caption = Caption(
        title="What is left of a gradient, layer by layer",
        x="layers before the last",
        y="its size, over that at the last layer",
        source=f"Computed by autograd: root mean square of the gradient at z, {WIDTH} units a "
        "layer, random weights that keep z around size 1.",
        alt=f"Lines over {LAYERS} layers on a logarithmic axis. At the first layer is left: "
        f"{first}.",
    )
    return plot_losses(curves, caption=caption, log_y=True, ceiling=1e6)


def gradient_sizes(activation: Any, scale: float) -> list[float]:
    """From the first layer to the last, for random weights of this scale, seeded."""
    import torch

    from gpuedu.training.seeds import generator

    chance = generator(8)
    states, before = torch.randn(256, WIDTH, generator=chance), []
    for _ in range(LAYERS):
        weights = torch.randn(WIDTH, WIDTH, generator=chance) * scale / WIDTH**0.5
        z = (states @ weights).requires_grad_() if not before else states @ weights
        z.retain_grad()
        before.append(z)
        states = activation(z)
    scores = states @ torch.randn(WIDTH, CLASSES, generator=chance) / WIDTH**0.5
    targets = torch.randint(CLASSES, (256,), generator=chance)
    torch.nn.functional.cross_entropy(scores, targets).backward()
    return [float(z.grad.square().mean().sqrt()) for z in before]
