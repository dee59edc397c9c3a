"""parallel-cpu: saxpy on all cores, judged by its result and by what Numba made parallel."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from gpuedu.exercises.compare import array_fault
from gpuedu.exercises.contract import Case, Fault, Judge, Plain, Prediction, Property, Undecided
from gpuedu.exercises.functions import left_alone

_ODD_LENGTHS = (33, 31, 129, 127, 1, 0)
_ENOUGH_TO_SHOW = 64
"""Elements of which something is written, unless nothing ever is: shares of a few may be empty."""

_EPSILON = float(np.finfo(np.float32).eps)
_NOTHING = "The result is in `out`. What comes back from a function that has no `return`?"
_WHICH_STEP = "Which step of your loop writes that element, and from which values?"


def cases(rng: np.random.Generator) -> list[Case]:
    """The record first, before anything runs; then round lengths, and those that no chunk divides.

    On both lengths of the record, no core may go through most of the elements.
    """
    some = int(rng.integers(10_000, 15_000)) * 2 + 1
    long = 2**17 + int(rng.integers(1, 1000)) * 2 + 1  # more than 16 bits count
    drawn = [_case(rng, n, "parallel", recorded=True) for n in (some, long)]
    drawn += [_case(rng, n, "right", "inputs") for n in (1024, 64)]
    with_0 = _case(rng, 64, "right", "inputs")
    drawn.append(Case("a = 0", {**with_0.inputs, "a": 0.0}, with_0.decides))
    return drawn + [_case(rng, n, "any-length", "inputs") for n in (*_ODD_LENGTHS, some, long)]


def _case(rng: np.random.Generator, n: int, *names: str, recorded: bool = False) -> Case:
    arrays = {a: rng.normal(3, 2, n).astype(np.float32) for a in ("x", "y", "out")}
    arrays["x"][1::5] = arrays["y"][2::5] = 0
    inputs = {
        "recorded": recorded,
        "a": float(np.float32(rng.uniform(1.5, 4.0) * rng.choice([-1, 1]))),
        **arrays,
    }
    return Case(f"n = {n}", inputs, names)


def verdict(case: Case, observed: Plain) -> Iterable[Fault]:
    """The values, whether anything was written at all, and the compiler's record."""
    if case.inputs["recorded"]:
        if not observed["loops_over_x"] or observed["alone"]:
            yield Fault("parallel", _why_not_parallel(observed))
        return
    yield from _values(case, observed)
    out = case.inputs["out"]
    if out.size >= _ENOUGH_TO_SHOW and np.array_equal(observed["out"], out):
        yield Undecided("inputs", "nothing was written into `out`")
    if observed["returns"]:
        yield Fault("inputs", "it returned something other than None", _NOTHING)


def _values(case: Case, observed: Plain) -> Iterable[Fault]:
    name = case.decides[0]
    if observed["wrote_outside"]:
        yield Fault(
            name,
            "it wrote to memory before or after `out`",
            "Compiled code does not check an index. Which elements of `out` does yours write, and "
            "how many are there?",
        )
    a, x, y = case.inputs["a"], *(case.inputs[key].astype(np.float64) for key in ("x", "y"))
    # Two roundings in float32; one where the compiler fuses the two operations.
    tolerance = 2 * _EPSILON * (np.abs(a * x) + np.abs(y))
    yield from array_fault(name, observed["out"], a * x + y, tolerance=tolerance)


def _why_not_parallel(observed: Plain) -> str:
    """The finding in Numba's own record, in place of a parallel loop over the elements."""
    loops: Any = observed["loops"]
    if not observed["compiled"] and observed["helper"]:
        return "`saxpy` itself is plain Python; what Numba compiled is a function that it calls"
    if not observed["compiled"]:
        return "`saxpy` is plain Python: Numba did not compile it"
    if not observed["asked"]:
        return "Numba compiled it for one core"
    if observed["alone"]:
        return "one core does most of the elements, outside the parallel loop or in one step of it"
    if not loops:
        return "it was compiled with `parallel=True`, yet Numba found no loop to run in parallel"
    if observed["empty_loops"] == loops:
        return "Numba left out what runs in parallel, because no result of it is used"
    several = f"{loops} loops run" if loops > 1 else "one loop runs"
    return f"{several} in parallel, but none that walks over `x`"


JUDGE = Judge(
    title="saxpy on all cores",
    properties=(
        Property("right", "every element of `out` is `a * x[i] + y[i]`", 1, _WHICH_STEP),
        Property("any-length", "right for any length, 0 and 1 too", 1, _WHICH_STEP),
        left_alone(1, ("x", "y"), says="`x` and `y` are left alone, and nothing is returned"),
        Property(
            "parallel",
            "the loop over the elements runs in parallel",
            1,
            "Which loop computes `a * x[i] + y[i]`, and what tells Numba that its steps may run "
            "at the same time?",
        ),
    ),
    hints=(
        "Does step `i` need anything that another step computes? If not, how do you tell Numba?",
        "Compile with `@njit(parallel=True)`, and let the loop be a `prange` over the whole "
        "length of `x`. Write into `out`, element by element.",
        "Under `@njit(parallel=True)`: `for i in prange(x.size):` and in it "
        "`out[i] = a * x[i] + y[i]`.",
    ),
    results=("right", "any-length"),
    cases=cases,
    verdict=verdict,
    predictions={
        "parallel-cpu": Prediction(
            "how many times as fast as a loop in pure Python is Numba on all cores, for saxpy?",
            unit="times",
            because="Most of it is compilation, even on one core: no interpreter, and several "
            "elements per instruction. More cores add at most their number, and less when memory "
            "is what limits.",
        )
    },
)
