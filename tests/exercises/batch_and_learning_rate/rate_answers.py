"""Reference answers about learning rates, written another way than the solutions."""

from __future__ import annotations

import copy
import math

import torch

from gpuedu.exercises.examine import Report, examine
from gpuedu.exercises.registry import load

BETA, LIMIT = 0.9, 2.0


def sweep(take_step, low, high, count):
    rates, smoothed = [], []
    total, weight, best = 0.0, 0.0, math.inf
    for exponent in torch.linspace(math.log(low), math.log(high), count, dtype=torch.float64):
        rate = exponent.exp().item()
        total = BETA * total + take_step(rate)
        weight = BETA * weight + 1
        value = total / weight
        if not math.isfinite(value) or value > LIMIT * best:
            return rates, smoothed
        best = min(best, value)
        rates.append(rate)
        smoothed.append(value)
    return rates, smoothed


def suggest(rates, smoothed):
    return 0.5 * min(zip(smoothed, rates, strict=True))[1]


def find_rate(model, optimiser, step, low, high, count):
    weights, state = copy.deepcopy(model.state_dict()), copy.deepcopy(optimiser.state_dict())

    def take_step(rate):
        for group in optimiser.param_groups:
            group["lr"] = rate
        return step()

    try:
        found = sweep(take_step, low, high, count)
    finally:
        model.load_state_dict(weights)
        optimiser.load_state_dict(state)
    return suggest(*found)


def rate_at(step, steps, warmup, peak, low, shape):
    if warmup and step < warmup:
        return peak / warmup * (1 + step)
    top = warmup - 1 if warmup else 0
    left = max(0.0, (steps - 1 - step) / max(1, steps - 1 - top))
    share = left if shape == "linear" else math.sin(math.pi / 2 * left) ** 2
    return low + (peak - low) * share if steps - 1 > top else peak


def rescale(batch, steps, warmup, peak, new_batch, rule):
    root = (new_batch / batch) ** 0.5
    return (
        steps * batch // new_batch,
        warmup * batch // new_batch,
        peak * (root if rule == "root" else root * root),
    )


REFERENCE = {"lr-finder": (sweep, suggest, find_rate), "schedule": (rate_at, rescale)}


def hand_in(exercise: str, seed: int = 0, **instead) -> Report:
    """The verdict on the reference with functions replaced by name."""
    answers = [instead.get(one.__name__, one) for one in REFERENCE[exercise]]
    return examine(load(exercise), answers, seed)
