"""throttle: clocks under a power limit, and what they do to time and energy."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from gpuedu.exercises.contract import Case, Judge, Prediction
from gpuedu.exercises.functions import call_case, right_result


def clock_share(cap_w: float, static_w: float, dynamic_w: float) -> float:
    """The clock at which the device draws the limit, as a share of the full one."""
    return min(1.0, (max(0.0, cap_w - static_w) / dynamic_w) ** (1 / 3))


def capped_s(share: float, compute_s: float, memory_s: float) -> float:
    """Arithmetic slows with the clock, memory does not."""
    if share == 0:
        return math.inf if compute_s else memory_s
    return max(compute_s / share, memory_s)


def best_cap(
    caps_w: Sequence[float], static_w: float, dynamic_w: float, compute_s: float, memory_s: float
) -> float:
    """The limit with the least energy; of equal ones the lowest."""

    def energy(cap_w: float) -> float:
        share = clock_share(cap_w, static_w, dynamic_w)
        return (static_w + dynamic_w * share**3) * capped_s(share, compute_s, memory_s)

    return min(sorted(caps_w), key=energy)


def cases(rng: np.random.Generator) -> list[Case]:
    """Limits that bind, that do not, and that leave nothing; kernels of both kinds."""
    drawn = []
    for is_first in (True, False):
        static, dynamic = 10 * int(rng.integers(12, 25)), 10 * int(rng.integers(25, 40))
        given = {"static_w": static, "dynamic_w": dynamic}
        cap = static + round(dynamic * float(rng.uniform(0.2, 0.8)))
        drawn.append(call_case("clock", "clock_share", cap_w=cap, **given))
        for free in (static + dynamic + 50, static - 20, static):
            drawn.append(call_case("limits", "clock_share", cap_w=free, **given))
        share, long = round(float(rng.uniform(0.5, 0.9)), 3), int(rng.integers(4, 9))
        for compute, memory in ((long, long - 3), (0.3 * long, long), (0.95 * long, long)):
            kernel = {"compute_s": round(compute, 3), "memory_s": memory}
            drawn.append(call_case("time", "capped_s", share=share, **kernel))
            if not is_first:
                continue
            caps = [static + round(dynamic * part / 32) for part in range(1, 33)]
            caps = [int(one) for one in rng.permutation(caps)]
            drawn.append(call_case("energy", "best_cap", caps_w=caps, **given, **kernel))
        kernel = {"compute_s": long, "memory_s": 1 if is_first else 2 * long}
        drawn.append(call_case("stopped", "capped_s", share=0, **kernel))
        for memory in (long, long / 16):
            drawn.append(call_case("stopped", "capped_s", share=0, compute_s=0, memory_s=memory))
        if is_first:
            tied = [static + dynamic + 10 * one for one in (3, 1, 2)]
            kernel = {"compute_s": long, "memory_s": 1}
            drawn.append(call_case("energy", "best_cap", caps_w=tied, **given, **kernel))
    drawn.append(call_case("time", "capped_s", share=0.001, compute_s=2, memory_s=1))
    few = {"compute_s": 4, "memory_s": 1}
    for caps, dynamic, kernel in (
        ([400, 240], 20, few),  # far above what it draws at full clock, and nothing else is as good
        ([300, 400], 340, few),  # the one that is farther from where a curve has its minimum
        ([480, 300, 390, 260], 340, {"compute_s": 0.0004, "memory_s": 0.0001}),
    ):
        given = {"static_w": 230, "dynamic_w": dynamic}
        drawn.append(call_case("energy", "best_cap", caps_w=caps, **given, **kernel))
    return drawn


JUDGE = Judge(
    title="A lower power limit",
    properties=(
        right_result(
            "clock",
            "`clock_share` under a limit that binds",
            1,
            {"clock_share": clock_share},
            asks="At which share of the clock does the device draw just the limit?",
        ),
        right_result(
            "limits",
            "`clock_share`: at most 1, and 0 where nothing is left",
            0.5,
            {"clock_share": clock_share},
            asks="Can the clock be above its full one, or below 0?",
        ),
        right_result(
            "time",
            "`capped_s`: arithmetic slows down, memory does not",
            1,
            {"capped_s": capped_s},
            asks="How long does the arithmetic take at this clock, and how long the memory?",
            unit="s",
        ),
        right_result(
            "stopped",
            "`capped_s` at share 0",
            0.5,
            {"capped_s": capped_s},
            asks="With its clock at 0, which kernels can still end?",
            unit="s",
        ),
        right_result(
            "energy",
            "`best_cap`: the limit with the least energy",
            1,
            {"best_cap": best_cap},
            asks="For each limit: what does the device draw, and for how long? Which limit is it?",
        ),
    ),
    hints=(
        "Solve `static_w + dynamic_w * x**3 == cap_w` for `x`.",
        "A limit above what the device can draw changes nothing.",
        "Energy is power times time. At a lower clock the device draws less, and arithmetic takes "
        "longer.",
    ),
    cases=cases,
    predictions={
        "throttle": Prediction(
            "what share of its clock does a device of 100 W static and 600 W dynamic power keep "
            "at 400 W?",
            truth=0.5 ** (1 / 3),
            because="Half of the dynamic power is left, and the cube root of 0.5 is 0.794. So at "
            "57% of the power, arithmetic keeps 79% of its speed, and memory all of it.",
        )
    },
)
