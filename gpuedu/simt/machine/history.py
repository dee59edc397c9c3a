"""Which threads touched memory before: every access is checked against ``shadow``'s history."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from gpuedu.simt.machine import findings as found
from gpuedu.simt.machine import races
from gpuedu.simt.machine.account import Account
from gpuedu.simt.machine.addressing import unravel
from gpuedu.simt.machine.chunk import Dim3
from gpuedu.simt.machine.findings import Findings
from gpuedu.simt.machine.machine import Budget, Machine
from gpuedu.simt.machine.masks import Mask
from gpuedu.simt.machine.shadow import (
    EPOCH_SHIFT,
    SYNC_SHIFT,
    THREAD_BITS,
    Race,
    Shadow,
    block_of,
    thread_of,
)
from gpuedu.simt.machine.views import View
from gpuedu.simt.machine.warps import Warps
from gpuedu.simt.program import Program
from gpuedu.trace import Space, Thread

EPOCHS = (1 << 16) - 1
SYNCS = (1 << 12) - 1

Access = tuple[int, View, Any, Mask, np.ndarray]


class History(Machine):
    """One chunk of blocks whose accesses are remembered."""

    def __init__(
        self,
        program: Program,
        grid: Dim3,
        block: Dim3,
        blocks: np.ndarray,
        report: Findings,
        budget: Budget,
        account: Account,
    ) -> None:
        super().__init__(program, grid, block, blocks, report, budget)
        self.account = account
        account.begin_chunk(self)
        self.epoch: Any = np.int64(0)
        self.syncs: Any = np.int64(0)
        self._codes: dict[bool, np.ndarray] = {}
        self._shared: dict[int, Shadow] = {}
        self._waiting: dict[int, list[Access]] = {}
        self._fence_time = np.zeros(self.shape, np.int64)
        self._fence_epoch = np.full(self.shape, -1, np.int64)
        self._told_exit = False
        self._sync_count = 0
        self._known = account.known
        self._known.matrix = None

    def few(self, warps: Warps) -> Self:
        """A machine for some warps under the same account."""
        made = super().few(warps)
        made._codes = {}
        fences = ("_fence_time", "_fence_epoch") if self.program.has_fences else ()
        for name in ("epoch", "syncs", *fences):
            setattr(made, name, warps.of(getattr(self, name)))
        made.resume()
        return made

    def resume(self) -> None:
        """All go on, after only a few did."""
        self.account.go_on_with(self)

    def watched(self) -> Any:
        """The rows of watched blocks, which are recorded one by one."""
        return self.account.watch.stays(self)

    def codes(self, *, shared: bool) -> np.ndarray:
        """The codes of all threads now; without blocks for shared memory."""
        if shared not in self._codes:
            code = self.thread | ((self.epoch % EPOCHS + 1) << EPOCH_SHIFT)
            code = code | ((self.syncs % SYNCS) << SYNC_SHIFT)
            if not shared:
                code = code | (self.blocks[:, np.newaxis] << THREAD_BITS)
            self._codes[shared] = code
        return self._codes[shared]

    # Shared memory: reads wait until somebody writes before the next barrier

    def _shadow(self, view: View) -> Shadow:
        allocation = view.flat.allocation
        if allocation.number not in self._shared:
            size = -(-allocation.size_bytes // allocation.unit)
            self._shared[allocation.number] = Shadow(
                size, timed=self.program.has_fences, known=self._known
            )
        return self._shared[allocation.number]

    def _shared_read(self, site: int, view: View, at: Any, m: Mask) -> None:
        self._look_for_garbage(site, view, at, m)
        self._waiting.setdefault(view.flat.allocation.number, []).append(
            (site, view, at, m, self.codes(shared=True))
        )
        if view.flat.allocation.number in self._wrote:
            self._catch_up(view.flat.allocation.number)

    @property
    def _wrote(self) -> set[int]:
        """The shared arrays that were written since the last barrier."""
        return self.__dict__.setdefault("_wrote_since", set())

    def _catch_up(self, number: int) -> None:
        """Enter the reads that wait."""
        self._wrote.add(number)
        for site, view, at, m, codes in self._waiting.pop(number, ()):
            self._enter(
                "read",
                self._shared[number] if number in self._shared else self._shadow(view),
                site,
                view,
                at,
                m,
                None,
                codes,
            )

    def _look_for_garbage(self, site: int, view: View, at: Any, m: Mask) -> None:
        shadow = self._shadow(view)
        if shadow._written:
            return
        units, _, lanes = self._units(view, at, m, shadow, self.codes(shared=True))
        missing = shadow.unwritten(units)
        if missing is not None:
            lane = int(np.argmax(missing)) % len(lanes[0])
            self._tell_garbage(site, view, at, lanes, lane, int(missing.sum()))

    def _tell_garbage(
        self,
        site: int,
        view: View,
        at: Any,
        lanes: tuple[np.ndarray, np.ndarray],
        lane: int,
        count: int,
    ) -> None:
        row, thread = int(lanes[0][lane]), int(lanes[1][lane])
        index = unravel(int(self.pick(at, row, thread)), view)
        self.report.add(
            found.uninitialised(
                self.program.sites[site].place,
                self.who(row, thread),
                view.name,
                index,
                view.space.value,
                count,
            )
        )

    def _units(
        self, view: View, at: Any, m: Mask, shadow: Shadow, codes: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, tuple[np.ndarray, np.ndarray]]:
        """Units of memory, codes, and (rows, threads) of the active lanes, each flat."""
        flat = view.flat
        shared = view.space is Space.SHARED
        rows = max(
            np.shape(part)[0] if np.ndim(part) else 1 for part in (at, m, codes) if part is not None
        )
        if m is None and self.everybody is not None:
            m = self.everybody
        if shared and rows > 1:
            shadow.split(self.shape[0])
        if (shared and shadow.rows > 1) or not shared:
            rows = self.shape[0]
        shape = (rows, self.shape[1])
        unit = flat.allocation.unit
        first = (
            (at * flat.step + flat.start) // unit if (flat.step, flat.start) != (unit, 0) else at
        )
        if shared and shadow.rows > 1:
            first = first + self.rows * shadow.size
        chosen = (
            np.nonzero(np.broadcast_to(True if m is None else m, shape))
            if m is not None
            else _all_lanes(shape)
        )
        units = np.broadcast_to(first, shape)[chosen]
        code = np.broadcast_to(codes, shape)[chosen]
        wide = view.dtype.itemsize // unit
        if wide > 1:
            units = (units[np.newaxis] + np.arange(wide)[:, np.newaxis]).reshape(-1)
            code = np.tile(code, wide)
        return units, code, chosen

    def _enter(
        self,
        kind: str,
        shadow: Shadow,
        site: int,
        view: View,
        at: Any,
        m: Mask,
        value: Any,
        codes: np.ndarray | None = None,
    ) -> None:
        if codes is None:
            codes = self.codes(shared=view.space is Space.SHARED)
        units, code, lanes = self._units(view, at, m, shadow, codes)
        for race in getattr(shadow, kind)(units, code, site, self.account.now):
            self._judge(kind, race, site, view, at, m, value, lanes)

    def _judge(
        self,
        kind: str,
        race: Race,
        site: int,
        view: View,
        at: Any,
        m: Mask,
        value: Any,
        lanes: tuple[np.ndarray, np.ndarray],
    ) -> None:
        """Tell a race, unless a handover orders it or both write the same."""
        left = np.ones(len(race.at), bool)
        if self.program.has_fences:
            lane = race.positions % len(lanes[0])
            addresses = self._addresses(view, at)[lanes][lane]
            left &= ~self.account.handovers.ordered(race, addresses)
        if not left.any():
            return
        same = np.zeros(len(race.at), bool)
        if kind == "write" and race.other_kind == "write":
            same = self._same_values(race, view, at, value, lanes)
        for chosen, is_same in ((left & ~same, False), (left & same, True)):
            if chosen.any():
                number = int(np.argmax(chosen))
                lane = int(race.positions[number]) % len(lanes[0])
                row, thread = int(lanes[0][lane]), int(lanes[1][lane])
                other = self._person(race.other[number], row, shared=view.space is Space.SHARED)
                place = self.program.sites[site].place
                other_place = self.program.sites[int(race.other_site[number])].place
                index = unravel(int(self.pick(at, row, thread)), view)
                self.report.add(
                    races.describe_race(
                        kind,
                        race.other_kind,
                        place,
                        other_place,
                        self.who(row, thread),
                        other,
                        view.name,
                        index,
                        int(chosen.sum()),
                        same=is_same,
                        checked=self._is_checked(kind, race, site, number),
                    )
                )

    def _addresses(self, view: View, at: Any) -> np.ndarray:
        """A number for each thread's place in memory, as handovers know it."""
        address = at * view.flat.step + view.flat.start + (view.flat.allocation.number << 44)
        if view.space is Space.SHARED:
            address = address + (self.blocks[:, np.newaxis] << 20)
        return np.broadcast_to(address, self.shape)

    def _is_checked(self, kind: str, race: Race, site: int, number: int) -> bool:
        """Whether a read races with a compare-and-swap, which looks again before it writes."""
        if {kind, race.other_kind} - {"change", "atomic"} != {"read"}:
            return False
        swap = site if kind == "change" else int(race.other_site[number])
        return swap in self.program.swaps

    def _same_values(
        self, race: Race, view: View, at: Any, value: Any, lanes: tuple[np.ndarray, np.ndarray]
    ) -> np.ndarray:
        """Whether each lane of a race writes what is, or ends up, in memory."""
        values = np.broadcast_to(value, self.shape)[lanes]
        lane = race.positions % len(lanes[0])
        if race.winners is not None:
            return _equal(values[race.winners % len(lanes[0])], values[lane])
        where = np.broadcast_to(at, self.shape)[lanes][lane]
        data = view.flat.data
        held = data[where] if data.ndim == 1 else data[lanes[0][lane], where]
        return _equal(held, values[lane])

    def _person(self, code: int, row: int, *, shared: bool) -> Thread:
        block = int(self.blocks[row]) if shared else int(block_of(code))
        return self.person(block, int(thread_of(code)))


def _equal(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Whether values are equal, NaN with NaN."""
    return np.asarray((first == second) | ((first != first) & (second != second)))


def _all_lanes(shape: tuple[int, int]) -> tuple[np.ndarray, np.ndarray]:
    rows, threads = np.divmod(np.arange(shape[0] * shape[1]), shape[1])
    return rows, threads
