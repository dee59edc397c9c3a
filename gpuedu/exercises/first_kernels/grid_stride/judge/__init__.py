"""grid-stride: any number of elements with any launch, each element once."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from gpuedu.exercises.contract import (
    Case,
    Fault,
    Finding,
    Inputs,
    Judge,
    Level,
    Plain,
    Property,
    Undecided,
)
from gpuedu.exercises.kernels.properties import ends, inside, right_values, written_once
from gpuedu.exercises.kernels.shapes import LaunchShape
from gpuedu.exercises.kernels.traffic import read_traffic
from gpuedu.widths import count_each

_EPSILON = float(np.finfo(np.float32).eps)
_LAUNCHES = (
    # n, blocks, threads of a block
    (1000, 4, 64),
    (1000, 1, 32),
    (10, 4, 64),
    (1, 1, 32),
    (129, 2, 64),
    (768, 3, 128),
    (257, 2, 128),
    (997, 3, 96),
    (0, 2, 32),
)
_TOLD = _LAUNCHES[0]
"""The launch whose sectors are told: each thread has several elements."""

_COSTLY = 1.5


def cases(rng: np.random.Generator) -> list[Case]:
    """More elements than threads and fewer, one block, lengths that nothing divides, and none."""
    return [_case(rng, *launch) for launch in _LAUNCHES]


def _case(rng: np.random.Generator, n: int, blocks: int, threads: int) -> Case:
    inputs = {
        "x": rng.normal(0, 3, n).astype(np.float32),
        "out": -rng.uniform(1, 2, n).astype(np.float32),  # no square is negative
        "grid": blocks,
        "block": threads,
    }
    return Case(f"n = {n}, {LaunchShape(blocks, threads)}", inputs)


def squares(inputs: Inputs) -> np.ndarray:
    """``x * x`` in float64."""
    return inputs["x"].astype(np.float64) ** 2


def costs(case: Case, observed: Plain) -> Iterable[Finding]:
    """Right, but neighbouring threads are far apart: told, not graded."""
    inputs, stores = case.inputs, read_traffic(observed["out.traffic"]).of("store")
    is_told = (inputs["x"].size, inputs["grid"], inputs["block"]) == _TOLD
    if is_told and stores.sectors > _COSTLY * stores.ideal_sectors > 0:
        yield Finding(
            Level.COST,
            "neighbouring threads write elements that are far apart. Neighbouring threads should "
            "take neighbouring elements; the lesson on memory counts what it costs. No points are "
            "taken.",
        )


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
        *map(
            _if_it_goes_on,
            (
                written_once(1, asks="Which elements are each thread's own?"),
                inside(
                    1, asks="Which elements are that thread's own, and which index does it use?"
                ),
                ends(1),
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
    cases=cases,
    verdict=costs,
    varies=("out.traffic",),
)
