"""amdahl: what more workers bring when a part of the work is serial."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from gpuedu.exercises.compare import Misconception, likely_cause, number_fault, show
from gpuedu.exercises.contract import Case, Fault, Judge, Plain, Prediction, Property


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
    """The parallel share with which n workers reach a speed-up; NaN where none does.

    One worker has a speed-up of 1 with any share; here it is 0.
    """
    if not 1 <= speedup <= n:
        return math.nan
    if n == 1:
        return 0.0
    return (1 - 1 / speedup) / (1 - 1 / n)


_NEAR_ZERO = 1e-6  # of numbers around 1: as much room at 0 as the relative tolerance leaves there
_IN_TIME = "That is the time that is left, as a share of the old time. A speed-up is old over new."
_ORDER = "That fits `p` and `n` swapped: the function is called with `p` first."
_SPEEDUP = (
    Misconception(lambda p, n: (1 - p) + p / n, _IN_TIME),
    Misconception(
        lambda p, n: speedup(1 - p, n),
        "That fits `p` and `1 - p` swapped. `p` is the share that runs in *parallel*: which part "
        "of the time shrinks with n?",
    ),
    Misconception(
        lambda p, n: scaled(p, n),
        "That is Gustafson's law, in which the work grows with n. Here the work stays the same.",
    ),
    Misconception(
        lambda p, n: limit(p), "That is the limit for endless workers. Where does `n` come in?"
    ),
    Misconception(
        lambda p, n: p * n, "That leaves out the serial part. How long does that part still take?"
    ),
    Misconception(lambda p, n: n, "That is n. Does the serial part become faster, too?"),
    Misconception(
        lambda p, n: n / p, "That divides n by the share. Is a smaller parallel share better?"
    ),
    Misconception(
        lambda p, n: 1 / (1 - p) + p / n,
        "That fits `1 / (1 - p) + p / n`. What is the 1 divided by: the serial part, or all of it?",
    ),
    Misconception(
        lambda p, n: speedup(p / 100, n),
        "That takes `p` for per cent. Here a share of 0.9 is 90 of 100.",
    ),
    Misconception(lambda p, n: speedup(n, p), _ORDER),
)
_LIMIT = (
    Misconception(lambda p: 1 - p, _IN_TIME),
    Misconception(
        lambda p: 1 / p,
        "That is 1 over the parallel share. With endless workers, which part is left?",
    ),
    Misconception(
        lambda p: math.inf, "That is endless. How long does the serial part of the work take?"
    ),
    *(
        Misconception(
            lambda p, many=10**power: speedup(p, many),
            f"That is for {10**power} workers. What is left of `p / n` when n has no end?",
        )
        for power in range(2, 8)
    ),
)
_SCALED = (
    Misconception(
        lambda p, n: speedup(p, n),
        "That is Amdahl's law. Gustafson keeps the time and lets the parallel work grow with n.",
    ),
    Misconception(
        lambda p, n: scaled(1 - p, n),
        "That fits `p` and `1 - p` swapped. Which part of the work grows with n?",
    ),
    Misconception(lambda p, n: p * n, "That leaves out the serial part, which is done as well."),
    Misconception(lambda p, n: n, "That is n. Which part of the work does not grow?"),
    Misconception(lambda p, n: scaled(n, p), _ORDER),
    Misconception(
        lambda p, n: n * speedup(p, n),
        "That lets the serial part grow with n, too. Which part of the work grows?",
    ),
)
_SHARE = (
    Misconception(
        lambda speedup, n: 1 - share(speedup, n),
        "That is the serial share. The question is which share runs in parallel.",
    ),
    Misconception(
        lambda speedup, n: 1 - 1 / speedup,
        "That is the share for endless workers. With n of them, the parallel part takes time, too.",
    ),
    Misconception(
        lambda speedup, n: speedup / n,
        "That is speed-up over workers: the efficiency. Try it in `amdahl`: does it give the "
        "speed-up back?",
    ),
    Misconception(
        lambda speedup, n: (speedup - 1) / (n - 1),
        "That inverts Gustafson's law. Here the work stays the same, as in `amdahl`.",
    ),
    Misconception(
        lambda speedup, n: 100 * share(speedup, n),
        "That is in per cent. A share is between 0 and 1.",
    ),
    Misconception(
        lambda speedup, n: (1 - 1 / n) / (1 - 1 / speedup),
        "That fits `speedup` and `n` swapped. In which order does the text give them?",
    ),
)


def cases(rng: np.random.Generator) -> list[Case]:
    """Shares of nothing and of all, one worker and many; speed-ups in reach and out of reach."""
    drawn = [_at("amdahl", _share(rng), int(rng.integers(2, 200))) for _ in range(2)]
    drawn += [_at("amdahl", p, n) for p, n in ((0.0, 8), (1.0, 8), (_share(rng), 1), (0.9, 10**6))]
    drawn += [_limit(p) for p in (_share(rng), _share(rng), 0.0, 1.0)]
    drawn += [_at("gustafson", _share(rng), int(rng.integers(2, 2000))) for _ in range(2)]
    drawn += [_at("gustafson", p, n) for p, n in ((0.0, 8), (1.0, 8), (_share(rng), 1))]
    n = int(rng.integers(20, 500))
    drawn += [_reach(round(float(rng.uniform(2, n * 0.9)), 1), n), _reach(50.0, 100)]
    drawn += [_reach(float(n), n), _reach(1.0, n)]
    return [*drawn, _reach(n + 0.5, n), _reach(2.0, 1), _reach(0.5, n), _reach(1.0, 1)]


def _share(rng: np.random.Generator) -> float:
    return round(float(rng.uniform(0.55, 0.99)), 3)


def _at(ask: str, p: float, n: int) -> Case:
    return Case(f"p = {p}, n = {n}", {"ask": ask, "p": p, "n": n}, (ask,))


def _limit(p: float) -> Case:
    return Case(f"p = {p}", {"ask": "limit", "p": p}, ("limit",))


def _reach(speedup: float, n: int) -> Case:
    label = f"a speed-up of {speedup:g} on {n} worker{'s' if n > 1 else ''}"
    return Case(label, {"ask": "share", "speedup": speedup, "n": n}, ("share",))


_LAWS: dict[str, tuple[str, Any, tuple[Misconception, ...]]] = {
    "amdahl": ("amdahl({p}, {n})", speedup, _SPEEDUP),
    "limit": ("amdahl_limit({p})", limit, _LIMIT),
    "gustafson": ("gustafson({p}, {n})", scaled, _SCALED),
    "share": ("share_for({speedup:g}, {n})", share, _SHARE),
}


def verdict(case: Case, observed: Plain) -> Iterable[Fault]:
    """The number, or NaN where there is none."""
    ask = case.inputs["ask"]
    inputs = {key: value for key, value in case.inputs.items() if key != "ask"}
    template, law, misconceptions = _LAWS[ask]
    call, got, expected = template.format(**inputs), observed["got"], law(**inputs)
    if ask == "share" and inputs["speedup"] == inputs["n"] == 1:
        yield from _one_worker(call, got)
        return
    if math.isnan(expected):
        if not math.isnan(got):
            yield Fault(
                ask,
                f"`{call}` gave {got:.6g}, expected `math.nan`: no share between 0 and 1 does that",
                _why_out_of_reach(inputs["speedup"], inputs["n"]),
            )
        return
    cause = _why_nan(inputs) if math.isnan(got) else likely_cause(got, misconceptions, inputs)
    yield from number_fault(ask, call, got, expected, cause=cause, near_zero=_NEAR_ZERO)


def _one_worker(call: str, got: float) -> Iterable[Fault]:
    """Every share gives 1 worker its speed-up of 1, so any will do, and NaN for `no one share`."""
    if not (math.isnan(got) or 0 <= got <= 1):
        yield Fault(
            "share",
            f"`{call}` gave {show(got)}, expected any share from 0 to 1",
            "Whatever runs in parallel, 1 worker is as fast as 1 worker. Which shares fit?",
        )


def _why_nan(inputs: Mapping[str, float]) -> str:
    """For NaN where there is a number."""
    if inputs.get("p") == 1:
        return "The speed-up grows beyond every number. Which of Python's numbers says so?"
    if "speedup" not in inputs:
        return ""
    if inputs["speedup"] == inputs["n"]:
        return "If all of it runs in parallel, how much faster are n workers than one?"
    if inputs["speedup"] == 1:
        return "A share of 0 is a share. What speed-up does it give?"
    return ""


def _why_out_of_reach(wanted: float, n: int) -> str:
    if wanted < 1:
        return "Below 1 is slower than one worker. Is there a share that slows the work down?"
    return f"Even if all of it ran in parallel, how much faster can {n} be than 1?"


JUDGE = Judge(
    title="How much faster with more workers?",
    properties=(
        Property("amdahl", "`amdahl`: the speed-up of the same work on n workers", 1),
        Property("limit", "`amdahl_limit`: what endless workers would reach", 1),
        Property("gustafson", "`gustafson`: the speed-up when the work grows with n", 1),
        Property("share", "`share_for`: the parallel share, `math.nan` when no share can", 1),
    ),
    hints=(
        "Call the time on one worker 1. How long does the serial part take on n workers, and how "
        "long the parallel part?",
        "The new time is `(1 - p) + p / n`, and a speed-up is old time over new time. For the "
        "limit, let `p / n` vanish; for Gustafson, the work done in one unit of time is "
        "`(1 - p) + p * n`. For the share, solve Amdahl's law for `p`.",
        "`share_for`: from `1 / speedup = 1 - p + p / n` follows "
        "`p = (1 - 1 / speedup) / (1 - 1 / n)`. When `speedup` is below 1 or above `n`, return "
        "`math.nan` before you divide; on 1 worker, too, for there it divides by zero. "
        "When `p == 1`, the limit is `math.inf`.",
    ),
    cases=cases,
    verdict=verdict,
    predictions={
        "amdahl": Prediction(
            "5% of a program is serial. How many times faster is it on 1000 workers?",
            truth=float(f"{speedup(0.95, 1000):.3g}"),
            unit="times",
            because="The serial 5% alone take 1/20 of the old time, so nothing beats 20 times. "
            "The first 19 workers bring 10 times; the other 981 bring the rest.",
        )
    },
)
