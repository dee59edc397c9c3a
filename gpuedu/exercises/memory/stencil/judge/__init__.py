"""stencil: seven neighbors for each output, each input read from global memory once a block."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from gpuedu.exercises.contract import (
    Case,
    Fault,
    Finding,
    Inputs,
    Judge,
    Level,
    Plain,
    Prediction,
    Property,
)
from gpuedu.exercises.kernels.faults import WAITS
from gpuedu.exercises.kernels.properties import (
    all_wait,
    inside,
    right_values,
    unless_idle,
    whole_sectors,
)
from gpuedu.exercises.kernels.shapes import LaunchShape
from gpuedu.exercises.kernels.sightings import read_sightings

BLOCK, RADIUS = 128, 3
_EPSILON = float(np.finfo(np.float32).eps)
_HALF = 0.5
"""The least used share of the sectors: a halo is no whole one, a block's may begin within one."""

_SIZES = (512, 1000, 256, 131, 129, 128, 127, 5, 3, 1)
_COSTS = (512, 1000)


def cases(rng: np.random.Generator) -> list[Case]:
    """Lengths that are many blocks, and those at which the halo is longer than what is left."""
    return [_case(rng, n) for n in _SIZES]


def _case(rng: np.random.Generator, n: int) -> Case:
    blocks = -(-n // BLOCK)
    inputs = {
        "x": rng.normal(0, 4, n).astype(np.float32),
        "w": (rng.uniform(0.5, 2, 2 * RADIUS + 1) * rng.choice([-1, 1], 7)).astype(np.float32),
        "out": rng.uniform(500, 900, n).astype(np.float32),
        "grid": blocks,
        "block": BLOCK,
    }
    decides = ("ends", "once", "waits", "inside")
    if n > 2 * RADIUS:
        decides += ("every",)
    if n in _COSTS:
        decides += ("sectors",)
    return Case(f"n = {n}, {LaunchShape(blocks, BLOCK)}", inputs, decides)


def reference(x: np.ndarray, w: np.ndarray) -> np.ndarray:
    """The weighted sum of each element's neighborhood, zeros outside, in float64.

    >>> reference(np.array([1.0, 2.0]), np.array([0, 0, 1, 10, 100, 0, 0.0])).tolist()
    [210.0, 21.0]
    """
    padded = np.pad(x.astype(np.float64), RADIUS)
    return sum(w[k] * padded[k : k + x.size] for k in range(2 * RADIUS + 1))


def smoothed(inputs: Inputs) -> np.ndarray:
    """The result of the exercise, in float64."""
    return reference(inputs["x"], inputs["w"].astype(np.float64))


def roundings(inputs: Inputs) -> np.ndarray:
    """Room for the roundings of seven products and their sum in float32, in any order."""
    w = np.abs(inputs["w"].astype(np.float64))
    return 2 * w.size * _EPSILON * reference(np.abs(inputs["x"]), w)


def is_end(inputs: Inputs) -> np.ndarray:
    """True for an element that lacks some of its neighbors."""
    place = np.arange(inputs["x"].size)
    return np.minimum(place, place[::-1]) < RADIUS


def _once(case: Case, observed: Plain) -> Iterable[Fault]:
    loads = observed["x.loads"]
    if any(seen.kind == "negative-index" for seen in read_sightings(observed["sightings"])):
        loads = loads[:, :-RADIUS]  # what is read at x[-3] is counted at the end
    block, element = np.nonzero(loads > 1)
    if not element.size:
        return
    often, many = loads[block[0], element[0]], loads[block[0]].max()
    yield Fault(
        "once",
        f"block {block[0]} read `x[{element[0]}]` {'twice' if often == 2 else f'{often} times'} "
        f"from global memory ({element.size} elements were read more than once by a block, "
        f"up to {many} times)",
    )


def verdict(case: Case, observed: Plain) -> Iterable[Finding]:
    """A note, once, where the sum is in float64."""
    if observed["flop64"] and case.inputs["x"].size == _COSTS[0]:
        told = f"{observed['flop64']:,} of {observed['flop']:,} floating-point operations"
        where = f", on the line `{observed['line64']}`" if observed["line64"] else ""
        slow = "on most GPUs that takes many times as long, here for nothing"
        yield Finding(Level.COST, f"{told} were in float64{where}: {slow}")


_VALUES = {"expected": smoothed, "tolerance": roundings, "undefined": WAITS}

JUDGE = Judge(
    title="Seven neighbors, each read once",
    properties=(
        right_values(
            "every",
            "every element of `out` that has all its neighbors is right",
            1,
            among=lambda inputs: ~is_end(inputs),
            asks="Which inputs and weights go into this sum, and from where does the thread take "
            "each of them?",
            **_VALUES,
        ),
        right_values(
            "ends",
            "so are the first and the last three, with 0 for what lies outside `x`",
            1,
            among=is_end,
            leaves=("x", "w"),
            must_end=True,
            asks="Which inputs and weights go into this sum, which of the inputs lie outside of "
            "`x`, and from where does the thread take the others?",
            **_VALUES,
        ),
        Property(
            "once",
            "no block reads an element of `x` twice from global memory",
            1,
            "Which threads of the block need it, and which one brings it for all of them?",
            unless_idle("once", _once),
        ),
        whole_sectors(
            "sectors",
            "at least half of what comes in sectors of `x` is used",
            1,
            "x",
            "load",
            least=_HALF,
        ),
        all_wait(
            1,
            says="all threads come to the barrier, and none reads what is not in the tile yet",
            in_shared=True,
            asks="Which threads write and use that place, and what puts them in order? Do all "
            "threads of the block come to the barrier?",
        ),
        inside(
            1,
            asks="Which indices does this array have, and what keeps a thread from using others?",
        ),
    ),
    hints=(
        "Block 1 writes `out[128]` to `out[255]`. Which elements of `x` does it need in all, and "
        "how many are that?",
        "Each thread brings `x[i]` to `tile[t + 3]`. The first three threads also bring the three "
        "inputs before the block, and the three after it. What does not exist becomes 0; then a "
        "barrier.",
        "`tile[t + 3] = x[i] if i < x.size else 0`. For `t < 3`: `tile[t]` gets `x[i - 3]` if "
        "`i >= 3`, else 0; `tile[t + 131]` gets `x[i + 128]` if that is inside, else 0. Barrier. "
        "Under a guard, the sum of `w[k] * tile[t + k]` for `k` in `range(7)`. (In the tile, a "
        "plain 0 becomes float32; the sum needs `float32(0)` to stay so.)",
    ),
    results=("every", "ends"),
    cases=cases,
    verdict=verdict,
    predictions={
        "stencil": Prediction(
            "a block of 128 threads, 3 neighbors on each side: how many different elements of `x` "
            "does it need?",
            truth=134,
            exact=True,
            unit="elements",
            because="128 of its own, and 3 on each side. Without a tile its threads read 7 each, "
            "896 in all.",
        )
    },
    varies=("shared.traffic", "shared.handed", "flop", "flop64", "line64"),
)
