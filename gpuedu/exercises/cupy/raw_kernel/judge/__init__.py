"""raw-kernel: a grid-stride loop in CUDA C, with its types."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from gpuedu.exercises.compare import array_fault
from gpuedu.exercises.contract import Case, Fault, Judge, Plain, Prediction, Property
from gpuedu.exercises.cupy.judge.arithmetic import single_faults
from gpuedu.exercises.kernels.costs import sector_faults
from gpuedu.exercises.kernels.faults import (
    ENDLESS,
    OUTSIDE,
    hazard_faults,
    idle_faults,
    repeated_faults,
)
from gpuedu.exercises.kernels.shapes import LaunchShape
from gpuedu.exercises.kernels.traffic import read_traffic

_EPSILON = float(np.finfo(np.float32).eps)
_COSTS = (1024, 4, 64)
_LAUNCHES = (
    # n, blocks, threads of a block; the first decides what it costs
    _COSTS,
    (10, 4, 64),
    (1000, 1, 32),
    (1, 1, 32),
    (129, 2, 64),
    (257, 2, 128),
    (997, 3, 96),
    (0, 2, 32),
)
_RIGHT = ("every", "once", "inside", "single")


def cases(rng: np.random.Generator) -> list[Case]:
    """More pixels than threads and fewer, lengths that nothing divides, and none."""
    return [_case(rng, *launch) for launch in _LAUNCHES]


def _case(rng: np.random.Generator, n: int, blocks: int, threads: int) -> Case:
    inputs = {
        "pixels": rng.integers(0, 256, n).astype(np.uint8),
        "out": rng.uniform(100, 200, n).astype(np.float32),  # no result is that large
        "mean": float(np.float32(rng.uniform(0.3, 0.6))),
        "std": float(np.float32(rng.uniform(0.2, 0.4))),
        "blocks": blocks,
        "threads": threads,
    }
    decides = _RIGHT + (("sectors",) if (n, blocks, threads) == _COSTS else ())
    if not n:
        decides = ("every", "once", "inside")
    return Case(f"n = {n}, {LaunchShape(blocks, threads)}", inputs, decides)


def true_normalised(pixels: np.ndarray, mean: float, std: float) -> np.ndarray:
    """(n,) float64: pixels as numbers from 0 to 1, minus the mean, over the deviation."""
    return (pixels.astype(np.float64) / 255 - mean) / std


def verdict(case: Case, observed: Plain) -> Iterable[Fault]:
    """Values, who wrote what, the bounds, the arithmetic, and the sectors."""
    inputs = case.inputs
    shape = LaunchShape(inputs["blocks"], inputs["threads"])
    expected = true_normalised(inputs["pixels"], inputs["mean"], inputs["std"])
    yield from hazard_faults(
        observed,
        {ENDLESS: "every"},
        {
            "runaway-loop": "What changes from one turn to the next, and can the condition become "
            "false? An unsigned number is never below 0.",
        },
    )
    yield from array_fault(
        "every",
        observed["out"],
        expected,
        tolerance=8 * _EPSILON / inputs["std"],
        cause=_why(case, observed, expected, shape),
    )
    if not np.array_equal(observed["pixels"], inputs["pixels"]):
        yield Fault("every", "`pixels` was changed by the kernel", "Where does the result go?")
    yield from repeated_faults("once", observed, shape, _why_again(observed, shape))
    yield from hazard_faults(
        observed,
        {OUTSIDE: "inside"},
        {
            "out-of-bounds": "For which `i` does a thread stop? A pointer does not know its "
            "length, `n` does. And if `n` is 0 and `i` unsigned, what is `n - 1`?",
            "negative-index": "Blocks, threads and elements count from 0. Is `i` that large that "
            "an int cannot hold it?",
        },
    )
    yield from idle_faults(observed, [p for p in case.decides if p not in ("every", "sectors")])
    if "single" in case.decides and case.inputs["pixels"].size:
        yield from single_faults("single", observed)
    if "sectors" in case.decides:
        yield from _sector_faults(observed)


def _sector_faults(observed: Plain) -> Iterable[Fault]:
    cause = "Neighbouring threads should take neighbouring elements in the same turn of the loop."
    for name, operation in (("pixels", "load"), ("out", "store")):
        traffic = read_traffic(observed[f"{name}_traffic"])
        yield from sector_faults("sectors", traffic, operation, name, cause=cause)


def _why(case: Case, observed: Plain, expected: np.ndarray, shape: LaunchShape) -> str:
    got, times = observed["out"].astype(np.float64), observed["times"]
    missing = np.flatnonzero(times == 0)
    if not expected.size:
        return ""
    if missing.size == expected.size:
        return "Nothing was written. Does any thread come into the loop?"
    if missing.size:
        return _why_missing(observed, missing, shape)
    return _slip(case, got)


def _why_missing(observed: Plain, missing: np.ndarray, shape: LaunchShape) -> str:
    n, threads = observed["times"].size, shape.blocks * shape.threads
    if not observed["complete"]:
        return "It was stopped before it came there."
    if np.array_equal(missing, np.arange(threads, n)):
        return "Each thread took one element. There are more elements than threads: who goes on?"
    whole = n // threads * threads
    if whole < n and np.array_equal(missing, np.arange(whole, n)):
        return (
            f"The last {n - whole} elements are missing: a division of whole numbers is rounded "
            "down. Who takes what is left over?"
        )
    if np.array_equal(missing, [n - 1]):
        return "Only the last element is missing. For which `i` does the loop end?"
    return "Which thread should have written it, and in which turn of its loop?"


def _slip(case: Case, got: np.ndarray) -> str:
    """The sentence of the known slip that gives these values."""
    pixels = case.inputs["pixels"].astype(np.float64)
    mean, std = case.inputs["mean"], case.inputs["std"]
    known = (
        (
            (pixels // 255 - mean) / std,
            "In C, a whole number over a whole number is a whole number: `200 / 255` is 0.",
        ),
        ((pixels - mean) / std, "The pixel was not brought to the range from 0 to 1."),
        (pixels / 255 - mean / std, "Mind the brackets: the difference is divided."),
        ((pixels / 256 - mean) / std, "White is 255, and should become 1."),
        ((pixels / 255 - std) / mean, "Are `mean` and `std` swapped?"),
        ((pixels / 255 - int(mean)) / std, "`mean` arrives as a whole number: see its type."),
        ((pixels / 255 - mean) * std, "It is divided by `std`, not multiplied."),
    )
    near = 1e-4 / std
    return next((says for gives, says in known if (np.abs(got - gives) <= near).all()), "")


def _why_again(observed: Plain, shape: LaunchShape) -> str:
    times = observed["times"]
    if times.size and (times == shape.blocks).all():
        return "Every block walked over the whole array. Where does each one begin?"
    return "How far does a thread go in one turn, and how many threads has the whole grid?"


JUDGE = Judge(
    title="The same walk in CUDA C",
    properties=(
        Property("every", "every element of `out` is right, for any n and any launch", 1),
        Property("once", "each element is written by one thread, once", 1),
        Property("inside", "no thread reads or writes outside the arrays", 1),
        Property("single", "all arithmetic is in float32", 1),
        Property("sectors", "neighbours read and write neighbours: whole sectors", 1),
    ),
    hints=(
        "You have written this loop in Python, with `cuda.grid(1)` and `cuda.gridsize(1)`. What "
        "are they in terms of `blockIdx.x`, `blockDim.x`, `threadIdx.x` and `gridDim.x`?",
        "A `for` in C has three parts: `for (int i = first; i < n; i += step)`. `pixels[i] / 255` "
        "divides whole numbers, `255.0` is a double: what is a 255 that is a float?",
        "`first` is `blockIdx.x * blockDim.x + threadIdx.x`, `step` is `blockDim.x * gridDim.x`; "
        "in the loop, `out[i]` from `pixels[i] / 255.0f`, `mean` and `std`.",
    ),
    cases=cases,
    verdict=verdict,
    predictions={
        "raw-kernel": Prediction(
            "in CUDA C, what is `7 / 2 * 2.0f`?",
            truth=6,
            because="`7 / 2` comes first, and both are whole numbers: 3. Then 3 becomes 3.0f.",
        )
    },
)
