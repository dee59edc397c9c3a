"""Reference answers about batches, written another way than the solutions."""

from __future__ import annotations

import math

import numpy as np
import torch

from gpuedu.exercises.batch_and_learning_rate.accumulate_gradients.accumulation import (
    IGNORED,
    loss_sum,
)
from gpuedu.exercises.examine import Report, examine
from gpuedu.exercises.registry import load
from tests.exercises.stored import solution_answers


def samples_per_s(batch, launches, launch_s, fixed_s, per_sample_s):
    return min(batch / (launches * launch_s), batch / (fixed_s + batch * per_sample_s))


def knee(share, launches, launch_s, fixed_s, per_sample_s):
    host = share * launches * launch_s / per_sample_s
    return math.ceil(max(host, share * fixed_s / ((1 - share) * per_sample_s)))


def measured_knee(runs, share):
    batches = np.array([batch for batch, _ in runs])
    rates = batches / np.array([time_s for _, time_s in runs])
    medians = {b: np.median(rates[batches == b]) for b in np.unique(batches)}
    best = max(medians.values())
    return next(int(b) for b, rate in medians.items() if rate >= share * best)


def largest_batch(try_step, most):
    low, high, trial = 0, most + 1, 1
    while low + 1 < high:
        failed = False
        try:
            try_step(trial)
        except torch.OutOfMemoryError:
            failed = True
        low, high = (low, trial) if failed else (trial, high)
        trial = min(2 * low, (low + high) // 2)
    return low


def guess_batch(small, large, budget_bytes):
    span, rise = large[0] - small[0], large[1] - small[1]
    return max(0, small[0] + (budget_bytes - small[1]) * span // rise)


def accumulated_step(model, optimiser, micro_batches, max_norm):
    optimiser.zero_grad(set_to_none=False)
    counts = [int((y != IGNORED).sum()) for _, y in micro_batches]
    losses = []
    for x, y in micro_batches:
        loss = loss_sum(model(x), y)
        (loss / sum(counts)).backward()
        losses.append(loss.item())
    torch.nn.utils.clip_grad_norm_(list(model.parameters()), max_norm)
    optimiser.step()
    return math.fsum(losses) / sum(counts)


REFERENCE = {
    "throughput-knee": (samples_per_s, knee, measured_knee),
    "largest-batch": (largest_batch, guess_batch),
    "accumulate-gradients": (accumulated_step,),
}


def hand_in(exercise: str, seed: int = 0, **instead) -> Report:
    """The verdict on the solution with functions replaced by name."""
    return examine(load(exercise), [*(solution_answers(exercise) | instead).values()], seed)


def lost(report: Report) -> list[str]:
    """The properties that do not hold."""
    return [name for name, holds in report.held().items() if not holds]


def fault(report: Report, prop: str) -> str:
    """Message and likely cause of a property's first counterexample."""
    found = next(result.fault for result in report.results if result.property.name == prop)
    return f"{found.message} | {found.cause}"
