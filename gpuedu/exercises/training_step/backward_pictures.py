"""Pictures of backward-by-hand: how much of a gradient comes through, by size and by depth."""

from __future__ import annotations

from typing import Any

import numpy as np

from gpuedu.exercises.training.quiet import quiet_torch
from gpuedu.exercises.training.tensors import as_array
from gpuedu.exercises.training_step.backward_play import gradients_of
from gpuedu.figures.caption import Caption
from gpuedu.figures.training import LossCurve, plot_losses

SPREADS = tuple(float(s) for s in np.geomspace(0.3, 100, 16))
_SAMPLES, _UNITS, _CLASSES = 64, 64, 10
_LITTLE = 0.01
LAYERS, WIDTH = 10, 64


def draw_saturation(backward: Any) -> Any:
    """Share of units that let through under 1% of a gradient, by the learner's ``backward``."""
    with quiet_torch():
        shares = {
            activation: tuple(closed_share(backward, activation, spread) for spread in SPREADS)
            for activation in ("sigmoid", "relu")
        }
    curves = [
        LossCurve(name, SPREADS, [100 * share for share in shares[activation]])
        for activation, name in (("sigmoid", "sigmoid"), ("relu", "ReLU"))
    ]
    told = ", ".join(
        f"{curve.name} {curve.losses[0]:.0f}% to {curve.losses[-1]:.0f}%" for curve in curves
    )
    caption = Caption(
        title="Units that let through less than 1% of a gradient",
        x="spread of z (its standard deviation), which large weights make large",
        y="share of units in %",
        source="Computed by your backward: the gradient at z beside the one at h, "
        f"{_SAMPLES} x {_UNITS} units, no dropout.",
        alt=f"Lines over the spread of z, from 0.3 to 100. Units nearly closed: {told}.",
    )
    return plot_losses(curves, caption=caption, log_x=True, ceiling=150.0)


def closed_share(backward: Any, activation: str, spread: float) -> float:
    """How many of the units pass on less than 1% of the gradient that comes to ``h``."""
    chance = np.random.default_rng(5)
    x = chance.standard_normal((_SAMPLES, _UNITS))
    # Each column of z gets exactly this spread, so that every unit sees the same.
    w1 = chance.standard_normal((_UNITS, _UNITS))
    w1 *= spread / (x @ w1).std(axis=0)
    inputs = {
        "activation": activation,
        "keep": 1.0,
        "mask": np.ones((_SAMPLES, _UNITS)),
        "x": x,
        "y": chance.integers(_CLASSES, size=_SAMPLES),
        "w1": w1,
        "b1": np.zeros(_UNITS),
        "w2": chance.standard_normal((_UNITS, _CLASSES)) / _UNITS**0.5,
        "b2": np.zeros(_CLASSES),
    }
    found = gradients_of(backward, inputs)
    h, z = (as_array(found.get(name), (_SAMPLES, _UNITS), f'"{name}"') for name in ("h", "z"))
    return float((np.abs(z) < _LITTLE * np.abs(h)).mean())


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
        "layer, random weights that keep z of the order of 1.",
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
    scores = states @ torch.randn(WIDTH, _CLASSES, generator=chance) / WIDTH**0.5
    targets = torch.randint(_CLASSES, (256,), generator=chance)
    torch.nn.functional.cross_entropy(scores, targets).backward()
    return [float(z.grad.square().mean().sqrt()) for z in before]


BACKWARD_PICTURES = {
    "backward-by-hand": draw_saturation,
    "training-step/depth": draw_depth,
}
