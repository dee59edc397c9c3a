"""Rates over the steps of a run: as asked for, and as known mistakes have them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from gpuedu.exercises.batch_and_learning_rate.schedule.plans import Plan
from gpuedu.exercises.compare import Misconception

Rise = Callable[[int, Plan], float]
"""The rate at a step of the warm-up."""
Done = Callable[[int, Plan], float]
"""The share of the fall that is over at a step, from 0 to 1."""
Fall = Callable[[float, Plan], float]
"""The rate at a share of the fall."""


def _rise(step: int, plan: Plan) -> float:
    return plan.peak * (step + 1) / plan.warmup


def _done(step: int, plan: Plan) -> float:
    top = max(0, plan.warmup - 1)
    return (step - top) / (plan.steps - 1 - top)


def _fall(done: float, plan: Plan) -> float:
    if plan.shape == "cosine":
        done = (1 - math.cos(math.pi * done)) / 2
    return plan.peak + (plan.low - plan.peak) * done


def rate_at(
    step: int,
    plan: Plan,
    rise: Rise = _rise,
    done: Done = _done,
    fall: Fall = _fall,
    *,
    stays: bool = True,
) -> float:
    """The rate at a step counted from 0; with other parts, what a mistake makes of it."""
    if stays:
        step = min(step, plan.steps - 1)
    return rise(step, plan) if step < plan.warmup else fall(done(step, plan), plan)


def _having(says: str, **parts: Callable[..., float] | bool) -> Misconception:
    def gives(at: Sequence[int], plan: Plan) -> list[float]:
        return [rate_at(step, plan, **parts) for step in at]

    return Misconception(gives, says)


_TWICE = "There the first step after the warm-up has the peak, too: the warm-up's last one had it."
_NEVER = "There the last step does not get to `low`. How many steps are from the peak to the last?"


def _from_low(step: int, plan: Plan) -> float:
    return plan.low + (plan.peak - plan.low) * (step + 1) / plan.warmup


def _swing(done: float) -> float:
    return (1 + math.cos(math.pi * done)) / 2


def _nothing_after(at: Sequence[int], plan: Plan) -> list[float]:
    return [rate_at(step, plan) if step < plan.steps else 0.0 for step in at]


def _low_from(later: int) -> Callable[[Sequence[int], Plan], list[float]]:
    """``low`` from so many steps after the run on, also where the last step has another rate."""

    def gives(at: Sequence[int], plan: Plan) -> list[float]:
        end = plan.steps + later
        return [plan.low if step >= end else rate_at(step, plan) for step in at]

    return gives


MISTAKES = (
    Misconception(_nothing_after, "After the last step a run goes on with its rate, not with 0."),
    Misconception(
        _low_from(-1),
        "With a warm-up of all steps there is no fall: its last step has the peak, not `low`.",
    ),
    Misconception(
        _low_from(0),
        "After the last step a run goes on with that step's rate: with a warm-up of all steps, the "
        "peak.",
    ),
    _having(
        "There the first step of the warm-up has rate 0: a batch for nothing.",
        rise=lambda step, plan: plan.peak * step / plan.warmup,
    ),
    _having(
        "There the rise goes from 0 in the first step to the peak in the last. Is the first step "
        "to do nothing?",
        rise=lambda step, plan: plan.peak * step / max(1, plan.warmup - 1),
    ),
    _having(
        "There the rise begins at `low`. It begins at 0, before the first step.", rise=_from_low
    ),
    _having(
        "That bends the warm-up as well: it rises in equal amounts.",
        rise=lambda step, plan: plan.peak * (1 - _swing((step + 1) / plan.warmup)),
    ),
    # Without a warm-up this one and the next are the same, and only this one's words are true.
    _having(
        _NEVER,
        done=lambda step, plan: (
            (step - max(0, plan.warmup - 1)) / (plan.steps - max(0, plan.warmup - 1))
        ),
    ),
    _having(
        f"{_TWICE} {_NEVER}",
        done=lambda step, plan: (step - plan.warmup) / (plan.steps - plan.warmup),
    ),
    _having(_TWICE, done=lambda step, plan: (step - plan.warmup) / (plan.steps - 1 - plan.warmup)),
    _having(
        "Without a warm-up the peak is at step 0, the first. Which step is it with one?",
        done=lambda step, plan: (step + 1 - plan.warmup) / (plan.steps - plan.warmup),
    ),
    _having(
        "That counts the fall from the start of the run: the rate leaps at the end of the warm-up.",
        done=lambda step, plan: step / (plan.steps - 1),
    ),
    _having(
        "That counts the fall from the start of the run: the rate leaps at the end of the warm-up.",
        done=lambda step, plan: step / plan.steps,
    ),
    _having("After the last step a run stays where it is: yours goes on.", stays=False),
    _having(
        "That falls to 0, not to `low`.",
        fall=lambda done, plan: plan.peak * (_swing(done) if plan.shape == "cosine" else 1 - done),
    ),
    _having("That is linear.", fall=lambda done, plan: plan.peak + (plan.low - plan.peak) * done),
    _having(
        "That is half of the cosine's fall: from 1 to -1 it goes over a whole pi.",
        fall=lambda done, plan: plan.low + (plan.peak - plan.low) * math.cos(math.pi * done / 2),
    ),
    _having(
        "A cosine goes from 1 to -1. What has to be done to it, so that it goes from 1 to 0?",
        fall=lambda done, plan: plan.low + (plan.peak - plan.low) * math.cos(math.pi * done),
    ),
    _having(
        "That rises. Where is a cosine largest?",
        fall=lambda done, plan: plan.low + (plan.peak - plan.low) * (1 - _swing(done)),
    ),
    _having(
        "That adds `low` to a fall from the peak to 0: it begins above the peak.",
        fall=lambda done, plan: (
            plan.low + plan.peak * (_swing(done) if plan.shape == "cosine" else 1 - done)
        ),
    ),
)


def rescaled(
    batch: int, steps: int, warmup: int, peak: float, new_batch: int, rule: str
) -> tuple[int, int, float]:
    """Steps, warm-up and peak for another batch, over the same samples."""
    grows = new_batch / batch
    power = {"linear": 1.0, "root": 0.5}[rule]
    return round(steps / grows), round(warmup / grows), peak * grows**power
