"""grid-stride: any number of elements with any launch, each once, and the grid moves as a whole."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from gpuedu.exercises.contract import Case, Fault, Inputs, Judge, Plain, Property, Undecided
from gpuedu.exercises.kernels.properties import ends, inside, right_values, written_once
from gpuedu.exercises.kernels.shapes import LaunchShape
from gpuedu.widths import count_each

_EPSILON = float(np.finfo(np.float32).eps)
_LAUNCHES = (
    # n, blocks, threads of a block
    (1000, 4, 64),
    (1100, 1, 32),
    (10, 4, 64),
    (1, 1, 32),
    (129, 2, 64),
    (768, 3, 128),
    (257, 2, 128),
    (997, 3, 96),
    (500, 3, 50),  # blocks that are no whole number of warps
    (0, 2, 32),
)


def cases(rng: np.random.Generator) -> list[Case]:
    """More elements than threads and fewer, one block, lengths that nothing divides, and none."""
    return [_case(rng, *launch) for launch in _LAUNCHES]


def _case(rng: np.random.Generator, n: int, blocks: int, threads: int) -> Case:
    x = rng.normal(0, 3, n).astype(np.float32)
    x[rng.permutation(n)[: n // 16]] = 0  # whose square is to be written, too
    inputs = {
        "x": x,
        "out": -rng.uniform(1, 2, n).astype(np.float32),  # no square is negative
        "grid": blocks,
        "block": threads,
    }
    return Case(f"n = {n}, {LaunchShape(blocks, threads)}", inputs)


def squares(inputs: Inputs) -> np.ndarray:
    """``x * x`` in float64."""
    return inputs["x"].astype(np.float64) ** 2


def _in_step(case: Case, observed: Plain) -> Iterable[Fault]:
    """In each step the grid takes as many neighboring elements as it has threads, one for each.

    The steps may go up or down the array, and blocks may take their parts of a step in any order;
    within a block, neighboring threads take neighboring elements.
    """
    name, writers = "neighbors", observed["out.first"]
    if not (observed["out.times"] == 1).all():
        yield Undecided(name, "not every element was written once")
        return
    shape = LaunchShape(case.inputs["grid"], case.inputs["block"])
    many = shape.threads * shape.blocks
    twice = _twice_in_a_step(writers, many)
    if twice and _twice_in_a_step(writers[::-1], many):
        first, second = twice
        yield Fault(
            name,
            f"{shape.name_thread(int(writers[first]))} wrote `out[{first}]` and `out[{second}]`; "
            f"the grid has {many} threads",
        )
        return
    apart = np.flatnonzero(np.abs(np.diff(writers)) != 1)
    if apart.size and apart.size >= -(-writers.size // shape.threads):  # as many as there are parts
        i = int(apart[0])
        left, right = (shape.name_thread(int(writers[at])) for at in (i, i + 1))
        yield Fault(name, f"`out[{i}]` was written by {left}, and `out[{i + 1}]` by {right}")


def _twice_in_a_step(writers: np.ndarray, many: int) -> tuple[int, int] | None:
    """Two elements of one thread among the ``many`` of a step, if there are any."""
    for begin in range(0, writers.size, many):
        seen: dict[int, int] = {}
        for i in range(begin, min(begin + many, writers.size)):
            if writers[i] in seen:
                return seen[writers[i]], i
            seen[writers[i]] = i
    return None


def _if_it_goes_on(prop: Property) -> Property:
    """The same property, undecided where no thread takes a second element of many."""

    def test(case: Case, observed: Plain) -> Iterable[Fault]:
        faults = list(prop.test(case, observed)) if prop.test else []
        yield from faults
        threads = LaunchShape(case.inputs["grid"], case.inputs["block"])
        many, size = threads.threads * threads.blocks, observed["out.times"].size
        writers = observed["out.first"][observed["out.first"] >= 0]
        if not faults and size >= 2 * many and writers.size and count_each(writers).max() < 2:
            yield Undecided(
                prop.name,
                f"{size} elements, {many} threads, and no thread went on to a second element",
            )

    return replace(prop, test=test)


JUDGE = Judge(
    title="Any number of elements, any launch",
    properties=(
        right_values(
            "every",
            "every element of `out` is `x[i] * x[i]`, for any n and any launch",
            1,
            squares,
            tolerance=lambda inputs: _EPSILON * squares(inputs),
            leaves=("x",),
        ),
        Property(
            "neighbors",
            "at each step the grid takes neighboring elements, one for each thread",
            1,
            "At each step every thread takes one element. Which elements are those, all "
            "together, and which of them belong to threads that are neighbors?",
            _in_step,
        ),
        *map(
            _if_it_goes_on,
            (
                written_once(
                    1,
                    asks="Which elements are each thread's own, and how often is each one written?",
                ),
                inside(
                    0.5, asks="Which elements are that thread's own, and which index does it use?"
                ),
                ends(0.5),
            ),
        ),
    ),
    hints=(
        "2 blocks of 4 threads, 20 elements: write down which elements thread 1 of block 0 takes. "
        "How far is it from one to the next?",
        "A thread begins at its own global index and goes on by the number of all threads, "
        "`cuda.gridsize(1)`, as long as it is inside.",
        "A loop over `range(first, out.size, step)` with `first = cuda.grid(1)` and "
        "`step = cuda.gridsize(1)`; in it, one line that writes `out[i]`.",
    ),
    results=("every",),
    cases=cases,
)
