"""workers: how many loader workers pay, held against the simulation; and what numbers they draw."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from gpuedu.clock import simulate_loading
from gpuedu.exercises.compare import Misconception, likely_cause, show, show_apart
from gpuedu.exercises.contract import Case, Fault, Judge, Plain, Prediction, Property
from gpuedu.exercises.feed_the_gpu.workers.stages import Stages, loading_of

_REL = 0.01
"""The simulation's rate is exact where its second half is whole rounds of the workers."""
_BATCHES = 120
_BEST = 0.995
_MOST = 12
_LIMITS = {"device": "limits", "disk": "limits", "cores": "limit"}
_LARGE = (0, 1, 2, 10, 11, 16, 64, 100, 128, 256, 1000, 1024, 10_000)
"""Numbers that collide where a seed has too few digits for an epoch or a worker."""
_LARGEST = (0, 1, 2**16 - 1, 2**16, 2**31, 2**32 - 1)
"""Up to the bound that the text gives: NumPy gives each number of a list 32 bits or more."""


@lru_cache(maxsize=256)
def simulated_rate(stages: Stages, workers: int) -> float:
    """Batches per second in the long run."""
    return simulate_loading(loading_of(stages), workers, batches=_BATCHES).batches_per_s


def simulated_knee(stages: Stages) -> int:
    """The fewest workers that reach what ``_MOST`` workers reach."""
    best = simulated_rate(stages, _MOST)
    return next(w for w in range(1, _MOST + 1) if simulated_rate(stages, w) >= _BEST * best)


def pace_s(workers: int, stages: Stages) -> dict[str, float]:
    """How long each of those that work side by side is busy with a batch, on average."""
    read_s, decode_s, copy_s, step_s, cores = stages
    return {
        "main": copy_s + step_s,
        "disk": read_s,
        "cores": decode_s / cores,
        "workers": (read_s + decode_s) / max(workers, 1),
    }


def _without(*left_out: str, main_s: Callable[[Stages], float] | None = None) -> Callable[..., Any]:
    """The rate of somebody who forgets some of them, or takes another time for the main process."""

    def gives(workers: int, stages: Stages) -> float:
        known = pace_s(workers, stages)
        if main_s is not None:
            known["main"] = main_s(stages)
        return 1 / max(time_s for name, time_s in known.items() if name not in left_out)

    return gives


_RATES = (
    Misconception(
        lambda workers, stages: max(pace_s(workers, stages).values()),
        "That is seconds a batch. What is wanted is batches a second.",
    ),
    Misconception(
        _without("cores"),
        "More workers than cores do not decode any faster. How many batches a second do the cores "
        "decode, all together?",
    ),
    Misconception(
        _without("disk"),
        "All workers read from the same disk, which serves one at a time. What does it let "
        "through?",
    ),
    Misconception(
        _without("disk", "cores"),
        "That has a disk and a core for each worker. How many batches does one disk read at a "
        "time, and how many do the cores decode?",
    ),
    Misconception(
        _without("workers"),
        "That is what the disk, the cores and the main process can do. Do so few workers keep "
        "them busy?",
    ),
    Misconception(
        lambda workers, stages: (
            1 / max({**pace_s(workers, stages), "workers": stages.decode_s / workers}.values())
        ),
        "A worker reads its batch before it decodes it: for how long is it busy with one?",
    ),
    Misconception(
        _without(main_s=lambda stages: max(stages.copy_s, stages.step_s)),
        "The main process copies, and then waits for the step: these two add up.",
    ),
    Misconception(
        _without(main_s=lambda stages: stages.step_s),
        "And the copy? The main process does it, before the step.",
    ),
    Misconception(
        lambda workers, stages: (
            1 / ((stages.read_s + stages.decode_s) / workers + stages.copy_s + stages.step_s)
        ),
        "That adds up what happens at the same time. While the device computes, the workers make "
        "the next batches: who is the slowest of all?",
    ),
)


def cases(rng: np.random.Generator) -> list[Case]:
    """Every stage as the limit in turn; streams of neighbouring workers, epochs and runs."""
    kinds = ("device", "disk", "cores", "device", "device")
    drawn = [_stages(rng, kind) for kind in kinds[:-1]]
    drawn.append(_stages(rng, "device", is_close=True))
    rates = [_rate_case(stages, 0, "no-workers") for stages in drawn[:2]]
    for kind, stages in zip(kinds, drawn, strict=True):
        knee = simulated_knee(stages)
        for workers in sorted({1, max(knee - 1, 1), knee, 12}):
            rates.append(_rate_case(stages, workers, "rate"))
        inputs = {"ask": "knee", **stages._asdict()}
        rates.append(Case(f"a loop that the {kind} {_LIMITS[kind]}", inputs, ("knee",)))
    seed = int(rng.integers(2, 100_000))
    grids = [
        _grid("workers of one epoch", [seed], range(1), range(16)),
        _grid("epochs of one run", [seed], range(6), range(4)),
        _grid("neighbouring runs", [0, 1, seed, seed + 1, seed + 1000], range(3), range(4)),
        _grid("many workers", [seed], range(4), range(64)),
        _grid("many epochs, many workers", [seed, seed + 1, seed + 10], _LARGE, _LARGE),
        _grid("numbers up to 2**32 - 1", [seed, 2**16 + seed, 2**32 - 1], _LARGEST, _LARGEST),
    ]
    return rates + grids


def _rate_case(stages: Stages, workers: int, prop: str) -> Case:
    inputs = {"ask": "rate", "workers": workers, **stages._asdict()}
    return Case(f"{workers} worker{'' if workers == 1 else 's'}", inputs, (prop,))


def _grid(label: str, seeds: Sequence[int], epochs: Sequence[int], workers: Sequence[int]) -> Case:
    triples = [(s, e, w) for s in seeds for e in epochs for w in workers]
    return Case(label, {"ask": "rng", "triples": triples}, ("distinct", "repeats"))


def _stages(rng: np.random.Generator, limit: str, *, is_close: bool = False) -> Stages:
    """Times of whole 0.1 ms, such that the knee lies clear of its neighbours.

    With ``is_close``, a worker fewer reaches between 95.5% and 98% of the best rate.
    """
    while True:
        tenths = {
            "device": ((5, 20), (60, 150), (5, 15), (25, 50), (5, 9)),
            "disk": ((40, 60), (60, 120), (3, 8), (15, 25), (5, 9)),
            "cores": ((5, 20), (90, 180), (3, 8), (15, 25), (2, 5)),
        }[limit]
        read, decode, copy, step, cores = (int(rng.integers(a, b)) for a, b in tenths)
        slowest = max(copy + step, read, decode / cores)
        ratio = (read + decode) / slowest
        limits = {"device": copy + step, "disk": read, "cores": decode / cores}
        others = [value for name, value in limits.items() if name != limit]
        fits = 0.955 < int(ratio) / ratio < 0.98 if is_close else 0.15 < ratio % 1 < 0.9
        if limits[limit] > 1.15 * max(others) and fits and 1 < ratio < 6:
            times = (round(value * 1e-4, 6) for value in (read, decode, copy, step))
            return Stages(*times, cores)


def verdict(case: Case, observed: Plain) -> Iterable[Fault]:
    """A rate, a number of workers, or what generators draw."""
    inputs = case.inputs
    if inputs["ask"] == "rng":
        yield from _judge_draws(inputs["triples"], observed)
        return
    stages = Stages(*(inputs[field] for field in Stages._fields))
    if inputs["ask"] == "knee":
        yield from _judge_knee(stages, observed["got"])
        return
    (prop,) = case.decides
    workers, got = inputs["workers"], observed["got"]
    truth = simulated_rate(stages, workers)
    if abs(got - truth) <= _REL * truth:
        return
    told, wanted = show_apart(got, float(f"{truth:.6g}"))
    message = (
        f"`batches_per_s({workers}, {_spelled(stages)})` gave {told}; the simulation reaches "
        f"{wanted} batches a second"
    )
    yield Fault(prop, message, _why_rate(got, workers, stages))


def _why_rate(got: float, workers: int, stages: Stages) -> str:
    if workers == 0:
        return "Without workers the main process does everything: read, decode, copy, step."
    cause = likely_cause(got, _RATES, {"workers": workers, "stages": stages}, _REL)
    return cause or "Which stage is the slowest, and how many batches a second does it let through?"


def _judge_knee(stages: Stages, got: float) -> Iterable[Fault]:
    truth = simulated_knee(stages)
    if got == truth:
        return
    best = simulated_rate(stages, _MOST)
    whole = float(got).is_integer() and 1 <= got <= _MOST
    reached = f"{simulated_rate(stages, int(got)):.4g}" if whole else ""
    told = f" With {show(got)} it reaches {reached} batches a second," if whole else ""
    message = f"`knee({_spelled(stages)})` gave {show(got)}, expected {truth}."
    message += f"{told} with many {best:.4g}" if whole else ""
    if not whole:
        cause = "That is no whole number of workers, from 1 on. Which comes next?"
    elif got < truth:
        cause = "What must the workers keep up with? And is a half worker more rounded up?"
    else:
        cause = f"With {truth} it is as fast already. What is the slowest then?"
    yield Fault("knee", message.removesuffix("."), cause)


def _spelled(stages: Stages) -> str:
    return ", ".join(map(show, stages))


def _judge_draws(triples: Sequence[Sequence[int]], observed: Plain) -> Iterable[Fault]:
    first, second = observed["draws"], observed["again"]
    for triple, one, other in zip(triples, first, second, strict=True):
        if list(one) != list(other):
            yield Fault(
                "repeats",
                f"`worker_rng({_args(triple)})` drew other numbers when it was called again",
                "A run that cannot be repeated cannot be debugged. What is the seed made of?",
            )
            break
    seen: dict[tuple[int, ...], Sequence[int]] = {}
    for triple, draws in zip(triples, first, strict=True):
        twin = seen.setdefault(tuple(draws), triple)
        if twin is not triple:
            yield Fault(
                "distinct",
                f"`worker_rng({_args(twin)})` and `worker_rng({_args(triple)})` draw the same "
                "numbers",
                _why_twins(twin, triple),
            )
            return


_NAMES = ("seed", "epoch", "worker")


def _why_twins(one: Sequence[int], other: Sequence[int]) -> str:
    differ = [name for name, a, b in zip(_NAMES, one, other, strict=True) if a != b]
    if differ == ["worker"]:
        return "All workers would augment alike: batch after batch the same flips."
    if differ == ["epoch"]:
        return "Every epoch would augment alike. What else must go into the seed?"
    if differ == ["seed"]:
        return "Two runs with different seeds would be the same run."
    return (
        f"Different {' and '.join(differ)}, and the seed comes out the same. NumPy takes a list of "
        "numbers as a seed, `np.random.default_rng([...])`, and keeps numbers below 2**32 apart."
    )


def _args(triple: Sequence[int]) -> str:
    return ", ".join(map(str, triple))


JUDGE = Judge(
    title="How many workers",
    properties=(
        Property("no-workers", "`batches_per_s` without workers: one thing after the other", 1),
        Property("rate", "and with workers: the slowest stage", 2),
        Property("knee", "`knee`: the fewest workers that reach the best rate", 1),
        Property("distinct", "every worker, epoch and run draws other numbers", 1),
        Property("repeats", "the same worker, epoch and run draws the same again", 1),
    ),
    hints=(
        "Four things work side by side: the disk, the cores, the workers, the main process. How "
        "long is each of them busy with one batch, on average?",
        "The disk needs `read_s` for a batch, the cores together `decode_s / cores`, the workers "
        "together `(read_s + decode_s) / workers`, the main process `copy_s + step_s`. The largest "
        "sets the pace. Which of the four does another worker make shorter?",
        "`1 / max(...)` of the four. The knee: with `slowest = max(copy_s + step_s, read_s, "
        "decode_s / cores)`, the least whole number from which `(read_s + decode_s) / workers` is "
        "no longer above it: `math.ceil` of a quotient. And "
        "`np.random.default_rng([seed, epoch, worker])`: below 2**32, each number has its own 32 "
        "bits of the seed.",
    ),
    cases=cases,
    verdict=verdict,
    predictions={
        "workers": Prediction(
            "a batch is read in 1.5 ms and decoded in 9 ms, by workers on 4 cores. The main "
            "process copies it in 0.5 ms and waits for a step of 2.5 ms. From how many workers on "
            "do more of them not help?",
            truth=4.0,
            unit="workers",
            because="The main process needs 3 ms a batch, a worker 10.5 ms: 3.5 workers keep up, "
            "so 4. The disk (1.5 ms) and the cores (9 / 4 ms) could do more.",
        )
    },
)
