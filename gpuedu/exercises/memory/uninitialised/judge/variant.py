"""uninitialised: numbers of a class or a learner of its own."""

from __future__ import annotations

from typing import Any

import numpy as np

from gpuedu.exercises.memory.uninitialised.judge import SIZE, THREADS, judge_of, truths
from gpuedu.exercises.variants import Variant


def never_written(rng: np.random.Generator) -> Variant:
    """Another number of elements: another block, and other places of it, are never written."""
    size = SIZE
    while size % THREADS == SIZE % THREADS:  # then the index and the count would be the public ones
        size = THREADS * int(rng.integers(1, 6)) + int(rng.integers(2, THREADS - 2))
    blocks = size // THREADS + 1
    full = blocks * THREADS

    def draw(block_sums: Any) -> Any:
        from gpuedu.exercises.memory.uninitialised.picture import draw_sums_of

        return draw_sums_of(size, block_sums)

    return Variant(
        judge_of(size),
        edits=(
            ("The author tried it with 128 elements", f"The author tried it with {full} elements"),
            (
                "for n in (128, 100):\n    x, out = np.ones(n, np.float32), np.zeros(2, ",
                f"for n in ({full}, {size}):\n"
                f"    x, out = np.ones(n, np.float32), np.zeros({blocks}, ",
            ),
            (
                "account = simulate(block_sums_unsafe, 2, 64, x, out)",
                f"account = simulate(block_sums_unsafe, {blocks}, 64, x, out)",
            ),
            (
                "With 100 elements, how many places of `part` does block 1 leave unwritten?",
                f"With {size} elements, how many places of `part` does block {blocks - 1} leave "
                "unwritten?",
            ),
            ("`part` in block 1 at the barrier", f"`part` in block {blocks - 1} at the barrier"),
            ("the author's test with 128 elements", f"the author's test with {full} elements"),
            (
                "simulate(block_sums_unsafe, 2, 64, np.ones(n",
                f"simulate(block_sums_unsafe, {blocks}, 64, np.ones(n",
            ),
        ),
        values=("found", truths(size)),
        pictures={"uninitialised": draw},
    )


VARIANT = never_written
