"""Seconds to an accuracy by batch and learning rate: steps of real training, times of a model."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from gpuedu.exercises.batch_and_learning_rate.step_costs import StepCost
from gpuedu.exercises.batch_and_learning_rate.time_to_accuracy.searching import Grid
from gpuedu.experiments import read_results
from gpuedu.units import US

WITHIN = 1.25
"""How many times the best time a choice may take."""

_FIXED_SHARE = 0.1


@dataclass(frozen=True)
class Surface:
    """One way to train on one device.

    ``setting`` names the training in the experiment steps-to-accuracy. The device is launch-bound
    up to about ``knee`` samples, and a step of it takes ``least_s`` then. Of the experiment's
    learning rates ``count`` are there, from ``first`` on, each times ``stretch``: as if the loss
    had been divided by it.
    """

    setting: str
    knee: int
    least_s: float = 2e-3
    first: int = 0
    count: int = 12
    stretch: float = 1.0

    @property
    def cost(self) -> StepCost:
        """What a step costs on the device."""
        launch_s = 5 * US
        launches = round(self.least_s / launch_s)
        return StepCost(launches, launch_s, _FIXED_SHARE * self.least_s, self.least_s / self.knee)

    @property
    def batches(self) -> list[int]:
        """The batches that can be run, rising."""
        return list(_values()["batches"])

    @property
    def rates(self) -> list[float]:
        """The learning rates that can be run, rising."""
        rates = _values()["settings"][self.setting]["rates"]
        chosen = rates[self.first : self.first + self.count]
        return [float(f"{rate * self.stretch:.3g}") for rate in chosen]

    @property
    def grid(self) -> Grid:
        """How long training takes, by batch and rate."""
        steps = _values()["settings"][self.setting]["steps"]
        times_s = [
            [
                math.inf if one is None else one * self.cost.step_s(batch)
                for one in row[self.first : self.first + self.count]
            ]
            for batch, row in zip(self.batches, steps, strict=True)
        ]
        return Grid(self.batches, self.rates, np.array(times_s))


def _values() -> Any:
    return read_results("steps-to-accuracy").values
