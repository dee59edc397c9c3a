# what a sweep gives has names; the rates are NumPy's
from typing import NamedTuple

import numpy as np


class Sweep(NamedTuple):
    rates: list
    smoothed: list


def sweep(take_step, low, high, count):
    rates, smoothed, average = [], [], 0.0
    for n, rate in enumerate(np.geomspace(low, high, count), 1):
        average = BETA * average + (1 - BETA) * take_step(float(rate))
        value = average / (1 - BETA**n)
        if not math.isfinite(value) or value > LIMIT * min(smoothed, default=math.inf):
            break
        rates.append(rate)
        smoothed.append(value)
    return Sweep(rates, smoothed)
