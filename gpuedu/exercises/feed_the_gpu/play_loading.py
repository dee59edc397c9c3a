"""Plays of the lesson feed-the-gpu on what a busy GPU is, and on loading: the first half."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gpuedu.errors import AnswerError
from gpuedu.exercises.contract import Answer, Play
from gpuedu.exercises.feed_the_gpu.prefetch_runs import AMBIGUOUS, BAD, Wanted, watch
from gpuedu.exercises.feed_the_gpu.stages import Stages
from gpuedu.exercises.plain import describe, number, numbers

Inputs = Mapping[str, Any]


def play_three_utilisations(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """The three shares of one window; the list is copied for each, so that none can spoil it."""
    gpu_util, sm_active, memory_share = answers
    window = inputs["start_s"], inputs["end_s"]
    kernels = inputs["kernels"]
    calls = {
        "gpu_util": lambda: gpu_util(list(kernels), *window),
        "sm_active": lambda: sm_active(list(kernels), *window, inputs["sms"]),
        "memory_share": lambda: memory_share(list(kernels), *window, inputs["peak_bytes_per_s"]),
    }
    return {name: number(call(), f"{name}'s result") for name, call in calls.items()}


def play_stall_fraction(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """The time of a step, when steps are done, a share, or a name."""
    step_s, done_times, stall_share, bottleneck = answers
    if inputs["ask"] == "step":
        got = step_s(inputs["load_s"], inputs["compute_s"], inputs["overlap"])
        return {"got": number(got, "the time of a step")}
    loads_s, computes_s = list(inputs["loads_s"]), list(inputs["computes_s"])
    if inputs["ask"] == "done":
        got = done_times(loads_s, computes_s, inputs["depth"])
        return {"got": numbers(got, len(inputs["loads_s"]), "done_times' result")}
    if inputs["ask"] == "stall":
        got = stall_share(loads_s, computes_s, inputs["depth"])
        return {"got": number(got, "the share")}
    name = bottleneck(loads_s, computes_s)
    if type(name) is not str or name not in BOTTLENECKS:
        wanted = " or ".join(f'"{one}"' for one in BOTTLENECKS)
        raise AnswerError(f"bottleneck's result should be {wanted}, got {describe(name)}")
    return {"got": name}


def play_prefetch(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """What arrived, who was left, and how far the thread ran ahead, on the simulated clock."""
    (prefetch,) = answers
    count = len(inputs["reads_s"])
    items = _with_nothings(count) if inputs["kinds"] != "numbers" else None
    fault = FAULTS[inputs["fault"]](BAD)
    wanted = Wanted(
        inputs["reads_s"],
        inputs["steps_s"],
        inputs["depth"],
        stop_after=inputs["stop_after"],
        fault_at=inputs["fault_at"],
        items=items,
        fault=fault,
        seed=inputs["seed"],
    )
    try:
        seen = watch(prefetch, wanted)
    except ValueError as compared:
        if AMBIGUOUS in str(compared):
            raise AnswerError(
                "an item, an array here, was compared by `==`: that compares its elements",
                remedy="Whether something *is* your mark for the end, `is` tells.",
            ) from None
        raise
    return {
        "got": list(seen.got),
        "raised": seen.raised,
        "instead": seen.instead,
        "stuck": seen.stuck,
        "waiting": [list(pair) for pair in seen.waiting],
        "left": [list(pair) for pair in seen.left],
        "ahead": seen.ahead,
        "late": seen.late,
        "end_s": seen.end_s,
        "overlap_s": seen.timeline.overlap_s("disk", "compute"),
    }


def play_workers(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """A rate, a number of workers, or what generators draw, each made twice."""
    batches_per_s, knee, worker_rng = answers
    if inputs["ask"] == "rng":
        triples = [tuple(triple) for triple in inputs["triples"]]
        draws = [_draw(worker_rng(*triple)) for triple in triples]
        again = [_draw(worker_rng(*triple)) for triple in reversed(triples)]
        return {"draws": draws, "again": again[::-1]}
    stages = [inputs[field] for field in Stages._fields]
    if inputs["ask"] == "knee":
        return {"got": number(knee(*stages), "the number of workers")}
    return {"got": number(batches_per_s(inputs["workers"], *stages), "the rate")}


def _draw(rng: Any) -> list[int]:
    """Two large numbers, of which no two generators draw the same by chance."""
    if not isinstance(rng, np.random.Generator):
        raise AnswerError(
            f"worker_rng should return a NumPy generator, got {describe(rng)}",
            remedy="`np.random.default_rng(...)` makes one.",
        )
    return [int(n) for n in np.random.Generator.integers(rng, 2**62, size=2)]


def _with_nothings(count: int) -> list[Any]:
    """Items among which are 0, None, an empty text and an exception; the others are arrays."""
    special = {1: 0, 3: None, 4: "", 6: RuntimeError("a picture that could not be decoded")}
    return [special.get(i, np.full(3, i)) for i in range(count)]


FAULTS = {one.__name__: one for one in (OSError, ValueError, RuntimeError, KeyError, SystemExit)}
"""What the source may raise, by name."""
BOTTLENECKS = ("loader", "device")
_WINDOW = ("kernels", "start_s", "end_s")

LOADING_PLAYS = {
    "three-utilisations": Play(
        (
            Answer("gpu_util", signature=_WINDOW),
            Answer("sm_active", signature=(*_WINDOW, "sms")),
            Answer("memory_share", signature=(*_WINDOW, "peak_bytes_per_s")),
        ),
        play_three_utilisations,
    ),
    "stall-fraction": Play(
        (
            Answer("step_s", signature=("load_s", "compute_s", "overlap")),
            Answer("done_times", signature=("loads_s", "computes_s", "depth")),
            Answer("stall_share", signature=("loads_s", "computes_s", "depth")),
            Answer("bottleneck", signature=("loads_s", "computes_s")),
        ),
        play_stall_fraction,
    ),
    "prefetch": Play(
        (Answer("prefetch", signature=("source", "depth")),),
        play_prefetch,
        observes="threads and waits on a simulated clock",
    ),
    "workers": Play(
        (
            Answer("batches_per_s", signature=("workers", *Stages._fields)),
            Answer("knee", signature=Stages._fields),
            Answer("worker_rng", signature=("seed", "epoch", "worker")),
        ),
        play_workers,
    ),
}
