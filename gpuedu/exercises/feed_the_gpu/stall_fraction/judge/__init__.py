"""stall-fraction: who waits for whom between a loader and a device, held against the simulation."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from gpuedu.exercises.compare import is_close, number_fault, show
from gpuedu.exercises.contract import Case, Fault, Judge, Plain, Prediction, Property
from gpuedu.exercises.feed_the_gpu.feeding import Feeding, feed
from gpuedu.exercises.feed_the_gpu.stall_fraction.judge.recurrence import schedule
from gpuedu.units import MS

_REL = 1e-6
"""The simulated clock counts whole nanoseconds, and all times are whole 10 µs: only the rounding of
sums differs."""
_SLIP = 2
"""How many times as late or early as the right one an end is that may be a slip."""


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
    for depth in (1, 2, 3, 1, 5):
        times = _that_tell(rng, depth)
        drawn.append(_case(f"a queue of {depth}", *times, depth, ("full-queue",)))
    drawn += [_case("a long queue", *_jitter(rng, 6), 6, ("stall",)) for _ in range(3)]
    for depth in (1, 2):
        drawn.append(_case(f"a queue of {depth}", *_that_tell(rng, depth), depth, ("stall",)))
    kinds = ("steady", "rare", "burst", "first", "first load", "last step", "device")
    return drawn + [_long_run(rng, kind) for kind in kinds]


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
    fast = max(depth + 3, 3 * depth - 3)
    for _ in range(1000):
        loads = _times(rng, 1, 4, fast) + _times(rng, 15, 20 + 15 * depth, 4)
        computes = _times(rng, 6, 12, fast + 4)
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
    elif kind == "first load":  # it decides: each other one is a little shorter than a step
        loads = [0.06, *(round(one - 1e-4, 6) for one in computes[1:])]
    elif kind == "last step":  # it decides: each load is a little longer than the steps before
        loads = [0.01, *(round(one + 1e-4, 6) for one in computes[1:])]
        computes = [*computes[:-1], 0.06]
    else:
        loads = _times(rng, 6, 8, _LONG)
    inputs = {"ask": "bottleneck", "loads_s": loads, "computes_s": computes}
    return Case(f"a run of {_LONG} steps", inputs, ("bottleneck",))


def _test_step(case: Case, observed: Plain) -> Iterable[Fault]:
    load_s, compute_s, overlap = (case.inputs[key] for key in ("load_s", "compute_s", "overlap"))
    truth = max(load_s, compute_s) if overlap else load_s + compute_s
    call = f"step_s({show(load_s)}, {show(compute_s)}, {overlap})"
    yield from number_fault("step-time", call, observed["got"], truth)


def _test_done(case: Case, observed: Plain) -> Iterable[Fault]:
    truth = _simulated(case).done_s
    for step, (got, expected) in enumerate(zip(observed["got"], truth, strict=True)):
        if not abs(got - expected) <= _REL * expected:
            call = _call("done_times", case.inputs)
            message = f"`{call}[{step}]` is {_ms(got)}, expected {_ms(expected)}"
            yield Fault(case.decides[0], message)
            return


def _test_stall(case: Case, observed: Plain) -> Iterable[Fault]:
    call, truth = _call("stall_share", case.inputs), _simulated(case).stall_share
    # Who is wrong about a full queue is so once, not twice; a made-up end is no such slip.
    own_end, end = observed["last_done"], _simulated(case).done_s[-1]
    if end / _SLIP <= own_end <= end * _SLIP:
        own = 1 - sum(case.inputs["computes_s"]) / own_end
        if is_close(observed["got"], own, _REL):
            return
    yield from number_fault("stall", call, observed["got"], truth)


def _simulated(case: Case) -> Feeding:
    return feed(*(case.inputs[key] for key in ("loads_s", "computes_s", "depth")))


def _test_bottleneck(case: Case, observed: Plain) -> Iterable[Fault]:
    load_s, compute_s = sum(case.inputs["loads_s"]), sum(case.inputs["computes_s"])
    if observed["got"] != ("loader" if load_s > compute_s else "device"):
        message = (
            f'it said "{observed["got"]}" of {len(case.inputs["loads_s"])} steps in which all '
            f"loads take {_ms(load_s)} and all steps {_ms(compute_s)}"
        )
        yield Fault("bottleneck", message)


def _ms(time_s: float) -> str:
    return f"{1e3 * time_s:.6g} ms" if np.isfinite(time_s) else show(time_s)


def _call(name: str, given: Mapping[str, Any]) -> str:
    lists = ", ".join(f"[{', '.join(map(show, given[key]))}]" for key in ("loads_s", "computes_s"))
    return f"{name}({lists}, {given['depth']})"


JUDGE = Judge(
    title="Who waits for whom",
    properties=(
        Property(
            "step-time",
            "`step_s`: a step with and without overlap",
            1,
            "In that step, what do loader and device do at the same time, and what do they do in "
            "turn?",
            _test_step,
        ),
        Property(
            "done",
            "`done_times` is right while the queue is never full",
            1,
            "Take the first step that is off. When is its batch there, when is the device free, "
            "and how long does the step take?",
            _test_done,
        ),
        Property(
            "full-queue",
            "and where the loader waits for room",
            2,
            "Take the first step that is off. When is there room for its batch, when is it taken, "
            "and how long does the step take?",
            _test_done,
        ),
        Property(
            "stall",
            "`stall_share`: the time the device waits, including for the first batch",
            1,
            "When is the last step done, and for how much of the time from 0 until then does the "
            "device wait?",
            _test_stall,
        ),
        Property(
            "bottleneck",
            "`bottleneck` names the side with more to do",
            1,
            "A long queue evens out single batches. Over the whole run, which of the two has more "
            "to do?",
            _test_bottleneck,
        ),
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
    predictions={
        "stall-fraction": Prediction(
            "a batch takes 3 ms to load, but every eighth takes 43 ms: 8 ms on average. A step "
            "takes 10 ms. With a queue of one place, what percentage of the time does the device "
            "wait?",
            truth=22.4,
            unit="%",
            because="While a slow batch is loaded for 43 ms, the device has two steps: the one it "
            "has just started and the one in the queue, 20 ms. So in every 103 ms, it "
            "waits for 23. The loader is fast again afterwards, but it cannot get ahead: "
            "the queue is full.",
        )
    },
)
