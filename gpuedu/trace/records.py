"""The account of one kernel launch, in frozen dataclasses of plain values and arrays.

Nothing here computes. The SIMT machine fills these records, ``gpuedu.lens`` says what they mean,
``gpuedu.figures`` draws them.

Letters: W = warps of the launch in order of block, then warp of the block (``blocks *
warps_per_block``); E = watched accesses; S = watched steps. A warp is 32 lanes; the last warp of a
block whose size is not a multiple of 32 has fewer.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np

WARP_SIZE = 32


class Level(StrEnum):
    """How much a finding matters: wrong or unsafe, slower than need be, worth knowing."""

    HAZARD = "hazard"
    COST = "cost"
    NOTE = "note"


class Space(StrEnum):
    """The memory that an access goes to."""

    GLOBAL = "global"
    SHARED = "shared"
    LOCAL = "local"
    CONSTANT = "constant"


class Operation(StrEnum):
    """What an access does to memory."""

    LOAD = "load"
    STORE = "store"
    ATOMIC = "atomic"


@dataclass(frozen=True, order=True)
class Place:
    """A line of a kernel or device function; ``line`` is counted in its file or notebook cell."""

    function: str
    line: int


CUDA_C = "<CUDA C>"
"""What stands in for the file of a source that is a CUDA C text."""


@dataclass(frozen=True)
class Source:
    """The text of a kernel or device function. ``text`` starts at line ``first_line``."""

    function: str
    file: str
    first_line: int
    text: str


@dataclass(frozen=True)
class Argument:
    """One argument of the launch: ``kind`` is "array" or "scalar"; a scalar has its ``value``."""

    name: str
    kind: str
    dtype: str
    shape: tuple[int, ...] = ()
    value: float | None = None


@dataclass(frozen=True)
class Launch:
    """What was launched. ``grid`` and ``block`` are (x, y, z).

    ``sources[0]`` is the kernel's text, the others are its device functions'.
    ``shared_bytes`` is static shared memory of a block, ``dynamic_shared_bytes`` what the launch
    added; ``local_bytes`` is a thread's local arrays.
    """

    kernel: str
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    sources: tuple[Source, ...]
    arguments: tuple[Argument, ...] = ()
    shared_bytes: int = 0
    dynamic_shared_bytes: int = 0
    local_bytes: int = 0

    @property
    def is_cuda_c(self) -> bool:
        """True if the kernel is written in CUDA C."""
        return bool(self.sources) and self.sources[0].file == CUDA_C

    @property
    def blocks(self) -> int:
        """Blocks of the grid."""
        return self.grid[0] * self.grid[1] * self.grid[2]

    def block_number(self, index: tuple[int, int, int]) -> int:
        """The number of the block at an index (x, y, z) of the grid; x counts fastest."""
        return index[0] + self.grid[0] * (index[1] + self.grid[1] * index[2])

    @property
    def threads_per_block(self) -> int:
        """Threads of a block, without padding."""
        return self.block[0] * self.block[1] * self.block[2]

    @property
    def warps_per_block(self) -> int:
        """Warps of a block, the partial last one included."""
        return -(-self.threads_per_block // WARP_SIZE)

    @property
    def warps(self) -> int:
        """Warps of the launch: W."""
        return self.blocks * self.warps_per_block


@dataclass(frozen=True)
class LineCount:
    """How often one line ran.

    Args:
        place: The line.
        executions: (W,) int64: times each warp ran the line with at least one active lane.
        lanes: (W,) int64: active lanes summed over those times.
        flop: Floating-point operations of all lanes by dtype name; a fused multiply-add is 2, a
            math function (``sqrt``, ``exp``) 1.
    """

    place: Place
    executions: np.ndarray
    lanes: np.ndarray
    flop: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class AccessSite:
    """One load, store or atomic of the source, counted by warp.

    A *request* is one warp's execution with at least one active lane. ``sectors`` are distinct
    32-byte sectors of global memory in a request, ``wavefronts`` passes through the 32 banks of
    shared memory (0 in the other space); ``ideal_*`` is what the same active lanes would need at
    best. Local arrays of constant shape are assumed to be in registers and have only requests.

    Args:
        place: The line.
        column: Column of the expression in its line, from 0.
        text: The expression as written, such as ``a[row * K + k]``.
        operation: Load, store or atomic.
        space: The memory.
        array: The kernel's name for the array.
        dtype: Its element's dtype name.
        itemsize: Bytes an element.
        requests: (W,) int64.
        lanes: (W,) int64, active lanes summed over requests.
        sectors: (W,) int64.
        ideal_sectors: (W,) int64.
        wavefronts: (W,) int64.
        ideal_wavefronts: (W,) int64.
        same_address_lanes: (W,) int64: for atomics, the most lanes that meet on one address,
            summed over requests (each must wait for the others); 0 for loads and stores.
    """

    place: Place
    column: int
    text: str
    operation: Operation
    space: Space
    array: str
    dtype: str
    itemsize: int
    requests: np.ndarray
    lanes: np.ndarray
    sectors: np.ndarray
    ideal_sectors: np.ndarray
    wavefronts: np.ndarray
    ideal_wavefronts: np.ndarray
    same_address_lanes: np.ndarray


@dataclass(frozen=True)
class BranchSite:
    """One condition: executions by warp, and how often lanes of the warp went both ways.

    Args:
        place: The line.
        text: The condition as written.
        executions: (W,) int64.
        divergent: (W,) int64.
    """

    place: Place
    text: str
    executions: np.ndarray
    divergent: np.ndarray


@dataclass(frozen=True)
class BarrierSite:
    """One barrier of the source: ``arrivals`` is (blocks,) int64, times each block met there."""

    place: Place
    text: str
    arrivals: np.ndarray


@dataclass(frozen=True)
class ArrayUse:
    """What the launch touched of one array, each byte counted once.

    ``read_bytes`` and ``written_bytes`` are the size of the distinct 32-byte sectors that were
    loaded and stored (atomics count as both): the least traffic with device memory that any cache
    could reach. ``size_bytes`` is the array's size.
    """

    array: str
    space: Space
    dtype: str
    shape: tuple[int, ...]
    size_bytes: int
    read_bytes: int
    written_bytes: int


@dataclass(frozen=True)
class Thread:
    """One thread of the launch by its indices, each (x, y, z).

    ``ndim`` is how many of the three the launch uses, for display; it is not part of the identity.
    """

    block: tuple[int, int, int]
    thread: tuple[int, int, int]
    ndim: int = field(default=1, compare=False)


@dataclass(frozen=True)
class Finding:
    """Something the machine or the lens saw.

    ``kind`` is a slug ("data-race", "out-of-bounds", ...). ``place`` and ``who`` are the first
    occurrence, ``other_place`` and ``other`` the access or thread it collides with. ``count`` is
    how many lanes (for a race: pairs found) it happened to at this place. ``index`` is in the
    array's own dimensions.
    """

    level: Level
    kind: str
    message: str
    remedy: str
    place: Place | None = None
    who: Thread | None = None
    array: str = ""
    index: tuple[int, ...] = ()
    other_place: Place | None = None
    other: Thread | None = None
    count: int = 1


@dataclass(frozen=True)
class Events:
    """The accesses of the watched blocks, one row for each warp and site in order of execution.

    ``element`` counts elements from the array's start in memory order, -1 if a lane is inactive or
    out of bounds. ``epoch`` counts the block's barriers before the access.

    Args:
        step: (E,) int64: position in the order of execution, shared with ``Steps``.
        site: (E,) int32: index into ``Trace.sites``.
        block: (E,) int32: linear block.
        warp: (E,) int32: warp within the block.
        epoch: (E,) int32.
        element: (E, 32) int64.
    """

    step: np.ndarray
    site: np.ndarray
    block: np.ndarray
    warp: np.ndarray
    epoch: np.ndarray
    element: np.ndarray


@dataclass(frozen=True)
class Steps:
    """The lines that the watched blocks ran, one row for each warp, in order of execution.

    Args:
        step: (S,) int64.
        line: (S,) int32: index into ``Trace.lines``.
        block: (S,) int32: linear block.
        warp: (S,) int32: warp within the block.
        epoch: (S,) int32: the block's barriers before.
        active: (S,) uint32: bit i is lane i.
    """

    step: np.ndarray
    line: np.ndarray
    block: np.ndarray
    warp: np.ndarray
    epoch: np.ndarray
    active: np.ndarray


@dataclass(frozen=True)
class Trace:
    """The account of one launch.

    ``complete`` is False if the launch was stopped by a hazard or its step budget: the counts then
    cover what ran until then. ``watched`` names the linear blocks that ``events`` and ``steps``
    describe; ``truncated`` is True if one of them hit its limit, ``events_truncated`` if ``events``
    did.
    """

    launch: Launch
    lines: tuple[LineCount, ...]
    sites: tuple[AccessSite, ...]
    branches: tuple[BranchSite, ...]
    barriers: tuple[BarrierSite, ...]
    arrays: tuple[ArrayUse, ...]
    findings: tuple[Finding, ...]
    events: Events
    steps: Steps
    watched: tuple[int, ...] = (0,)
    truncated: bool = False
    complete: bool = True
    events_truncated: bool = False

    @property
    def hazards(self) -> tuple[Finding, ...]:
        """The findings that make the kernel wrong or unsafe."""
        return tuple(f for f in self.findings if f.level is Level.HAZARD)
