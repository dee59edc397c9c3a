"""stall-fraction: who waits for whom between a loader and a device, held against the simulation."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from gpuedu.exercises.compare import Misconception, likely_cause, number_fault, show
from gpuedu.exercises.contract import Case, Fault, Judge, Plain, Prediction, Property
from gpuedu.exercises.feed_the_gpu.feeding import feed
from gpuedu.exercises.feed_the_gpu.stall_fraction.judge.stalls import (
    DONE,
    SHARES,
    schedule,
    stall_of,
)
from gpuedu.units import MS

_REL = 1e-6
"""The simulated clock counts whole nanoseconds, and all times are whole 10 µs: only the rounding of
sums differs."""


def cases(rng: np.random.Generator) -> list[Case]:
    """Steady times, jitter with a queue that is never full, small queues, rare slow batches."""
    drawn = []
    for load_ms, compute_ms in ((3, 8), (9, 4), (5, 5)):
        load_s, compute_s = (
            ms * float(rng.integers(8, 13)) / 10 * MS for ms in (load_ms, compute_ms)
        )
        drawn += [
            Case(f"overlap = {overlap}", _step(load_s, compute_s, overlap), ("step-time",))
            for overlap in (False, True)
        ]
    drawn += [_case("a long queue", *_jitter(rng, 7), 7, ("done",)) for _ in range(3)]
    drawn += [_case("a single batch", *_jitter(rng, 1), 2, ("done",))]
    for depth in (1, 2, 3, 1):
        times = _that_tell(rng, depth)
        drawn.append(_case(f"a queue of {depth}", *times, depth, ("full-queue",)))
    drawn += [_case("a long queue", *_jitter(rng, 6), 6, ("stall",)) for _ in range(3)]
    return drawn + [_long_run(rng, kind) for kind in ("steady", "rare", "burst", "first", "device")]


def _step(load_s: float, compute_s: float, overlap: bool) -> dict[str, Any]:
    return {"ask": "step", "load_s": load_s, "compute_s": compute_s, "overlap": overlap}


def _case(
    label: str,
    loads_s: Sequence[float],
    computes_s: Sequence[float],
    depth: int,
    decides: tuple[str, ...],
) -> Case:
    ask = "stall" if decides == ("stall",) else "done"
    inputs = {"ask": ask, "loads_s": loads_s, "computes_s": computes_s, "depth": depth}
    return Case(f"{label}, {len(loads_s)} steps", inputs, decides)


def _times(rng: np.random.Generator, low_ms: int, high_ms: int, count: int) -> list[float]:
    """Whole 0.1 ms, in seconds."""
    return [round(t * 1e-4, 6) for t in rng.integers(10 * low_ms, 10 * high_ms, count).tolist()]


def _jitter(rng: np.random.Generator, count: int) -> tuple[list[float], list[float]]:
    """Fast batches first, then slow ones: the device lives on the queue, and then waits."""
    fast = count // 2
    loads = _times(rng, 1, 5, fast) + _times(rng, 12, 30, count - fast)
    return loads, _times(rng, 6, 10, count)


def _that_tell(rng: np.random.Generator, depth: int) -> tuple[list[float], list[float]]:
    """Times for which a place more, a place less and an endless queue all give other results."""
    for _ in range(1000):
        loads = _times(rng, 1, 4, depth + 3) + _times(rng, 15, 20 + 15 * depth, 4)
        computes = _times(rng, 6, 12, depth + 7)
        ends = {
            round(schedule(loads, computes, d)[-1], 7) for d in (depth - 1, depth, depth + 1, 99)
        }
        if len(ends) == 4:
            return loads, computes
    raise AssertionError("no schedule tells these depths apart")


_LONG = 40


def _long_run(rng: np.random.Generator, kind: str) -> Case:
    """A run of which only the sums say who is the slower one."""
    computes = _times(rng, 9, 11, _LONG)
    if kind == "steady":
        loads = _times(rng, 12, 14, _LONG)
    elif kind == "rare":  # most batches are fast, the few slow ones decide
        loads = _times(rng, 2, 4, _LONG)
        for place in rng.choice(_LONG, 6, replace=False).tolist():
            loads[place] = round(float(rng.integers(700, 900)) * 1e-4, 6)
    elif kind == "burst":  # most batches are slower than the step, and yet it evens out
        loads = _times(rng, 11, 13, _LONG)
        for place in rng.choice(_LONG, 15, replace=False).tolist():
            loads[place] = 5e-4
    elif kind == "first":  # the first batch is the slowest of all
        loads = [0.05, *_times(rng, 3, 5, _LONG - 1)]
    else:
        loads = _times(rng, 6, 8, _LONG)
    inputs = {"ask": "bottleneck", "loads_s": loads, "computes_s": computes}
    return Case(f"a run of {_LONG} steps", inputs, ("bottleneck",))


def slower_one(loads_s: Sequence[float], computes_s: Sequence[float], **_: Any) -> str:
    """Who has more to do."""
    return "loader" if sum(loads_s) > sum(computes_s) else "device"


def verdict(case: Case, observed: Plain) -> Iterable[Fault]:
    """Each answer against the simulation."""
    inputs = case.inputs
    judge: Mapping[str, Callable[..., Iterable[Fault]]] = {
        "step": _judge_step,
        "done": _judge_done,
        "stall": _judge_stall,
        "bottleneck": _judge_bottleneck,
    }
    given = {key: value for key, value in inputs.items() if key != "ask"}
    yield from judge[inputs["ask"]](case, observed["got"], given)


def _judge_step(case: Case, got: float, given: Mapping[str, Any]) -> Iterable[Fault]:
    load_s, compute_s, overlap = given["load_s"], given["compute_s"], given["overlap"]
    truth = max(load_s, compute_s) if overlap else load_s + compute_s
    cause = (
        "Side by side, the longer one sets the pace."
        if overlap
        else "The device waits while a batch is loaded, the loader waits while it computes."
    )
    call = f"step_s({show(load_s)}, {show(compute_s)}, {overlap})"
    yield from number_fault("step-time", call, got, truth, cause=cause)


def _judge_done(case: Case, got: Sequence[float], given: Mapping[str, Any]) -> Iterable[Fault]:
    truth = feed(**given).done_s
    cause = likely_cause(list(got), DONE, given, _REL)
    for step, (theirs, expected) in enumerate(zip(got, truth, strict=True)):
        if not abs(theirs - expected) <= _REL * expected:
            message = (
                f"`{_call('done_times', given)}[{step}]` is {_ms(theirs)}, expected {_ms(expected)}"
            )
            yield Fault(case.decides[0], message, cause)
            return


def _judge_stall(case: Case, got: float, given: Mapping[str, Any]) -> Iterable[Fault]:
    truth = feed(**given).stall_share
    cause = likely_cause(got, SHARES, given, _REL)
    if not cause:
        known = [
            Misconception(lambda m=m, **g: stall_of(m.gives(**g), g["computes_s"]), m.says)
            for m in DONE
        ]
        cause = likely_cause(got, known, given, _REL)
    yield from number_fault("stall", _call("stall_share", given), got, truth, cause=cause)


def _judge_bottleneck(case: Case, got: str, given: Mapping[str, Any]) -> Iterable[Fault]:
    truth = slower_one(**given)
    if got == truth:
        return
    loads, computes = given["loads_s"], given["computes_s"]
    slower = sum(a > b for a, b in zip(loads, computes, strict=True))
    message = (
        f'it said "{got}" of {len(loads)} steps in which all loads take {_ms(sum(loads))} and all '
        f"steps {_ms(sum(computes))}"
    )
    cause = (
        f"{slower} of the {len(loads)} loads are longer than their step; the first takes "
        f"{_ms(loads[0])}, the longest {_ms(max(loads))}. With a long queue, which of these "
        "numbers sets the pace of the run?"
    )
    yield Fault("bottleneck", message, cause)


def _ms(time_s: float) -> str:
    return f"{1e3 * time_s:.6g} ms" if np.isfinite(time_s) else show(time_s)


def _call(name: str, given: Mapping[str, Any]) -> str:
    lists = ", ".join(f"[{', '.join(map(show, given[key]))}]" for key in ("loads_s", "computes_s"))
    return f"{name}({lists}, {given['depth']})"


JUDGE = Judge(
    title="Who waits for whom",
    properties=(
        Property("step-time", "`step_s`: a step with and without overlap", 1),
        Property("done", "`done_times` is right while the queue is never full", 1),
        Property("full-queue", "and where the loader waits for room", 2),
        Property("stall", "`stall_share`: the device's waiting, the first batch's included", 1),
        Property("bottleneck", "`bottleneck` names who has more to do", 1),
    ),
    hints=(
        "Write down three times for each batch: when it is in the queue, when the device takes it, "
        "when its step is done. Which of them does each wait for?",
        "A batch is in the queue `load` seconds after the one before it, but not before there is "
        "room. It is taken when it is there and the step before is done. There is room for batch i "
        "in a queue of `depth` places when batch `i - depth` was taken.",
        "For each i: `entered = max(entered + loads_s[i], taken[i - depth] if i >= depth else 0)`, "
        "`taken.append(max(entered, done[i - 1] if i else 0))`, "
        "`done.append(taken[i] + computes_s[i])`. The share: `1 - sum(computes_s) / done[-1]`.",
    ),
    cases=cases,
    verdict=verdict,
    predictions={
        "stall-fraction": Prediction(
            "a batch takes 3 ms to load, but every eighth takes 43 ms: 8 ms on average. A step "
            "takes 10 ms. With a queue of one place, in which share of the time does the device "
            "wait, in per cent?",
            truth=22.4,
            unit="%",
            because="While a slow batch is loaded for 43 ms, the device has two steps: the one it "
            "has just begun and the one in the queue, 20 ms. It waits for the other 23 ms of each "
            "103. The loader is fast again afterwards, but it cannot get ahead: the queue is full.",
        )
    },
)
