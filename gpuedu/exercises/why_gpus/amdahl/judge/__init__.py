"""amdahl: what more workers bring when a part of the work is serial."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from gpuedu.exercises.compare import show
from gpuedu.exercises.contract import Case, Fault, Judge, Plain, Prediction, Property
from gpuedu.exercises.functions import arguments_of, call_text, result_faults, right_result

_TINY = 2.0**-20  # serial, or its square: the limit is 2**20, or 2**40, without rounding
_NEAR_ZERO = 1e-6  # of numbers around 1: as much room at 0 as the relative tolerance leaves there


def speedup(p: float, n: int) -> float:
    """Amdahl: the same work on n workers, of which the share p runs in parallel."""
    return 1 / ((1 - p) + p / n)


def limit(p: float) -> float:
    """Amdahl's speed-up with as many workers as you like."""
    return math.inf if p == 1 else 1 / (1 - p)


def scaled(p: float, n: int) -> float:
    """Gustafson: n times the parallel work on n workers, in the same time."""
    return (1 - p) + p * n


def share(speedup: float, n: int) -> float:
    """The one parallel share with which n workers reach a speed-up; NaN where none does, or all."""
    if n == 1 or not 1 <= speedup <= n:
        return math.nan
    return (1 - 1 / speedup) / (1 - 1 / n)


def cases(rng: np.random.Generator) -> list[Case]:
    """Shares of nothing, of all and nearly; one worker and many; speed-ups in and out of reach."""
    drawn = [_at("amdahl", _share(rng), int(rng.integers(2, 200))) for _ in range(2)]
    drawn += [_at("amdahl", p, n) for p, n in ((0.0, 8), (1.0, 8), (_share(rng), 1), (0.9, 10**6))]
    drawn += [_at("amdahl", p, n) for p, n in ((0.03, 50), (1 - _TINY, 10**9))]
    drawn += [_limit(p) for p in (_share(rng), _share(rng), 0.0, 1.0, 0.03, 0.999, 1 - _TINY**2)]
    drawn += [_at("gustafson", _share(rng), int(rng.integers(2, 2000))) for _ in range(2)]
    drawn += [_at("gustafson", p, n) for p, n in ((0.0, 8), (1.0, 8), (_share(rng), 1), (0.03, 50))]
    n = int(rng.integers(20, 500))
    drawn += [_reach(round(float(rng.uniform(2, n * 0.9)), 1), n), _reach(50.0, 100)]
    drawn += [_reach(float(n), n), _reach(1.0, n), _reach(1.25, 2)]
    return [
        *drawn,
        _reach(n + 0.5, n),
        _reach(2.0, 1),
        _reach(0.5, n),
        _reach(0.9, n),
        _reach(1.0, 1),
    ]


def _share(rng: np.random.Generator) -> float:
    return round(float(rng.uniform(0.55, 0.99)), 3)


def _at(law: str, p: float, n: int) -> Case:
    return Case(f"p = {p}, n = {n}", {"call": law, "p": p, "n": n}, (law,))


def _limit(p: float) -> Case:
    return Case(f"p = {p}", {"call": "amdahl_limit", "p": p}, ("limit",))


def _reach(speedup: float, n: int) -> Case:
    label = f"a speed-up of {speedup:g} on {n} worker{'s' if n > 1 else ''}"
    return Case(label, {"call": "share_for", "speedup": speedup, "n": n}, ("share",))


def share_faults(case: Case, observed: Plain) -> Iterable[Fault]:
    """The share; NaN where no share from 0 to 1 will do, or every one."""
    given = arguments_of(case)
    got, wanted = observed["result"], share(**given)
    if math.isnan(wanted) and not math.isnan(got):
        how_many = "every" if given["speedup"] == 1 else "no"
        said = f"`{call_text(case)}` gave {show(got)}, expected `math.nan`"
        yield Fault("share", f"{said}: {how_many} share from 0 to 1 does that")
    else:
        yield from result_faults("share", case, observed, wanted, near_zero=_NEAR_ZERO)


JUDGE = Judge(
    title="How much faster with more workers?",
    properties=(
        right_result(
            "amdahl",
            "`amdahl`: the speed-up of the same work on n workers",
            1,
            {"amdahl": speedup},
            asks="Call the time on one worker 1. How long do the serial part and the parallel part "
            "take on `n` workers?",
        ),
        right_result(
            "limit",
            "`amdahl_limit`: the speed-up that ever more workers approach",
            1,
            {"amdahl_limit": limit},
            asks="What is left of the time on one worker as `n` grows without bound?",
        ),
        right_result(
            "gustafson",
            "`gustafson`: the speed-up when the work grows with n",
            1,
            {"gustafson": scaled},
            asks="How long would one worker take for the serial part, and how long for what the "
            "`n` workers do in parallel?",
        ),
        Property(
            "share",
            "`share_for`: the parallel share, `math.nan` unless there is exactly one",
            1,
            "Put your share into `amdahl`: which speed-up does it give? And how many shares from 0 "
            "to 1 give the one asked for?",
            share_faults,
        ),
    ),
    hints=(
        "Call the time on one worker 1. How long does the serial part take on n workers, and how "
        "long the parallel part?",
        "The new time is `(1 - p) + p / n`, and a speed-up is old time over new time. For the "
        "limit, let `p / n` vanish; for Gustafson, the work done in one unit of time is "
        "`(1 - p) + p * n`. For the share, solve Amdahl's law for `p`.",
        "`share_for`: from `1 / speedup = 1 - p + p / n` follows "
        "`p = (1 - 1 / speedup) / (1 - 1 / n)`. When `speedup` is below 1 or above `n`, return "
        "`math.nan` before you divide; and on 1 worker, too, where it would divide by zero. "
        "When `p == 1`, the limit is `math.inf`.",
    ),
    cases=cases,
    predictions={
        "amdahl": Prediction(
            "5% of a program is serial. How many times faster is it on 1000 workers?",
            truth=float(f"{speedup(0.95, 1000):.3g}"),
            unit="times",
            because="The serial 5% alone takes 1/20 of the old time, so nothing beats 20 times. "
            "The first 19 workers bring 10 times; the other 981 bring the rest.",
        )
    },
)
