"""read-the-profile: where did the time of a step go, and what is the largest cost?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial

import numpy as np

from gpuedu.exercises.contract import Case, Fault, Judge, Plain, Prediction, Property
from gpuedu.exercises.training_step.read_the_profile.judge.step_time import (
    largest,
    where_it_went,
)
from gpuedu.exercises.training_step.read_the_profile.planted import (
    CAUSES,
    SHOWN,
    Plan,
    draw_plan,
    take_steps,
)
from gpuedu.units import format_time

_NEAR_S = 2e-9
"""Twice what the profiler can tell apart, and what a timeline rounds to."""
_TRAPS = ("", "beside", "side", "between", "tail", "both", "tail", "inside", "resident")


def cases(rng: np.random.Generator) -> list[Case]:
    """The three steps that the lesson shows, by name; then others, some with a trap."""
    found = [Case("your dict", {"ask": "worst", "names": list(SHOWN)}, ("worst",))]
    for number, trap in enumerate(_TRAPS, 1):
        plan = draw_plan(rng, trap=trap)
        found.append(Case(f"profile {number}", {"ask": "shares", "plan": vars(plan)}, CAUSES))
    return found


def verdict(case: Case, observed: Plain, shown: Mapping[str, Plan] = SHOWN) -> Iterable[Fault]:
    """The largest cost of each shown step, or the four shares of one that was drawn."""
    if case.inputs["ask"] == "worst":
        for name, got in observed["worst"].items():
            profile = take_steps(shown[name])
            if got != largest(profile):
                share = where_it_went(profile).get(got)
                told = (
                    "" if share is None else f", which is {share / profile.end_s:.0%} of its time"
                )
                yield Fault("worst", f"step {name}: you say {got!r}{told}")
                return
        return
    plan = Plan(**case.inputs["plan"])
    expected_shares = where_it_went(take_steps(plan))
    got_shares, end_s = observed["shares"], take_steps(plan).end_s
    are_shares = all(
        abs(got_shares[one] * end_s - expected_shares[one]) <= _NEAR_S for one in CAUSES
    )
    for cause in CAUSES:
        got, expected = got_shares[cause], expected_shares[cause]
        if not abs(got - expected) <= _NEAR_S:
            yield Fault(
                cause,
                f"{cause!r} is {got:.6g} s, expected {expected:.6g} s, of {format_time(end_s)} in "
                "all",
                "That is right as a share of the step. Return seconds." if are_shares else "",
            )


JUDGE = Judge(
    title="Where did the time go?",
    properties=(
        Property(
            "worst",
            "the largest cost of three slow steps, by name",
            2,
            asks="It is one of kernels, copies, launches and python. When the device does "
            "nothing, what is the host doing at that moment?",
        ),
        Property(
            "kernels",
            "how long the device computed, counting overlaps once",
            1,
            asks="While two kernels run at once, how long does the device compute? What else is "
            "in your sum?",
        ),
        Property(
            "copies",
            "how long it waited for copies",
            1,
            asks="Go through the device's idle time, instant by instant: when did a copy run?",
        ),
        Property(
            "launches",
            "how long it waited for the host's operators",
            1,
            asks="Go through the device's idle time without a copy, instant by instant: when was "
            "the host in an operator?",
        ),
        Property(
            "python",
            "how long it waited for Python",
            1,
            asks="Go through the device's idle time, from the start of the step to its end. What "
            "is left of it after copies and operators have taken theirs?",
        ),
    ),
    hints=(
        "Every instant of a step goes to one of four. Which question comes first: is a kernel "
        "running, is a copy, or is the host in an operator?",
        'A `clock.Timeline` with all kernels on one lane "device", all copies on a second and all '
        'operators on a third answers `line.waited_for("device", ["copies", "host"])`: the idle '
        "time of the device, each instant given to the first that was busy.",
        '`clock.Interval("device", "kernel", one.start_s, one.end_s) for one in profile.kernels`, '
        "the same for copies and operators, all into `clock.Timeline.of([...])`. `kernels` is "
        '`profile.busy_s("device")`, and `python` is what is left of `profile.end_s`.',
    ),
    cases=cases,
    verdict=verdict,
    predictions={
        "read-the-profile": Prediction(
            "Adam updates 8 weight tensors, one PyTorch operation after another. How many "
            "kernels does an update launch?",
            truth=64,
            unit="kernels",
            exact=True,
            because="There are eight operations per tensor, and each is a kernel of a few "
            "microseconds. "
            "(Counted on the CPU, where operators stand in for kernels.)",
        )
    },
    seeds=8,
)


def judge_of(shown: Mapping[str, Plan]) -> Judge:
    """The judge where the lesson shows other steps, under the same names."""
    return replace(JUDGE, verdict=partial(verdict, shown=shown))


def worst_of(shown: Mapping[str, Plan]) -> dict[str, str]:
    """The largest cost of each."""
    return {name: largest(take_steps(plan)) for name, plan in shown.items()}
