"""The active lanes of a block's warps, step by step."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from gpuedu.lens.requests import NothingWatchedError
from gpuedu.trace.records import WARP_SIZE, Place, Trace


class Lane(IntEnum):
    """What a lane does in a step of the block."""

    AWAY = 0  # its warp does not run in this step
    IDLE = 1  # its warp runs, it does not take part
    ACTIVE = 2
    ABSENT = 3  # the block has no such thread


@dataclass(frozen=True)
class LaneSteps:
    """The watched steps of one block of W warps.

    ``state`` is (W, steps, 32) of ``Lane`` values; a step is one line of source, run by one or more
    warps. ``places`` are the lines. ``steps_in_all`` says how many were watched, shown or not.
    """

    block: int
    warps: tuple[int, ...]
    state: np.ndarray
    places: tuple[Place, ...]
    steps_in_all: int

    def mean_lanes(self, warp: int) -> float:
        """Active lanes of a warp, averaged over the steps that it runs."""
        own = self.state[self.warps.index(warp)]
        runs = (own == Lane.ACTIVE).any(axis=1)
        return float((own[runs] == Lane.ACTIVE).sum(axis=1).mean()) if runs.any() else 0.0


def lane_steps(
    trace: Trace,
    block: int | None = None,
    *,
    places: Collection[Place] | None = None,
    most_steps: int = 240,
    most_warps: int = 8,
) -> LaneSteps:
    """The first steps of a watched block.

    Args:
        trace: The account of a launch.
        block: A linear block; by default the first that was watched.
        places: The lines that are kept; all by default.
        most_steps: Steps to keep.
        most_warps: Warps to keep.

    Raises:
        NothingWatchedError: The block was not watched.
    """
    block = trace.watched[0] if block is None else block
    steps = trace.steps
    own = np.flatnonzero(steps.block == block)
    if places is not None:
        lines = [number for number, line in enumerate(trace.lines) if line.place in places]
        own = own[np.isin(steps.line[own], lines)]
    if not own.size:
        raise NothingWatchedError(
            f"no step of block {block} was kept",
            remedy=f"one of the watched blocks, {list(trace.watched)[:8]}",
        )
    rank, first = _columns(steps.step[own], steps.line[own])
    warps = range(min(trace.launch.warps_per_block, most_warps))
    state = np.full((len(warps), len(first), WARP_SIZE), Lane.AWAY, np.uint8)
    kept = steps.warp[own] < len(warps)
    bits = (steps.active[own, None] >> np.arange(WARP_SIZE, dtype=np.uint32)) & 1
    lanes = np.where(bits, Lane.ACTIVE, Lane.IDLE)
    state[steps.warp[own][kept], rank[kept]] = lanes[kept]
    threads = np.arange(len(warps) * WARP_SIZE).reshape(-1, 1, WARP_SIZE)
    absent = np.broadcast_to(threads >= trace.launch.threads_per_block, state.shape)
    state[absent] = Lane.ABSENT
    lines = steps.line[own][first[:most_steps]]
    return LaneSteps(
        block,
        tuple(warps),
        state[:, :most_steps],
        tuple(trace.lines[line].place for line in lines),
        len(first),
    )


def _columns(step: np.ndarray, line: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The column of each row, and the first row of each column: a new one when the line changes.

    Rows of one line that all warps run together follow each other.
    """
    is_new = np.ones(len(step), bool)
    is_new[1:] = (step[1:] != step[:-1]) | (line[1:] != line[:-1])
    return np.cumsum(is_new) - 1, np.flatnonzero(is_new)
