"""three-utilisations: how busy a GPU was, told three ways from one list of kernels."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from gpuedu.exercises.compare import likely_cause, number_fault
from gpuedu.exercises.contract import Case, Fault, Judge, Plain, Prediction, Property
from gpuedu.exercises.feed_the_gpu.three_utilisations.judge.utilisations import (
    TRUTHS,
    misconceptions,
)
from gpuedu.units import MS

SMS, PEAK_BYTES_PER_S = 132, 3e12


def cases(rng: np.random.Generator) -> list[Case]:
    """Gaps, streams that overlap, kernels across the edges, one block alone, and nothing."""
    return [
        *(_case("a stream with gaps", _in_turn(rng), _INNER) for _ in range(2)),
        *(_case("two streams", _two_streams(rng), _STREAMS) for _ in range(3)),
        *(_case("kernels across the window's edges", _across(rng), ("window",)) for _ in range(2)),
        _case("a kernel longer than the window", _longer(rng), ("window",)),
        _case("one block, all the time", [(0, 40, 1, _gb(rng, 1))], _INNER, (0, 40)),
        _case("no kernel at all", [], ("window",)),
    ]


_INNER = ("any-kernel", "sm-active", "memory")
_STREAMS = ("overlap", "sm-active", "memory")
_WINDOW_MS = (20, 60)


def _case(
    label: str,
    kernels_ms: Sequence[tuple[int, int, int, float]],
    decides: tuple[str, ...],
    window_ms: tuple[int, int] = _WINDOW_MS,
) -> Case:
    kernels = [(round(a * MS, 3), round(b * MS, 3), sms, size) for a, b, sms, size in kernels_ms]
    inputs = {
        "kernels": kernels,
        "start_s": window_ms[0] * MS,
        "end_s": window_ms[1] * MS,
        "sms": SMS,
        "peak_bytes_per_s": PEAK_BYTES_PER_S,
    }
    return Case(label, inputs, decides)


def _gb(rng: np.random.Generator, most: int) -> float:
    """A number of bytes: at most ``most`` GB for each ms, which is a third of the peak."""
    return float(rng.integers(1, 10 * most)) * 1e8


def _in_turn(rng: np.random.Generator) -> list[tuple[int, int, int, float]]:
    marks = 20 + np.sort(rng.choice(np.arange(1, 39), 6, replace=False))
    pairs = zip(marks[::2].tolist(), marks[1::2].tolist(), strict=True)
    return [(a, b, int(rng.integers(10, 133)), _gb(rng, b - a)) for a, b in pairs]


def _two_streams(rng: np.random.Generator) -> list[tuple[int, int, int, float]]:
    """One inside of another, one across its end, one alone: the last one in time comes first."""
    a, b = int(rng.integers(22, 26)), int(rng.integers(40, 44))
    spans = [
        (a, b),
        (a + int(rng.integers(2, 5)), a + int(rng.integers(6, 10))),
        (b - int(rng.integers(1, 5)), b + int(rng.integers(2, 5))),
        (52 + int(rng.integers(0, 3)), 56 + int(rng.integers(0, 3))),
    ]
    first, last = int(rng.integers(10, 61)), int(rng.integers(10, 71))
    used = [first, last, last, last]
    drawn = [
        (*span, sms, _gb(rng, span[1] - span[0])) for span, sms in zip(spans, used, strict=True)
    ]
    return [drawn[3], *(drawn[i] for i in rng.permutation(3))]


def _across(rng: np.random.Generator) -> list[tuple[int, int, int, float]]:
    starts = [int(rng.integers(5, 16)), int(rng.integers(30, 36)), int(rng.integers(54, 58))]
    ends = [int(rng.integers(23, 28)), int(rng.integers(38, 46)), int(rng.integers(64, 80))]
    spans = [*zip(starts, ends, strict=True), (2, 4), (90, 95)]
    drawn = [(a, b, int(rng.integers(10, 133)), _gb(rng, b - a)) for a, b in spans]
    return [drawn[i] for i in rng.permutation(5)]


def _longer(rng: np.random.Generator) -> list[tuple[int, int, int, float]]:
    a, b = int(rng.integers(2, 15)), int(rng.integers(70, 99))
    return [(a, b, int(rng.integers(10, 133)), _gb(rng, b - a))]


_FUNCTION_OF = {
    "any-kernel": ("gpu_util",),
    "overlap": ("gpu_util",),
    "sm-active": ("sm_active",),
    "memory": ("memory_share",),
    "window": ("gpu_util", "sm_active", "memory_share"),
}


def verdict(case: Case, observed: Plain) -> Iterable[Fault]:
    """Each number against the truth; a case tells which of them it decides."""
    for prop in case.decides:
        for name in _FUNCTION_OF[prop]:
            got = observed[name]
            cause = likely_cause(got, misconceptions(name), case.inputs)
            yield from number_fault(
                prop, _call(name, case.inputs), got, TRUTHS[name](**case.inputs), cause=cause
            )


def _call(name: str, inputs: Mapping[str, Any]) -> str:
    """The learner's call as they could type it."""
    kernels = ", ".join(f"({a:g}, {b:g}, {sms}, {size:g})" for a, b, sms, size in inputs["kernels"])
    last = {"sm_active": f", {inputs['sms']}", "memory_share": f", {inputs['peak_bytes_per_s']:g}"}
    window = f"{inputs['start_s']:g}, {inputs['end_s']:g}"
    return f"{name}([{kernels}], {window}{last.get(name, '')})"


JUDGE = Judge(
    title="Three ways to say how busy a GPU is",
    properties=(
        Property("any-kernel", "`gpu_util`: the share of time in which a kernel ran", 1),
        Property("overlap", "kernels that run at the same time count once in it", 1),
        Property("sm-active", "`sm_active`: the mean share of the SMs in use", 1),
        Property("memory", "`memory_share`: bytes moved, of those that could have been", 1),
        Property("window", "only what lies inside the window counts, in all three", 1),
    ),
    hints=(
        "Cut every kernel to the window first: which start is later, which end is sooner? For the "
        "SMs and the bytes, what remains is a sum over the kernels.",
        "For `gpu_util`, sort the kernels by start and keep `reached`, the time up to which the "
        "busy time is counted. What does a kernel from `a` to `b` add if it starts before "
        "`reached`? And where is `reached` after it, if it also ends before?",
        "With `a = max(start, start_s)` and `b = min(end, end_s)` of a kernel, it counts if "
        "`b > a`. Busy time, in the order of the starts: "
        "`busy += max(0, b - max(a, reached)); reached = max(reached, b)`. SM time: "
        "`(b - a) * sms`. Bytes: `size_bytes * (b - a) / (end - start)`.",
    ),
    cases=cases,
    verdict=verdict,
    predictions={
        "three-utilisations": Prediction(
            "a kernel of a single block runs without a break on a GPU of 132 SMs. What does "
            "nvidia-smi show as its utilisation, in per cent?",
            truth=100.0,
            unit="%",
            because="It is the share of time in which at least one kernel ran, however small. Of "
            "the SMs, 1 in 132 was busy: 0.76%.",
        )
    },
)
