"""The account of one launch while it runs; at its end it becomes a trace."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from gpuedu.simt.machine.counters import MaskCounts, PartingCounts, SiteCounts
from gpuedu.simt.machine.fences import Handovers
from gpuedu.simt.machine.findings import Findings
from gpuedu.simt.machine.masks import Mask
from gpuedu.simt.machine.regions import Region
from gpuedu.simt.machine.shadow import Known, Shadow
from gpuedu.simt.machine.views import Allocation, View
from gpuedu.simt.machine.watch import Keep, Watch
from gpuedu.simt.program import Program
from gpuedu.trace import (
    AccessSite,
    ArrayUse,
    BarrierSite,
    BranchSite,
    Launch,
    LineCount,
    Operation,
    Place,
    Space,
    Trace,
)

if TYPE_CHECKING:
    from gpuedu.simt.machine.chunk import Chunk

SECTOR_BYTES = 32
_ANYTHING = frozenset({"load", "store", "atomic"})


class Account:
    """Counts, histories of global memory and watched accesses of one launch."""

    def __init__(
        self,
        program: Program,
        regions: Sequence[Region],
        launch: Launch,
        parameters: Sequence[Any],
        watch: Sequence[int],
        keep: Keep = "lines",
    ) -> None:
        self.program, self.regions, self.launch = program, regions, launch
        self.now = 0
        self.handovers = Handovers()
        self.known = Known()
        size = launch.blocks, launch.warps_per_block
        self._regions = [MaskCounts(*size) for _ in regions]
        self._sites = [SiteCounts(*size) for _ in program.sites]
        self._branches = [(MaskCounts(*size), PartingCounts(*size)) for _ in program.branches]
        self._barriers = [np.zeros(launch.blocks, np.int64) for _ in program.barriers]
        self._views = [value for value in parameters if isinstance(value, View)]
        self._does = self._operations()
        self._shadows: dict[int, Shadow] = {}
        self._touched: dict[tuple[int, str], np.ndarray] = {}
        self.watch = Watch(watch, self._views, keep)
        self._is_kept = [self.watch.keeps(site.operation, site.space) for site in program.sites]
        self._runs, self._shape = False, (1, 1)
        self._rows: Any = None
        self._everybody: Mask = None

    def _operations(self) -> dict[int, set[str]]:
        """What the program does to each allocation: by the names of the arrays of its sites."""
        does: dict[int, set[str]] = {v.flat.allocation.number: set() for v in self._views}
        by_name: dict[str, set[int]] = {}
        for view in self._views:
            by_name.setdefault(view.name, set()).add(view.flat.allocation.number)
        for site in self.program.sites:
            for number in by_name.get(site.array, does.keys()):
                if site.space is Space.GLOBAL:
                    does[number].add(str(site.operation))
        return does

    # Chunks

    def begin_chunk(self, chunk: Chunk) -> None:
        """Blocks start to run."""
        self._count_in(chunk)
        self.watch.begin_chunk(chunk)

    def go_on_with(self, chunk: Chunk) -> None:
        """Of the blocks that started, these threads run from now on."""
        self.end_chunk()
        self._count_in(chunk)
        self.watch.go_on_with(chunk)

    def _count_in(self, chunk: Chunk) -> None:
        self._runs, self._shape, self._everybody = True, chunk.shape, chunk.everybody
        self._rows = chunk.counted

    def end_chunk(self) -> None:
        """Blocks have ended: count what waits."""
        if not self._runs:
            return
        for number in range(len(self._sites)):
            self._flush(number)
        for counts in (*self._regions, *(one for both in self._branches for one in both)):
            counts.flush(self._rows, self._shape)
        self._runs = False

    # What happens

    def region(self, region: int, mask: Mask, epoch: Any) -> None:
        """A region of the program begins."""
        self.now += 1
        if mask is None:
            mask = self._everybody
        if self._regions[region].add(mask):
            self._regions[region].flush(self._rows, self._shape)
        if self.watch.row is not None and self.watch.keeps_lines:
            self.watch.step(self.now, region, mask, epoch)

    def branch(self, site: int, mask: Mask, then: Mask, orelse: Mask) -> None:
        """Threads parted."""
        executions, parted = self._branches[site]
        if executions.add(self._everybody if mask is None else mask):
            executions.flush(self._rows, self._shape)
        if then is False or orelse is False:
            return
        if parted.add(then, orelse):
            parted.flush(self._rows, self._shape)

    def barrier(self, site: int, arrived: Any) -> None:
        """Blocks met."""
        self.now += 1
        self._barriers[site][self._rows] += 1 if arrived is True else arrived[:, 0]

    def access(self, site: int, view: View, at: Any, mask: Mask, epoch: Any) -> None:
        """Threads touched memory."""
        self.now += 1
        if mask is None:
            mask = self._everybody
        if self.watch.row is not None and self._is_kept[site]:
            self.watch.access(self.now, site, view, at, mask, epoch)
        counted = self._sites[site]
        if counted.view is not None and counted.view.flat is not view.flat:
            self._flush(site)
        if counted.add(view, at, mask):
            self._flush(site)

    def access_own(self, site: int, view: View, at: Any, mask: Mask, epoch: Any) -> None:
        """Threads touched their own arrays, which are registers: no address costs anything."""
        self.now += 1
        if mask is None:
            mask = self._everybody
        if self.watch.row is not None and self._is_kept[site]:
            self.watch.access(self.now, site, view, at, mask, epoch)
        if self._sites[site].masks.add(mask):
            self._flush(site)

    def _flush(self, number: int) -> None:
        site = self._sites[number]
        entry = self.program.sites[number]
        touch = partial(self._touch, str(entry.operation)) if entry.space is Space.GLOBAL else None
        is_atomic = entry.operation == Operation.ATOMIC
        site.flush(self._rows, self._shape, touch, atomic=is_atomic)

    def _touch(self, operation: str, view: View, at: np.ndarray, active: np.ndarray | None) -> None:
        """Mark the sectors of memory that were read or written."""
        flat = view.flat
        allocation = flat.allocation
        if active is not None:
            at = at[np.broadcast_to(active, at.shape)]
        byte = at * flat.step + flat.start
        size = flat.data.dtype.itemsize
        for kind in {"load": ("read",), "store": ("written",)}.get(operation, ("read", "written")):
            key = (allocation.number, kind)
            if key not in self._touched:
                self._touched[key] = np.zeros(allocation.size_bytes // SECTOR_BYTES + 2, bool)
            touched = self._touched[key]
            touched[byte // SECTOR_BYTES] = True
            if size > 1 and SECTOR_BYTES % size:
                touched[(byte + size - 1) // SECTOR_BYTES] = True

    def shadow(self, allocation: Allocation, operation: str) -> Shadow | None:
        """The history of a global allocation; None if nothing in it can race."""
        does = self._does.get(allocation.number, _ANYTHING)
        if self.program.has_choices:
            does = _ANYTHING
        if does <= {"load"} or does <= {"atomic"}:
            return None
        if operation == "load" and not does & {"store", "atomic"}:
            return None
        if allocation.number not in self._shadows:
            size = -(-allocation.size_bytes // allocation.unit)
            self._shadows[allocation.number] = Shadow(
                size, timed=self.program.has_fences, known=self.known
            )
        return self._shadows[allocation.number]

    def order_all(self) -> None:
        """All blocks met: what any thread did to global memory happens before what comes."""
        self._shadows.clear()

    def forget_syncs(self) -> None:
        """The count of syncs starts again."""
        for shadow in self._shadows.values():
            shadow.forget_syncs()

    # The end

    def trace(self, report: Findings, *, complete: bool) -> Trace:
        """Everything as a trace."""
        self.end_chunk()
        lines = self._lines()
        order = {line.place: number for number, line in enumerate(lines)}
        events, steps = self.watch.events(), self.watch.steps(self.regions, order)
        return Trace(
            self.launch,
            lines,
            tuple(self._site(number) for number in range(len(self._sites))),
            tuple(
                BranchSite(
                    entry.place,
                    entry.text,
                    ran.executions.reshape(-1),
                    parted.divergent.reshape(-1),
                )
                for entry, (ran, parted) in zip(self.program.branches, self._branches, strict=True)
            ),
            tuple(
                BarrierSite(entry.place, entry.text, arrivals)
                for entry, arrivals in zip(self.program.barriers, self._barriers, strict=True)
            ),
            self._arrays(),
            report.all(),
            events,
            steps,
            self.watch.blocks,
            self.watch.truncated,
            complete,
            self.watch.accesses_truncated,
        )

    def _lines(self) -> tuple[LineCount, ...]:
        warps = self.launch.warps
        executions: dict[Place, np.ndarray] = {}
        lanes: dict[Place, np.ndarray] = {}
        flop: dict[Place, dict[str, int]] = {}
        for region, counts in zip(self.regions, self._regions, strict=True):
            for place in region.lines:
                executions[place] = executions.get(place, np.zeros(warps, np.int64)) + (
                    counts.executions.reshape(-1)
                )
                lanes[place] = lanes.get(place, np.zeros(warps, np.int64)) + (
                    counts.lanes.reshape(-1)
                )
            total = int(counts.lanes.sum())
            for (place, dtype), amount in region.flop.items():
                if total:
                    by_dtype = flop.setdefault(place, {})
                    by_dtype[dtype] = by_dtype.get(dtype, 0) + amount * total
        return tuple(
            LineCount(place, executions[place], lanes[place], flop.get(place, {}))
            for place in sorted(executions)
        )

    def _site(self, number: int) -> AccessSite:
        entry, counts = self.program.sites[number], self._sites[number]
        columns = {name: counts.column(name) for name in SiteCounts.NAMES}
        return AccessSite(
            entry.place,
            entry.column,
            entry.text,
            Operation(entry.operation),
            entry.space,
            entry.array,
            entry.dtype.name,
            entry.dtype.itemsize,
            **columns,
        )

    def _arrays(self) -> tuple[ArrayUse, ...]:
        uses, seen = [], set()
        for view in self._views:
            number = view.flat.allocation.number
            if number in seen:
                continue
            seen.add(number)
            read, written = (
                int(np.count_nonzero(self._touched.get((number, kind), ()))) * SECTOR_BYTES
                for kind in ("read", "written")
            )
            shape = tuple(int(n) for n in view.shape)
            size = int(np.prod(shape)) * view.dtype.itemsize
            uses.append(
                ArrayUse(view.name, Space.GLOBAL, view.dtype.name, shape, size, read, written)
            )
        return (*uses, *self._shared_arrays())

    def _shared_arrays(self) -> list[ArrayUse]:
        """The shared arrays with their shapes; what blocks touch of them is not added up."""
        uses = []
        for entry in self.program.shared:
            dtype, shape = entry.slot.type.dtype, entry.shape
            if entry.dynamic:
                shape = (self.launch.dynamic_shared_bytes // dtype.itemsize,)
            size = int(np.prod(shape)) * dtype.itemsize
            name = entry.slot.name.rpartition("_")[0]
            uses.append(ArrayUse(name, Space.SHARED, dtype.name, shape, size, 0, 0))
        return uses

    @staticmethod
    def empty(launch: Launch, report: Findings, *, complete: bool) -> Trace:
        """A trace of a launch that was not counted: findings only."""
        watch = Watch((), [])
        return Trace(
            launch,
            (),
            (),
            (),
            (),
            (),
            report.all(),
            watch.events(),
            watch.steps((), {}),
            (),
            False,
            complete,
        )
