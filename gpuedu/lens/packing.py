"""How many warps would do if the working lanes were side by side."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gpuedu.trace.records import WARP_SIZE, Place, Trace
from gpuedu.widths import count_each


@dataclass(frozen=True)
class Packing:
    """Runs of a line by the warps of the watched blocks: how many, and how few would do."""

    runs: int
    packed_runs: int

    @property
    def ratio(self) -> float:
        """Runs in units of the fewest: 1 if no warp could have been spared."""
        return self.runs / self.packed_runs if self.packed_runs else 1.0


def packings(trace: Trace) -> dict[Place, Packing]:
    """For each line, what full warps would have saved in the watched blocks.

    Warps of a block that run a line in the same step are taken together: their active lanes would
    fit into ``ceil(lanes / 32)`` warps. The last steps of a tree, in which one warp has a few lanes
    left, cannot be packed further, and count as they are.
    """
    steps = trace.steps
    if not len(steps.step):
        return {}
    lanes = np.bitwise_count(steps.active).astype(np.int64)
    # One number for each block, step and line: a sort of numbers is many times one of columns.
    key = steps.block.astype(np.int64) * (int(steps.step.max()) + 1) + steps.step
    groups, member = np.unique(key * len(trace.lines) + steps.line, return_inverse=True)
    runs = count_each(member)
    packed = -(-np.bincount(member, weights=lanes).astype(np.int64) // WARP_SIZE)
    found = {}
    line_of = groups % len(trace.lines)
    for line in np.unique(line_of):
        own = line_of == line
        place = trace.lines[line].place
        found[place] = Packing(int(runs[own].sum()), int(packed[own].sum()))
    return found
