"""backward-by-hand: its picture."""

from __future__ import annotations

from typing import Any

import numpy as np

from gpuedu.exercises.training.quiet import quiet_torch
from gpuedu.exercises.training.tensors import as_array
from gpuedu.exercises.training_step.backward_by_hand.backward_pictures import (
    CLASSES,
    SAMPLES,
    UNITS,
)
from gpuedu.exercises.training_step.backward_by_hand.play import gradients_of
from gpuedu.figures.caption import Caption
from gpuedu.figures.training import LossCurve, plot_losses

SPREADS = tuple(float(s) for s in np.geomspace(0.3, 100, 16))


_LITTLE = 0.01


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
        source="Computed by your `backward`: the gradient at z beside the one at h, "
        f"{SAMPLES} x {UNITS} units, no dropout.",
        alt=f"Lines over the spread of z, from 0.3 to 100. Units nearly closed: {told}.",
    )
    return plot_losses(curves, caption=caption, log_x=True, ceiling=150.0)


def closed_share(backward: Any, activation: str, spread: float) -> float:
    """How many of the units pass on less than 1% of the gradient that comes to ``h``."""
    chance = np.random.default_rng(5)
    x = chance.standard_normal((SAMPLES, UNITS))
    # Each column of z gets exactly this spread, so that every unit sees the same.
    w1 = chance.standard_normal((UNITS, UNITS))
    w1 *= spread / (x @ w1).std(axis=0)
    inputs = {
        "activation": activation,
        "keep": 1.0,
        "mask": np.ones((SAMPLES, UNITS)),
        "x": x,
        "y": chance.integers(CLASSES, size=SAMPLES),
        "w1": w1,
        "b1": np.zeros(UNITS),
        "w2": chance.standard_normal((UNITS, CLASSES)) / UNITS**0.5,
        "b2": np.zeros(CLASSES),
    }
    found = gradients_of(backward, inputs)
    h, z = (as_array(found.get(name), (SAMPLES, UNITS), f'"{name}"') for name in ("h", "z"))
    return float((np.abs(z) < _LITTLE * np.abs(h)).mean())


PICTURE = draw_saturation
