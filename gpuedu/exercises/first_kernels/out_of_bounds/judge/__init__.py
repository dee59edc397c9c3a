"""out-of-bounds: say who reads past the end, and mend the kernel."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial

import numpy as np

from gpuedu.exercises.contract import Case, Fault, Inputs, Judge, Plain, Property
from gpuedu.exercises.kernels.properties import inside, right_values
from gpuedu.exercises.kernels.shapes import LaunchShape

SIZE, THREADS = 1000, 256
"""The elements that the given kernel gets, and the threads of its blocks."""

KEYS = ("line", "block", "thread", "index")
_EPSILON = float(np.finfo(np.float32).eps)


def truths(size: int, threads: int) -> Mapping[str, int]:
    """The thread that reads past the end, and its place, for a size and the threads of a block."""
    return {
        "line": 5,
        "block": (size - 1) // threads,
        "thread": (size - 1) % threads,
        "index": size,
    }


def cases(rng: np.random.Generator, size: int = SIZE, threads: int = THREADS) -> list[Case]:
    """The four values, then the mended kernel on lengths around the size of a block."""
    asked = [Case(f'found["{key}"]', {"ask": "found", "key": key}, ("found",)) for key in KEYS]
    given = (size, -(-size // threads), threads)
    launches = (given, (64, 2, 32), (33, 2, 32), (2, 1, 32), (1, 1, 32))
    return asked + [_case(rng, *launch) for launch in launches]


def _case(rng: np.random.Generator, n: int, blocks: int, threads: int) -> Case:
    x = rng.normal(0, 5, n).astype(np.float32)
    level = rng.permutation(n - 1)[: n // 16]
    x[level + 1] = x[level]  # a rise of 0 is to be written, too
    inputs = {
        "ask": "kernel",
        "x": x,
        "out": rng.uniform(100, 200, n).astype(np.float32),
        "grid": blocks,
        "block": threads,
    }
    return Case(f"n = {n}, {LaunchShape(blocks, threads)}", inputs, ("right", "inside"))


def rises(inputs: Inputs) -> np.ndarray:
    """From each element to the next, and 0 for the last; float64."""
    return np.append(np.diff(inputs["x"].astype(np.float64)), 0.0)


def one_rounding(inputs: Inputs) -> np.ndarray:
    """Room for a rounding in float32."""
    size = np.abs(inputs["x"].astype(np.float64))
    return _EPSILON * (size + np.append(size[1:], 0.0))


def judge_of(size: int = SIZE, threads: int = THREADS) -> Judge:
    """The judge where the given kernel gets so many elements, and blocks of so many threads."""
    right = truths(size, threads)

    def found(case: Case, observed: Plain) -> Iterable[Fault]:
        key, got = case.inputs["key"], observed["got"]
        if got != right[key]:
            what = "index" if key == "index" else f"number of the {key}"
            yield Fault("found", f"{got} is not the {what}")

    return Judge(
        title="Past the end",
        properties=(
            Property(
                "found",
                "line, block, thread and index of the read past the end",
                2,
                "The report names it in its line about the hazard. What is counted there, and from "
                "which number?",
                found,
            ),
            right_values(
                "right",
                "every element of `out` is right, the last one 0",
                1,
                rises,
                tolerance=one_rounding,
                leaves=("x",),
            ),
            inside(
                1,
                asks="Which element is that thread's own, does it have a right neighbor, and which "
                "index does the line use?",
            ),
        ),
        hints=(
            "The report lists hazards above its table. What does the first one say?",
            'It reads "line L: thread T of block B reads `x[I]`". The dict asks for these four. In '
            "the kernel, the last thread with an element needs a case of its own.",
            "Under the guard: where `i + 1 < x.size`, write the difference, else write 0.",
        ),
        results=("right",),
        apart=("found",),
        cases=partial(cases, size=size, threads=threads),
    )


JUDGE = judge_of()
