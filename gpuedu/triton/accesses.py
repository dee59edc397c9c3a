"""What the loads and stores of programs cost: requests of warps, and sectors.

A program's block of elements is distributed over its warps as Triton's compiler does where it can:
32 neighbors to a warp at a time, along the axis with the smallest step between addresses. A lane
takes one element in a request; on a GPU a lane may take several at once, which changes requests but
not sectors. A single element is loaded by one lane.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from gpuedu.hardware import memory_rules as rules
from gpuedu.trace import WARP_SIZE, AccessSite, Events, Operation, Place, Space, Steps
from gpuedu.triton.sites import Site

COUNTS = ("requests", "lanes", "sectors", "ideal_sectors", "same_address_lanes")


@dataclass(frozen=True)
class Request:
    """A block of addresses of one program: all arrays are flat and of the same size."""

    address: np.ndarray
    active: np.ndarray
    itemsize: int


def in_order(address: np.ndarray, active: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Addresses and mask, flattened, with the axis of the smallest step last.

    >>> column = np.arange(6).reshape(2, 3).T * 4
    >>> in_order(column, column >= 0)[0].tolist()
    [0, 4, 8, 12, 16, 20]
    """
    if address.ndim > 1:
        axes = sorted(range(address.ndim), key=lambda axis: _step(address, axis), reverse=True)
        address, active = address.transpose(axes), active.transpose(axes)
    return address.ravel(), active.ravel()


def _step(address: np.ndarray, axis: int) -> float:
    """Bytes between neighbors along an axis; infinite without a step, or for a single element."""
    if address.shape[axis] < 2:
        return np.inf
    index = [0] * address.ndim
    index[axis] = 1
    step = abs(int(address[tuple(index)]) - int(address[(0,) * address.ndim]))
    return step or np.inf


@dataclass
class SiteAccount:
    """One load, store or atomic of the source, counted by warp over all programs."""

    site: Site
    operation: Operation
    array: str
    dtype: str
    itemsize: int
    counts: dict[str, np.ndarray]

    def add(self, program: int, warps: int, request: Request) -> np.ndarray:
        """Count a block; returns its addresses by request, (requests, 32), with -1 for none."""
        address, active = _by_request(request)
        lanes = active.sum(axis=1)
        used = lanes > 0
        found = {
            "requests": used,
            "lanes": lanes,
            "sectors": rules.sectors(address, request.itemsize, active),
            "ideal_sectors": rules.ideal_sectors(lanes, request.itemsize),
        }
        if self.operation is Operation.ATOMIC:
            found["same_address_lanes"] = rules.same_address_lanes(address, active) * used
        warp = np.arange(len(address)) % warps
        for name, values in found.items():
            row = self.counts[name][program * warps : (program + 1) * warps]
            np.add.at(row, warp, values.astype(np.int64))
        return np.where(active, address, -1)

    def frozen(self) -> AccessSite:
        """As the trace has it; there is no shared memory in the source."""
        none = np.zeros_like(self.counts["requests"])
        return AccessSite(
            self.site.place,
            self.site.column,
            self.site.text,
            self.operation,
            Space.GLOBAL,
            self.array,
            self.dtype,
            self.itemsize,
            **self.counts,
            wavefronts=none,
            ideal_wavefronts=none,
        )


def _by_request(request: Request) -> tuple[np.ndarray, np.ndarray]:
    count = -(-len(request.address) // WARP_SIZE) * WARP_SIZE
    address, active = np.zeros(count, np.int64), np.zeros(count, bool)
    address[: len(request.address)] = request.address
    active[: len(request.active)] = request.active
    return address.reshape(-1, WARP_SIZE), active.reshape(-1, WARP_SIZE)


@dataclass
class Watched:
    """The accesses of the programs that are watched, one by one."""

    programs: tuple[int, ...]
    limit: int = 20_000
    rows: list[tuple[int, int, int, int, np.ndarray]] = field(default_factory=list)
    steps: list[tuple[int, Place, int, int, int]] = field(default_factory=list)
    is_truncated: bool = False

    def add(self, step: int, site: int, program: int, warps: int, element: np.ndarray) -> None:
        """Rows of a block, one for each request; ``element`` is (requests, 32)."""
        if program not in self.programs:
            return
        for number, row in enumerate(element):
            if len(self.rows) >= self.limit:
                self.is_truncated = True
                return
            if (row >= 0).any():
                self.rows.append((step, site, program, number % warps, row))

    def step(self, step: int, place: Place, program: int, warps: int, active: np.ndarray) -> None:
        """A step for each warp that has a part of the block; ``active`` is (elements,) bool."""
        if program not in self.programs or len(self.steps) >= self.limit:
            self.is_truncated |= program in self.programs
            return
        whole = np.zeros(-(-len(active) // (warps * WARP_SIZE)) * warps * WARP_SIZE, bool)
        whole[: len(active)] = active
        lanes = whole.reshape(-1, warps, WARP_SIZE).any(axis=0)
        masks = lanes @ (1 << np.arange(WARP_SIZE, dtype=np.int64))
        parts = min(warps, -(-len(active) // WARP_SIZE))
        self.steps += [(step, place, program, warp, int(masks[warp])) for warp in range(parts)]

    def frozen_steps(self, lines: Mapping[Place, int]) -> Steps:
        """As the trace has them; ``lines`` has the number of each place."""
        step, place, block, warp, active = zip(*self.steps, strict=True) if self.steps else [()] * 5
        return Steps(
            np.array(step, np.int64),
            np.array([lines[one] for one in place], np.int32),
            np.array(block, np.int32),
            np.array(warp, np.int32),
            np.zeros(len(step), np.int32),
            np.array(active, np.uint32),
        )

    def frozen(self) -> Events:
        """As the trace has them; programs have no barriers in their source."""
        columns = list(zip(*self.rows, strict=True)) or [(), (), (), (), ()]
        step, site, block, warp, element = columns
        return Events(
            np.array(step, np.int64),
            np.array(site, np.int32),
            np.array(block, np.int32),
            np.array(warp, np.int32),
            np.zeros(len(step), np.int32),
            np.array(element, np.int64).reshape(-1, WARP_SIZE),
        )
