"""stencil: seven neighbours for each output, each input read from global memory once a block."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

import numpy as np

from gpuedu.exercises.compare import array_fault
from gpuedu.exercises.contract import Case, Fault, Judge, Plain, Prediction, Property
from gpuedu.exercises.kernels.costs import sector_faults
from gpuedu.exercises.kernels.faults import (
    LOOPS,
    OUTSIDE,
    RACE,
    WAITS,
    hazard_faults,
    idle_faults,
    wrapped_faults,
)
from gpuedu.exercises.kernels.shapes import LaunchShape
from gpuedu.exercises.kernels.sightings import Sighting, read_sightings
from gpuedu.exercises.kernels.traffic import read_traffic

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
        "blocks": blocks,
        "threads": BLOCK,
    }
    decides = ("ends", "once", "waits", "inside")
    if n > 2 * RADIUS:
        decides += ("every",)
    if n in _COSTS:
        decides += ("sectors",)
    return Case(f"n = {n}, {LaunchShape(blocks, BLOCK)}", inputs, decides)


def reference(x: np.ndarray, w: np.ndarray) -> np.ndarray:
    """The weighted sum of each element's neighbourhood, zeros outside, in float64.

    >>> reference(np.array([1.0, 2.0]), np.array([0, 0, 1, 10, 100, 0, 0.0])).tolist()
    [210.0, 21.0]
    """
    padded = np.pad(x.astype(np.float64), RADIUS)
    return sum(w[k] * padded[k : k + x.size] for k in range(2 * RADIUS + 1))


def verdict(case: Case, observed: Plain) -> Iterable[Fault]:
    """Values inside and at the ends, how often inputs were read, who waits for whom, the bounds."""
    yield from hazard_faults(observed, {LOOPS: "ends"})
    yield from _values(case, observed)
    for name in ("x", "w"):
        if not np.array_equal(observed[name], case.inputs[name]):
            yield Fault("ends", f"`{name}` was changed by the kernel", "Where does it go?")
    ask = partial(_question, tiles=_tiles(observed))
    yield from hazard_faults(observed, {OUTSIDE: "inside", WAITS: "waits"}, ask)
    yield from idle_faults(observed, ("once", "waits", "inside"))
    if not read_traffic(observed["shared_traffic"]).requests:
        yield Fault(
            "waits",
            "no thread used shared memory, so this shows nothing yet",
            "Bring the block's inputs and its halo to `cuda.shared.array` first.",
        )
    yield from _once(observed)
    if "sectors" in case.decides:
        yield from sector_faults(
            "sectors",
            read_traffic(observed["x_traffic"]),
            "load",
            "x",
            least=_HALF,
            cause="Which element does each thread of a warp bring into shared memory? Neighbours "
            "should bring neighbours.",
        )


def _values(case: Case, observed: Plain) -> Iterable[Fault]:
    """The elements that have all their neighbours, then those that lack some."""
    x, w = (case.inputs[name].astype(np.float64) for name in ("x", "w"))
    expected = reference(x, w)
    tolerance = 2 * w.size * _EPSILON * reference(np.abs(x), np.abs(w))
    is_end = np.minimum(np.arange(x.size), np.arange(x.size)[::-1]) < RADIUS
    cause = _cause(x, w, observed, expected)
    for prop, chosen in (("every", ~is_end), ("ends", is_end)):
        if prop in case.decides:
            got = np.where(chosen, observed["out"], expected)
            yield from array_fault(prop, got, expected, tolerance=tolerance, cause=cause)
            yield from wrapped_faults(prop, observed)


def _cause(x: np.ndarray, w: np.ndarray, observed: Plain, expected: np.ndarray) -> str:
    got = observed["out"].astype(np.float64)
    if not observed["times"].any():
        return "Which line writes into `out`?"
    padded = np.pad(x, RADIUS, mode="edge")
    clamped = sum(w[k] * padded[k : k + x.size] for k in range(w.size))
    for theirs, says in (
        (reference(x, w[::-1]), "That takes the weights in reverse: `w[0]` goes with `x[i - 3]`."),
        (clamped, "That repeats the first and the last element; what lies outside counts as 0."),
        (
            reference(x, np.append(w[:-1], 0)),
            "The last weight is not in the sum: `w[0]` to `w[6]`.",
        ),
        (reference(x, np.append(w[:-2], [0, 0])), "Only five weights are in the sum; `w` has 7."),
        (reference(x, np.append(0, w[1:])), "The first weight, `w[0]`, is not in the sum."),
        (reference(x, w) / w.size, "That divides by 7. The weights are used as they are."),
    ):
        if np.allclose(got, theirs, rtol=1e-4, atol=1e-3):
            return says
    if (observed["times"] == 0).any():
        return "It was not written. Which thread has it?"
    if _leaves_the_tile(observed):
        return "Threads use places that the tile does not have: look at that first, further down."
    wrong = np.flatnonzero(~np.isclose(got, expected, rtol=1e-4, atol=1e-3))
    edge = _edge_cause(wrong, x.size)
    if edge:
        return edge
    if wrong.size and np.isnan(got[wrong[0]]):
        return "NaN is what the machine leaves in shared memory that nobody has written."
    return (
        "Follow this element: tile[0] holds the input 3 before the block's first. Where in the "
        "tile is `x[i]`, and where is `x[i - 3]`?"
    )


def _tiles(observed: Plain) -> frozenset[str]:
    """The arrays in shared memory, by the names that the learner gave them."""
    used = read_traffic(observed["shared_traffic"]).accesses
    return frozenset(access.array for access in used)


def _leaves_the_tile(observed: Plain) -> bool:
    tiles = _tiles(observed)
    seen = read_sightings(observed["sightings"])
    return any(one.kind in OUTSIDE and one.array in tiles for one in seen)


def _edge_cause(wrong: np.ndarray, size: int) -> str:
    """A sentence if only elements at the edges of blocks, or of the array, are wrong."""
    before = wrong % BLOCK < RADIUS
    behind = (wrong % BLOCK >= BLOCK - RADIUS) | (wrong >= size - RADIUS)
    if not wrong.size or not (before | behind).all():
        return ""
    if before.all():
        which, side = "first", "the 3 inputs before it"
    elif behind.all():
        which, side = "last", "the 3 inputs behind it"
    else:
        which, side = "first and the last", "3 more inputs on each side"
    return (
        f"Only the {which} three of a block or of the array are wrong. A block needs {side}: "
        "which threads bring them, to which places, and what stands there where there are none?"
    )


def _once(observed: Plain) -> Iterable[Fault]:
    loads = observed["loads"]
    if any(seen.kind == "negative-index" for seen in read_sightings(observed["sightings"])):
        loads = loads[:, :-RADIUS]  # what is read at x[-3] is counted at the end
    block, element = np.nonzero(loads > 1)
    if not element.size:
        return
    often = int(observed["loads"][block[0], element[0]])
    many = int(observed["loads"][block[0]].max())
    yield Fault(
        "once",
        f"block {block[0]} read `x[{element[0]}]` {'twice' if often == 2 else f'{often} times'} "
        f"from global memory ({element.size} elements were read more than once by a block, "
        f"up to {many} times)",
        "Which of its threads needs it, and which one should bring it for all of them?",
    )


def _question(seen: Sighting, tiles: frozenset[str]) -> str:
    if seen.kind in RACE:
        return (
            "What stands between the lines that fill the tile and the line that reads it? (A "
            "barrier is a call, with parentheses.)"
        )
    if seen.kind == "uninitialised-read":
        return (
            "Which thread should have put something there? Also what lies outside of `x` needs a "
            "value in the tile."
        )
    if seen.kind == "divergent-barrier":
        return "All threads of a block have to come to the barrier, also those without an element."
    if seen.kind in OUTSIDE and seen.array in tiles:
        return _beyond_the_tile(seen)
    if seen.kind == "negative-index":
        return "What is left of the first element? Test it before you read."
    if " writes " in seen.message:
        return "Which threads have no output, and which line of yours do they still run?"
    return "The right halo of the last block lies outside of `x`: test it before you read."


def _beyond_the_tile(seen: Sighting) -> str:
    if seen.kind == "negative-index":
        return (
            "The tile is counted from 0, and so is its halo: `tile[0]` is for the input 3 before "
            "the block's first. Where does that leave the block's own?"
        )
    if seen.index and f" has {BLOCK + 2 * RADIUS} elements" in seen.message:
        return "134 places are enough for 128 inputs and the halo. Which thread goes beyond them?"
    return "How many places does the tile need: 128, and the halo on both sides?"


JUDGE = Judge(
    title="Seven neighbours, each read once",
    properties=(
        Property("every", "every element of `out` that has all its neighbours is right", 1),
        Property("ends", "so are the first and the last three: outside of `x` is 0", 1),
        Property("once", "no block reads an element of `x` twice from global memory", 1),
        Property("sectors", "of what comes in sectors of `x`, at least half is used", 1),
        Property("waits", "no thread reads from the tile what is not there yet", 1),
        Property("inside", "no thread reads or writes outside the arrays", 1),
    ),
    hints=(
        "Block 1 writes `out[128]` to `out[255]`. Which elements of `x` does it need in all, and "
        "how many are that?",
        "Each thread brings `x[i]` to `tile[t + 3]`. The first three threads also bring the three "
        "inputs before the block, and the three behind it. What does not exist becomes 0; then a "
        "barrier.",
        "`tile[t + 3] = x[i] if i < x.size else 0`. For `t < 3`: `tile[t]` gets `x[i - 3]` if "
        "`i >= 3`, else 0; `tile[t + 131]` gets `x[i + 128]` if that is inside, else 0. Barrier. "
        "Under a guard, the sum of `w[k] * tile[t + k]` for `k` in `range(7)`. (In the tile, a "
        "plain 0 becomes float32; the sum needs `float32(0)` to stay so.)",
    ),
    cases=cases,
    verdict=verdict,
    predictions={
        "stencil": Prediction(
            "a block of 128 threads, 3 neighbours on each side: how many different elements of `x` "
            "does it need?",
            truth=134,
            unit="elements",
            because="128 of its own, and 3 on each side. Without a tile its threads read 7 each, "
            "896 in all.",
        )
    },
)
