"""out-of-bounds: numbers of a class or a learner of its own."""

from __future__ import annotations

import numpy as np

from gpuedu.exercises.first_kernels.out_of_bounds.judge import SIZE, judge_of, truths
from gpuedu.exercises.variants import Variant

_THREADS = (64, 96, 128, 160, 192, 224)


_BLOCKS = (3, 12)


def past_the_end(rng: np.random.Generator) -> Variant:
    """Another number of elements, and blocks of another size: another thread reads past the end."""
    threads = int(rng.choice(_THREADS))
    blocks = int(rng.integers(*_BLOCKS))
    size = SIZE
    while size == SIZE:  # the last block is neither full nor nearly empty
        size = (blocks - 1) * threads + int(rng.integers(2, threads - 1))
    return Variant(
        judge_of(size, threads),
        edits=(
            (f"np.arange({SIZE}, dtype", f"np.arange({size}, dtype"),
            (
                "simulate(rises_unsafe, 4, 256, x, out)",
                f"simulate(rises_unsafe, {blocks}, {threads}, x, out)",
            ),
        ),
        values=("found", truths(size, threads)),
    )


VARIANT = past_the_end
