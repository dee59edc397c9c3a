"""out-of-bounds: say who reads past the end, and mend the kernel."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial

import numpy as np

from gpuedu.exercises.compare import Misconception, array_fault, likely_cause
from gpuedu.exercises.contract import Case, Fault, Judge, Plain, Property
from gpuedu.exercises.kernels.faults import OUTSIDE, hazard_faults, idle_faults
from gpuedu.exercises.kernels.shapes import LaunchShape

SIZE, THREADS = 1000, 256
"""The elements that the given kernel gets, and the threads of its blocks."""

KEYS = ("line", "block", "thread", "index")
_EPSILON = float(np.finfo(np.float32).eps)


def truths(size: int, threads: int) -> Mapping[str, int]:
    """Who reads past the end where so many elements meet blocks of so many threads."""
    return {
        "line": 5,
        "block": (size - 1) // threads,
        "thread": (size - 1) % threads,
        "index": size,
    }


def _wrong(value: int, says: str) -> Misconception:
    return Misconception(lambda: value, says)


_KNOWN_LINES = (
    _wrong(4, "That line only compares. Or did you count from 0? The first line is line 1."),
    _wrong(3, "That line computes an index and touches no array."),
    _wrong(2, "Lines are counted from the top of the cell, the decorator is line 1."),
)


def _known(key: str, size: int, threads: int) -> tuple[Misconception, ...]:
    blocks = -(-size // threads)
    behind = size % threads
    return {
        "line": _KNOWN_LINES,
        "block": (
            _wrong(
                blocks, f"Blocks are counted from 0: the last of {blocks} is block {blocks - 1}."
            ),
        ),
        "thread": (
            _wrong(size - 1, "That is its index in the whole grid. Which one is it in its block?"),
            _wrong(size, "That is the element. Which thread of the block wants it?"),
            _wrong(behind, "Threads are counted from 0. The guard `i < out.size` stops that one."),
            _wrong(threads - 1, "That is the last thread of the block; the guard stops it."),
        ),
        "index": (
            _wrong(size - 1, "That is the last element, and it is there. Which one is not?"),
            _wrong(size + 1, "The first element has index 0. What is the index behind the last?"),
        ),
    }[key]


def cases(rng: np.random.Generator, size: int = SIZE, threads: int = THREADS) -> list[Case]:
    """The four values, then the mended kernel on lengths around the size of a block."""
    asked = [Case(f'found["{key}"]', {"ask": "found", "key": key}, ("found",)) for key in KEYS]
    given = (size, -(-size // threads), threads)
    launches = (given, (64, 2, 32), (33, 2, 32), (2, 1, 32), (1, 1, 32))
    return asked + [_case(rng, *launch) for launch in launches]


def _case(rng: np.random.Generator, n: int, blocks: int, threads: int) -> Case:
    inputs = {
        "ask": "kernel",
        "x": rng.normal(0, 5, n).astype(np.float32),
        "out": rng.uniform(100, 200, n).astype(np.float32),
        "blocks": blocks,
        "threads": threads,
    }
    return Case(f"n = {n}, {LaunchShape(blocks, threads)}", inputs, ("right", "inside"))


def verdict(
    case: Case, observed: Plain, size: int = SIZE, threads: int = THREADS
) -> Iterable[Fault]:
    """A value that was found, or the mended kernel."""
    if case.inputs["ask"] == "found":
        yield from _found(case.inputs["key"], observed["got"], size, threads)
        return
    x = case.inputs["x"].astype(np.float64)
    expected = np.append(np.diff(x), 0.0)
    tolerance = _EPSILON * (np.abs(x) + np.abs(np.append(x[1:], 0.0)))
    yield from array_fault(
        "right", observed["out"], expected, tolerance=tolerance, cause=_cause(observed, expected)
    )
    if not np.array_equal(observed["x"], case.inputs["x"]):
        yield Fault("right", "`x` was changed by the kernel", "Where does the result go?")
    yield from hazard_faults(
        observed,
        {OUTSIDE: "inside"},
        {"out-of-bounds": "Which thread has no right neighbour, and what does it do then?"},
    )
    yield from idle_faults(observed, ("inside",))


def _found(key: str, got: int, size: int, threads: int) -> Iterable[Fault]:
    if got != truths(size, threads)[key]:
        yield Fault(
            "found",
            f"{got} is not the {'number of the ' if key != 'index' else ''}{key}",
            likely_cause(got, _known(key, size, threads), {}),
        )


def _cause(observed: Plain, expected: np.ndarray) -> str:
    got = observed["out"].astype(np.float64)
    if np.allclose(got, -expected, rtol=1e-5, atol=1e-4) and got.any():
        return "That falls where `x` rises. Which of the two is subtracted?"
    if got.size > 2 and np.allclose(got[1:], expected[:-1], rtol=1e-5, atol=1e-4):
        return "That is the rise from the element before to this one. Which neighbour is meant?"
    if np.allclose(got[:-1], expected[:-1], rtol=1e-5, atol=1e-4):
        return "All but the last are right. It has no right neighbour: what should it be?"
    return ""


JUDGE = Judge(
    title="Past the end",
    properties=(
        Property("found", "line, block, thread and index of the read past the end", 2),
        Property("right", "every element of `out` is right, the last one 0", 1),
        Property("inside", "no thread reads or writes outside the arrays", 1),
    ),
    hints=(
        "The report lists hazards above its table. What does the first one say?",
        'It reads "line L: thread T of block B reads `x[I]`". The dict asks for these four. In the '
        "kernel, the last thread with an element needs a case of its own.",
        "Under the guard: where `i + 1 < x.size`, write the difference, else write 0.",
    ),
    cases=cases,
    verdict=verdict,
)


def judge_of(size: int, threads: int) -> Judge:
    """The judge where the given kernel gets another number of elements and of threads."""
    given = {"size": size, "threads": threads}
    return replace(JUDGE, cases=partial(cases, **given), verdict=partial(verdict, **given))
