"""any-order: the start of each sequence, whatever the order in which blocks run."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from gpuedu.exercises.contract import Case, Inputs, Judge, Prediction
from gpuedu.exercises.first_kernels.judge.one_each import one_each
from gpuedu.exercises.kernels.properties import inside, no_race, right_values
from gpuedu.exercises.kernels.shapes import LaunchShape


def cases(rng: np.random.Generator) -> list[Case]:
    """One thread a block in order, as the given kernel wants it; then every other order.

    In the last one sums go nearly as far as int32 does, and some sequences are empty.
    """
    drawn = [_case(rng, n, n, 1, "in order", range(n)) for n in (6, 12)]
    for n, blocks, threads in ((6, 6, 1), (70, 3, 32), (129, 3, 64)):
        drawn.append(_case(rng, n, blocks, threads, "in reverse", range(blocks)[::-1]))
        mixed = rng.permutation(blocks)
        while np.array_equal(mixed, np.arange(blocks)):
            mixed = rng.permutation(blocks)
        told = f"in the order {', '.join(map(str, mixed))}"
        drawn.append(_case(rng, n, blocks, threads, told, mixed))
        drawn.append(_case(rng, n, blocks, threads, "all at once", None))
    return [*drawn, _case(rng, 300, 5, 64, "all at once", None, longest=6_000_000)]


def _case(
    rng: np.random.Generator,
    n: int,
    blocks: int,
    threads: int,
    says: str,
    order: Sequence[int] | np.ndarray | None,
    *,
    longest: int = 0,
) -> Case:
    inputs = {
        "lengths": _lengths(rng, n, longest),
        "start": -rng.integers(100, 900, n, dtype=np.int32),  # what was there before
        "grid": blocks,
        "block": threads,
        "order": None if order is None else [int(block) for block in order],
    }
    prop = "in-order" if says == "in order" else "any-order"
    label = f"{n} lengths, {LaunchShape(blocks, threads)}, {says}"
    return Case(label, inputs, (prop, "no-race", "one-each", "inside"))


def _lengths(rng: np.random.Generator, n: int, longest: int) -> np.ndarray:
    if not longest:
        return rng.integers(1, 60, n, dtype=np.int32)
    return rng.integers(0, longest, n, dtype=np.int32) * (rng.random(n) < 0.9).astype(np.int32)


def sums_before(inputs: Inputs) -> np.ndarray:
    """The sum of all lengths before each, in float64."""
    lengths = inputs["lengths"].astype(np.float64)
    return np.cumsum(lengths) - lengths


# Values are judged in spite of a race: in a given order they are not left to chance, and that they
# come out right in one order alone is what the exercise shows.
_starts = partial(
    right_values,
    points=1,
    expected=sums_before,
    output="start",
    leaves=("lengths",),
    undefined=frozenset(),
)

JUDGE = Judge(
    title="Blocks have no order",
    properties=(
        _starts("in-order", "right with one thread a block, blocks in order"),
        _starts("any-order", "right in any order of blocks, with any launch"),
        no_race(
            1,
            says="no thread reads what another one writes",
            output="start",
            asks="Nothing says which of the two comes first. Can a thread work from `lengths` "
            "alone, which nobody writes?",
        ),
        one_each(
            "each start is written by one thread, and each thread writes one, its own",
            0.5,
            output="start",
            asks="Which sequence is each thread's own, and who writes its start?",
        ),
        inside(
            0.5,
            output="start",
            asks="Does that thread have a sequence, and which indices does it need for it?",
        ),
    ),
    hints=(
        "`start[b - 1]` is written by another block. Where else is what you need to know, in an "
        "array that nobody writes?",
        "A sequence starts after all those before it: add up `lengths[0]` to `lengths[i - 1]`. "
        "Each thread can do that for itself.",
        "With `i = cuda.grid(1)` and the guard: begin with 0, add `lengths[k]` for each `k` in "
        "`range(i)`, and write the sum into `start[i]`. No line reads `start`.",
    ),
    results=("in-order", "any-order"),
    cases=cases,
    predictions={
        "any-order": Prediction(
            "`start` is all zeros and the blocks run in reverse: what is in `start[5]` at the end?",
            truth=6,
            exact=True,
            because="Block 5 runs first. It reads `start[4]`, which is still 0, and adds "
            "`lengths[4]`, which is 6. Nobody comes back to fix it.",
        )
    },
)
