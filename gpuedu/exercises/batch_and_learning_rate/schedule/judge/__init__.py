"""schedule: the rate at each step of a run, and the same run with another batch."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from gpuedu.exercises.batch_and_learning_rate.schedule.plans import RULES, SHAPES, Plan
from gpuedu.exercises.compare import show, show_apart
from gpuedu.exercises.contract import Case, Fault, Judge, Plain, Prediction, Property, Undecided
from gpuedu.experiments import read_results

_ORDER = ("batch", "steps", "warmup", "peak", "new_batch", "rule")
"""Of what `rescale` gets."""
_REL = 1e-6
"""Of the peak: rates in float32 are right, too."""


def cases(rng: np.random.Generator) -> list[Case]:
    """Plans of all kinds, asked step by step, and other batches, larger and smaller."""
    drawn = []
    for shape in SHAPES:
        plan = _plan(rng, int(rng.integers(30, 60)), int(rng.integers(5, 12)), shape)
        fall = range(plan.warmup, plan.steps - 1)
        drawn += [_rates(plan, range(plan.warmup), "warmup"), _rates(plan, fall, shape)]
        ends = [plan.steps - 1, plan.steps, plan.steps + 1, 3 * plan.steps]
        drawn.append(_rates(plan, ends, "ends"))
        steps = int(rng.integers(8, 15))
        for warmup in (0, 1, steps):
            edge = _plan(rng, steps, warmup, shape)
            drawn.append(_rates(edge, range(steps), "edges"))
        drawn.append(_rates(edge, [steps, steps + 7], "ends"))  # warm-up alone
        drawn.append(_rates(_plan(rng, 2, 0, shape), range(2), "edges"))
    for rule in RULES:
        drawn += [_rescale(rng, rule, larger) for larger in (True, True, False)]
    for warmup in (2, 8):
        drawn.append(_rates(_plan(rng, 9, warmup, "linear"), range(9), "edges"))
    return [*drawn, _long_run(), *_exact_ratios()]


def _plan(rng: np.random.Generator, steps: int, warmup: int, shape: str) -> Plan:
    peak = float(f"{10 ** rng.uniform(-3, 0):.2g}")
    return Plan(steps, warmup, peak, float(f"{peak * rng.uniform(0.02, 0.2):.2g}"), shape)


def _rates(plan: Plan, at: Sequence[int], prop: str) -> Case:
    steps = f"{plan.steps} steps, {plan.warmup} of warm-up, {plan.shape}"
    label = f"a step after {steps}" if at[0] >= plan.steps else steps
    ask = "edges" if prop == "edges" else "rates"
    return Case(label, {"ask": ask, "plan": tuple(plan), "at": list(at)}, (prop,))


def _rescale(rng: np.random.Generator, rule: str, larger: bool) -> Case:
    """A ratio that is no square, in plans that it divides."""
    ratio, batch = int(rng.choice((2, 3, 5, 6, 7, 8))), 8 * int(rng.integers(2, 9))
    steps, warmup = int(rng.integers(20, 90)), int(rng.integers(2, 10))
    peak = float(f"{10 ** rng.uniform(-3, -0.5):.2g}")
    before = (batch, steps * ratio, warmup * ratio) if larger else (batch * ratio, steps, warmup)
    values = (*before, peak, batch * ratio if larger else batch, rule)
    return _rescale_case(dict(zip(_ORDER, values, strict=True)))


def _long_run() -> Case:
    """A run with so many samples that 32 bits do not count them."""
    plan = {"batch": 4096, "steps": 1_000_000, "warmup": 20_000, "peak": 0.003}
    return _rescale_case({**plan, "new_batch": 8192, "rule": "root"})


def _exact_ratios() -> list[Case]:
    """Ratios that no float has: what is cut off after them may be one too few. And no warm-up."""
    plans = ((48, 125, 50, 100), (1, 98, 0, 49))
    names = ("batch", "steps", "warmup", "new_batch")
    given = {"peak": 0.01, "rule": "root"}
    drawn = [dict(zip(names, plan, strict=True)) for plan in plans]
    return [_rescale_case({name: (one | given)[name] for name in _ORDER}) for one in drawn]


def _rescale_case(given: dict[str, Any]) -> Case:
    label = f"batch {given['batch']} to {given['new_batch']}, {given['rule']}"
    return Case(label, {"ask": "rescale", **given}, ("samples", "peak"))


def verdict(case: Case, observed: Plain) -> Iterable[Fault]:
    """Each rate against the plan's, each plan against the one over the same samples."""
    if case.inputs["ask"] == "rescale":
        yield from _rescale_faults(case, observed)
        return
    plan, at, got = Plan(*case.inputs["plan"]), case.inputs["at"], observed["got"]
    wanted = [rate_at(step, plan) for step in at]
    usual = observed.get("usual") or [math.nan] * len(at)
    for step, mine, true, other in zip(at, got, wanted, usual, strict=True):
        if not abs(mine - true) <= _REL * plan.peak:
            told, expected = show_apart(mine, true)
            *numbers, shape = plan
            call = f'rate_at({step}, {", ".join(map(show, numbers))}, "{shape}")'
            message = f"`{call}` gave {told}, expected {expected}{_place(step, plan)}"
            if _is_fall(step, plan) and abs(other - mine) <= _REL * plan.peak:
                message += ". After a longer warm-up, the fall is just as wrong: fix that first"
                yield Undecided(case.decides[0], message)
            else:
                yield Fault(case.decides[0], message)
            return


def _is_fall(step: int, plan: Plan) -> bool:
    return max(1, plan.warmup) <= step and plan.warmup < plan.steps


def rate_at(step: int, plan: Plan) -> float:
    """The rate at a step counted from 0."""
    step = min(step, plan.steps - 1)
    if step < plan.warmup:
        return plan.peak * (step + 1) / plan.warmup
    top = max(0, plan.warmup - 1)
    done = (step - top) / (plan.steps - 1 - top)
    if plan.shape == "cosine":
        done = (1 - math.cos(math.pi * done)) / 2
    return plan.peak + (plan.low - plan.peak) * done


def _place(step: int, plan: Plan) -> str:
    """Which step of the run it is, in words."""
    if step >= plan.steps:
        return ": the run is over, its last step had that"
    if step == plan.steps - 1:
        return ": the last step"
    if step == plan.warmup - 1:
        return ": the last step of the warm-up"
    return ": the first step" if step == 0 else ""


def _rescale_faults(case: Case, observed: Plain) -> Iterable[Fault]:
    given = {name: value for name, value in case.inputs.items() if name != "ask"}
    steps, warmup, peak = rescaled(**given)
    got_steps, got_warmup, got_peak = observed["got"]
    *numbers, rule = given.values()
    call = f'`rescale({", ".join(map(show, numbers))}, "{rule}")`'
    for name, mine, true in (
        ("steps", got_steps, steps),
        ("steps of warm-up", got_warmup, warmup),
    ):
        if mine != true:
            yield Fault("samples", f"{call} gave {show(mine)} {name}, expected {true}")
            break
    else:
        if not all(observed["whole"]):
            told = ", ".join(f"`{value!r}`" for value in observed["got"][:2])
            yield Fault(
                "samples",
                f"{call} gave {told} for the steps and the warm-up: right, but not whole numbers",
            )
    if not abs(got_peak - peak) <= _REL * peak:
        told, expected = show_apart(got_peak, peak)
        yield Fault("peak", f"{call} gave a peak of {told}, expected {expected}")


def rescaled(
    batch: int, steps: int, warmup: int, peak: float, new_batch: int, rule: str
) -> tuple[int, int, float]:
    """Steps, warm-up and peak for another batch, over the same samples."""
    grows = new_batch / batch
    power = {"linear": 1.0, "root": 0.5}[rule]
    return round(steps / grows), round(warmup / grows), peak * grows**power


def same_loss_rate(loss_at: float, small: str, large: str) -> float:
    """The rate with which the large batch gets to the small one's loss at ``loss_at``.

    On the gentle side of its valley, between the rates that were computed: straight on a
    logarithmic axis.
    """
    values = read_results("loss-by-rate").values
    rates = values["rates"]
    loss = values["losses"][small]["median"][rates.index(loss_at)]
    losses = values["losses"][large]["median"]
    above = next(k for k in range(len(rates)) if losses[k] > loss >= losses[k + 1])
    part = (losses[above] - loss) / (losses[above] - losses[above + 1])
    return rates[above] * (rates[above + 1] / rates[above]) ** part


def _prediction() -> Prediction:
    found = same_loss_rate(0.0178, "16", "128")
    return Prediction(
        "with a rate of 0.0178, batch 16 has a loss of 0.87 after 8 passes. Which rate gives "
        "batch 128 the same loss?",
        truth=round(found, 3),
        because=f"That is {found / 0.0178:.1f} times the rate, for 8 times the batch: the linear "
        "rule, as long as rates are far below the cliff.",
    )


JUDGE = Judge(
    title="A plan for the learning rate",
    properties=(
        Property(
            "warmup",
            "the warm-up rises in equal amounts, from its first step on",
            1,
            asks="What is the rate of each step of the warm-up, from its first to its last?",
        ),
        Property(
            "linear",
            '`"linear"`: from the peak straight down',
            1,
            asks="From which step to which does the rate fall, and by how much in each?",
        ),
        Property(
            "cosine",
            '`"cosine"`: from the peak down half a cosine',
            1,
            asks="Which share of the fall is over there, and what does half a cosine make of it?",
        ),
        Property(
            "ends",
            "the last step has `low`, and after the run the rate is its last step's",
            1,
            asks="What is the rate of the last step of the run, and of the steps beyond it?",
        ),
        Property(
            "edges",
            "a warm-up of 0, of 1 and of all steps; a run of 2 steps",
            1,
            asks="Which step of this run has the peak, and what is left for the fall?",
        ),
        Property(
            "samples",
            "`rescale`: the same number of samples, in the warm-up and in all",
            1,
            asks="Are these whole numbers, and how many samples do they make with the new batch?",
        ),
        Property(
            "peak",
            "and a peak by the linear rule or by the root",
            1,
            asks="By which factor does the batch grow, and what does the rule make of that factor?",
        ),
    ),
    hints=(
        "Number the steps of a run of 4 with a warm-up of 2: which step has the peak, which has "
        "`low`, and how many are from the one to the other? And which step has the peak where "
        "there is no warm-up?",
        "The peak is at step `top = max(0, warmup - 1)`. From there on `done = (step - top) / "
        "(steps - 1 - top)` goes from 0 to 1; half a cosine is `(1 - cos(pi * done)) / 2` in its "
        "place. A step beyond the end is the last one. With k times the batch there are a k-th of "
        "the steps, in the warm-up as well.",
        "`step = min(step, steps - 1)`; `if step < warmup: return peak * (step + 1) / warmup`; "
        '`top`, `done`; `if shape == "cosine": done = (1 - math.cos(math.pi * done)) / 2`; '
        "`return peak + (low - peak) * done`. `rescale`: `grows = new_batch / batch`, "
        "`round(steps / grows)`, `round(warmup / grows)`, `peak * grows` or `peak * grows**0.5`.",
    ),
    cases=cases,
    verdict=verdict,
    predictions={"schedule": _prediction()},
)
