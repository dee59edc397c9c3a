"""Grids of chips whose ends are joined, such as TPU pods: each chip is linked to its neighbors."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gpuedu.multi.network.links import Link
from gpuedu.multi.network.topology import Topology


@dataclass(frozen=True)
class Torus(Topology):
    """A chip at each point of a grid, with one link each way to its neighbors on every axis.

    A message goes along the first axis until its position there is right, then along the second,
    and so on, the shorter way round; it shares links with all messages that pass there. If both
    ways are equally long, every second chip sends up, the others down. An axis of two uses one of
    its two links each way.

    Args:
        shape: chips along each axis. The last axis counts fastest: in (2, 4), rank 5 is at (1, 1).
        link: between neighbors, each way.
        wraps: for each axis, whether its ends are joined; all by default.

    Source: N. Jouppi et al., *TPU v4: An Optically Reconfigurable Supercomputer*, arXiv:2304.01433,
    section 2; Google Cloud, *TPU v5e* (a 2D torus).

    >>> from gpuedu.multi.network.links import link
    >>> torus = Torus((4, 4), link("ici-v5e"))
    >>> [round(torus.between(0, dst).latency_s * 1e6) for dst in (1, 3, 5, 10)]
    [1, 1, 2, 4]
    """

    shape: tuple[int, ...]
    link: Link
    wraps: tuple[bool, ...] | None = None

    def __post_init__(self) -> None:
        if not self.shape or min(self.shape) < 1:
            raise ValueError(f"a torus needs axes of at least one chip, got {self.shape}")
        if self.wraps is not None and len(self.wraps) != len(self.shape):
            raise ValueError(
                f"{self.wraps} should say for each axis of {self.shape} whether it wraps"
            )

    @property
    def ranks(self) -> int:
        """How many chips there are."""
        return math.prod(self.shape)

    @cached_property
    def rates(self) -> np.ndarray:
        """For each chip and axis, the link up, and the link down; a joined end is no different."""
        return np.full(self.ranks * len(self.shape) * 2, self.link.bytes_per_s)

    def routes(self, src: np.ndarray, dst: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The links along the first axis, then along the second, and so on."""
        at, goal = (np.stack(np.unravel_index(rank, self.shape)) for rank in (src, dst))
        links, hops = [], np.zeros(src.shape, np.int64)
        for axis, size in enumerate(self.shape):
            steps = self._steps(axis, at[axis], goal[axis])
            way = np.sign(steps)
            for step in range(int(np.abs(steps).max(initial=0))):
                moves = step < np.abs(steps)
                here = np.ravel_multi_index(tuple(at), self.shape)
                number = (here * len(self.shape) + axis) * 2 + (way < 0)
                links.append(np.where(moves, number, -1))
                at[axis] = (at[axis] + way * moves) % size
                hops += moves
        return np.stack(links), hops * self.link.latency_s

    def _steps(self, axis: int, at: np.ndarray, goal: np.ndarray) -> np.ndarray:
        """How many steps up an axis, or, below 0, down."""
        if self.wraps is not None and not self.wraps[axis]:
            return goal - at
        size = self.shape[axis]
        up = (goal - at) % size
        is_up = (2 * up < size) | ((2 * up == size) & (at % 2 == 0))
        return np.where(is_up, up, up - size)
