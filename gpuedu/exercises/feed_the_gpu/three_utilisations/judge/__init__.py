"""three-utilisations: how busy a GPU was, told three ways from one list of kernels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from gpuedu.exercises.contract import Case, Judge, Prediction
from gpuedu.exercises.feed_the_gpu.three_utilisations.judge.utilizations import (
    gpu_util,
    memory_share,
    sm_active,
)
from gpuedu.exercises.functions import right_result
from gpuedu.units import MS


def cases(rng: np.random.Generator) -> list[Case]:
    """Gaps, streams that overlap or do the same, kernels across the edges, one alone, none."""
    return [
        *(case for _ in range(2) for case in _cases(rng, _GAPS, _in_turn(rng), _INNER)),
        *(case for _ in range(3) for case in _cases(rng, _TWO, _two_streams(rng), _STREAMS)),
        *(case for _ in range(2) for case in _cases(rng, _EDGES, _across(rng), _WINDOW)),
        *_cases(rng, "a kernel longer than the window", _longer(rng), _WINDOW),
        *_cases(rng, "one block, all the time", [(0, 40, 1, _gb(rng, 1))], _INNER, (0, 40)),
        *_cases(rng, "no kernel at all", [], _WINDOW),
        *_cases(rng, "short kernels on another GPU", _short(rng), _INNER, device=_OF_ANOTHER),
        *_cases(rng, "three streams that do the same", _thrice(rng), _STREAMS),
    ]


_GAPS, _TWO = "a stream with gaps", "two streams"
_EDGES = "kernels across the window's edges"
_SUMS = (("sm_active", "sm-active"), ("memory_share", "memory"))
_INNER = (("gpu_util", "any-kernel"), *_SUMS)
_STREAMS = (("gpu_util", "overlap"), *_SUMS)
_WINDOW = tuple((name, "window") for name in ("gpu_util", "sm_active", "memory_share"))
"""Functions that are called, and what a case decides of each."""
_OF_THE_DEVICE = {"sm_active": {"sms": 132}, "memory_share": {"peak_bytes_per_s": 3e12}}
_OF_ANOTHER = {"sm_active": {"sms": 108}, "memory_share": {"peak_bytes_per_s": 2e12}}


def _cases(
    rng: np.random.Generator,
    label: str,
    kernels_ms: Sequence[tuple[float, float, int, float]],
    asked: Sequence[tuple[str, str]],
    window_ms: tuple[int, int] = (20, 60),
    device: Mapping[str, Mapping[str, float]] = _OF_THE_DEVICE,
) -> Iterator[Case]:
    """All times are stretched, so that windows have many lengths."""
    unit_s = int(rng.integers(5, 9)) / 4 * MS
    kernels = [(_at(a, unit_s), _at(b, unit_s), sms, size) for a, b, sms, size in kernels_ms]
    window = {"start_s": _at(window_ms[0], unit_s), "end_s": _at(window_ms[1], unit_s)}
    for name, prop in asked:
        given = {"kernels": kernels, **window, **device.get(name, {})}
        yield Case(label, {"call": name, **given}, (prop,))


def _at(mark: float, unit_s: float) -> float:
    """In whole microseconds."""
    return round(mark * unit_s, 6)


def _gb(rng: np.random.Generator, most: int) -> float:
    """A number of bytes: at most ``most`` GB for each ms, which is a third of the peak."""
    return float(rng.integers(1, 10 * most)) * 1e8


def _in_turn(rng: np.random.Generator) -> list[tuple[int, int, int, float]]:
    marks = 20 + np.sort(rng.choice(np.arange(1, 39), 6, replace=False))
    pairs = zip(marks[::2].tolist(), marks[1::2].tolist(), strict=True)
    return [(a, b, int(rng.integers(10, 133)), _gb(rng, b - a)) for a, b in pairs]


def _short(rng: np.random.Generator) -> list[tuple[float, float, int, float]]:
    """Kernels of some microseconds: who looks now and then does not see them."""
    starts = 20 + np.sort(rng.choice(np.arange(1, 39), 6, replace=False))
    spans = [(float(a), float(a) + int(rng.integers(3, 30)) / 1e3) for a in starts]
    return [(a, b, int(rng.integers(10, 109)), float(rng.integers(1, 50)) * 1e6) for a, b in spans]


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


def _thrice(rng: np.random.Generator) -> list[tuple[int, int, int, float]]:
    """Each kernel runs three times at the same time, and its entries in the list are equal."""
    a, b, c, d = (20 + np.sort(rng.choice(np.arange(1, 39), 4, replace=False))).tolist()
    drawn = [
        (*span, int(rng.integers(10, 45)), _gb(rng, span[1] - span[0])) for span in ((a, b), (c, d))
    ]
    return [*drawn, *drawn, *drawn]


def _across(rng: np.random.Generator) -> list[tuple[int, int, int, float]]:
    starts = [int(rng.integers(5, 16)), int(rng.integers(30, 36)), int(rng.integers(54, 58))]
    ends = [int(rng.integers(23, 28)), int(rng.integers(38, 46)), int(rng.integers(64, 80))]
    spans = [*zip(starts, ends, strict=True), (2, 4), (90, 95)]
    drawn = [(a, b, int(rng.integers(10, 133)), _gb(rng, b - a)) for a, b in spans]
    return [drawn[i] for i in rng.permutation(5)]


def _longer(rng: np.random.Generator) -> list[tuple[int, int, int, float]]:
    a, b = int(rng.integers(2, 15)), int(rng.integers(70, 99))
    return [(a, b, int(rng.integers(10, 133)), _gb(rng, b - a))]


JUDGE = Judge(
    title="Three ways to say how busy a GPU is",
    properties=(
        right_result(
            "any-kernel",
            "`gpu_util`: the share of time in which a kernel ran",
            1,
            {"gpu_util": gpu_util},
            asks="In which parts of the window did a kernel run? How long are these together, and "
            "how long is the window?",
        ),
        right_result(
            "overlap",
            "kernels that run at the same time count once in it",
            1,
            {"gpu_util": gpu_util},
            asks="From when to when does at least one kernel run, and which of these times does "
            "yours count: once, twice, not at all?",
        ),
        right_result(
            "sm-active",
            "`sm_active`: the mean share of the SMs in use",
            1,
            {"sm_active": sm_active},
            asks="How many SMs does each kernel use, and for how long? And if all SMs were in use "
            "for the whole window?",
        ),
        right_result(
            "memory",
            "`memory_share`: bytes moved, of those that could have been",
            1,
            {"memory_share": memory_share},
            asks="How many bytes were moved in the window, and how many could the memory have "
            "moved in all of its time?",
        ),
        right_result(
            "window",
            "only what lies inside the window counts, in all three",
            1,
            {"gpu_util": gpu_util, "sm_active": sm_active, "memory_share": memory_share},
            asks="Take the kernels of that call one by one. What part of each lies in the window, "
            "and "
            "what share of the whole window is that in total?",
        ),
    ),
    hints=(
        "Cut every kernel to the window first: which start is later, which end is sooner? For the "
        "SMs and the bytes, what is left is a sum over the kernels.",
        "For `gpu_util`, sort the kernels by start and keep `reached`, the time up to which the "
        "busy time is counted. What does a kernel from `a` to `b` add if it starts before "
        "`reached`? And where is `reached` after it, if it also ends before?",
        "With `a = max(start, start_s)` and `b = min(end, end_s)` of a kernel, it counts if "
        "`b > a`. Busy time, in the order of the starts: "
        "`busy += max(0, b - max(a, reached)); reached = max(reached, b)`. SM time: "
        "`(b - a) * sms`. Bytes: `size_bytes * (b - a) / (end - start)`.",
    ),
    cases=cases,
    predictions={
        "three-utilisations": Prediction(
            "a kernel with a single block runs without a break on a GPU with 132 SMs. What does "
            "nvidia-smi show as its utilization, in percent?",
            truth=100.0,
            unit="%",
            because="That is the share of time in which at least one kernel ran, however small. "
            "Only 1 of the 132 SMs was busy: 0.76%.",
        )
    },
)
