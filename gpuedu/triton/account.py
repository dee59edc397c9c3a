"""What the programs of a launch did: loads, stores, atomics, operations, and what went wrong."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gpuedu.trace import (
    WARP_SIZE,
    ArrayUse,
    Launch,
    LineCount,
    Operation,
    Place,
    Space,
    Thread,
    Trace,
)
from gpuedu.trace.findings import Findings
from gpuedu.triton import findings as told
from gpuedu.triton.accesses import COUNTS, Request, SiteAccount, Watched, in_order
from gpuedu.triton.memory import Memory, Storage
from gpuedu.triton.shadow import Order, Touched, collide
from gpuedu.triton.sites import NOWHERE, Site, Sources
from gpuedu.triton.unknown import has_origin, origins, plain, unknown_of


class Account:
    """What the programs of a launch do: the hooks of its interpreter."""

    def __init__(
        self,
        sources: Sequence[Any],
        memory: Memory,
        grid: tuple[int, int, int],
        warps: int,
        watch: Sequence[int],
    ) -> None:
        self.sources = Sources()
        for one in sources:
            self.sources.add(one)
        self.memory, self.grid, self.warps = memory, grid, warps
        self.programs = grid[0] * grid[1] * grid[2]
        self.findings = Findings()
        self._sites: dict[tuple[Any, ...], SiteAccount] = {}
        self._watched = Watched(tuple(watch))
        self._order = Order(self.programs)
        self._touched: dict[int, Touched] = {}
        self._seen: dict[tuple[int, Operation], np.ndarray] = {}
        self._flop: dict[Place, Counter[str]] = defaultdict(Counter)
        self._ran: dict[Place, np.ndarray] = {}
        self._ops: Counter[Any] = Counter()
        self._partial: list[Site] = [NOWHERE]
        self._mixed: dict[int, tuple[Site, int]] = {}
        self._step = 0
        self.program = 0
        self.is_complete = False

    def run_all(self, run: Callable[[], Any], place_at: Callable[..., None]) -> None:
        """Each program, one after another; the first one that fails ends the launch."""
        x, y, _ = self.grid
        for number in range(self.programs):
            self.program = number
            self._mixed.clear()
            self._order.start(number)
            place_at(number % x, number // x % y, number // (x * y))
            try:
                run()
            except Exception as fault:  # whatever a kernel raises is a finding of it
                self.findings.add(told.failed(self.sources.of_failure(fault), fault, self._who()))
                self._close()
                return
            self._close()
        self.is_complete = True

    def _close(self) -> None:
        """Lines that the program ran: each as often as its busiest expression."""
        often: dict[Place, int] = {}
        for site, count in self._ops.items():
            often[site.place] = max(often.get(site.place, 0), count)
        for place, count in often.items():
            if place not in self._ran:
                self._ran[place] = np.zeros(self.programs, np.int64)
            self._ran[place][self.program] = count
        self._ops.clear()

    def _who(self) -> Thread:
        x, y, _ = self.grid
        number = self.program
        block = (number % x, number // x % y, number // (x * y))
        return Thread(block, (0, 0, 0), 3 if block[2] else 2 if self.grid[1] > 1 else 1)

    def address(self, numbers: np.ndarray) -> np.ndarray:
        """Hook for numbers that become pointers."""
        return self.memory.made_up(numbers)

    def load(
        self, address: np.ndarray, active: np.ndarray, other: Any, dtype: Any, kind: str
    ) -> np.ndarray:
        """Hook for a load."""
        storage, element, ok, site = self._access(Operation.LOAD, address, active, dtype)
        if other is None and not active.all():
            other = unknown_of(dtype, kind, self._origin(site, kind))
        got = np.full(address.shape, 0 if other is None else other, dtype)
        got[active & ~ok] = np.nan if got.dtype.kind == "f" else 0  # outside: told already
        if storage is not None:
            got[ok] = plain(storage.of(np.dtype(dtype))[element], kind)
        return got

    def use(self, value: np.ndarray, kind: str) -> None:
        """Hook for values that go to memory, or decide: mixed unknown ones are reported."""
        for origin, count in _counts(origins(value, kind)):
            if origin > len(self._partial):  # bits of the kernel's own that look like it
                continue
            where, mixed = self._mixed.get(origin, (self.sources.here(), count))
            self.findings.add(told.unknown(self._partial[origin - 1], where, self._who(), mixed))

    def mix(self, by: np.ndarray) -> None:
        """Hook for unknown values in a sum, a maximum or a product, whose result may be masked."""
        for origin, count in _counts(by):
            self._mixed.setdefault(origin, (self.sources.here(), count))

    def _origin(self, site: Site, kind: str) -> int:
        """A number for a load that leaves something unknown; 0 is the last one without a number."""
        if not has_origin(kind):
            self._partial[0] = site
            return 0
        if site not in self._partial[1:]:
            self._partial.append(site)
        return self._partial.index(site, 1)

    def store(self, address: np.ndarray, active: np.ndarray, value: np.ndarray, kind: str) -> None:
        """Hook for a store."""
        storage, element, ok, site = self._access(Operation.STORE, address, active, value.dtype)
        if storage is None:
            return
        new = value[ok]
        self.use(new, kind)
        if len(np.unique(element)) < len(element):
            self._require_equal(storage, element, new, site)
        storage.of(value.dtype)[element] = new

    def _require_equal(
        self, storage: Storage, element: np.ndarray, new: np.ndarray, site: Site
    ) -> None:
        order = np.argsort(element, kind="stable")
        same = np.diff(element[order]) == 0
        differ = same & (np.diff(new[order].view(f"u{new.dtype.itemsize}")) != 0)
        if differ.any():
            at = int(element[order][np.argmax(differ)])
            where = self._where(storage, at * new.dtype.itemsize)
            self.findings.add(told.two_values(site, self._who(), *where, int(differ.sum())))

    def atomic(
        self, address: np.ndarray, active: np.ndarray, change: Callable[..., Any], value: Any
    ) -> np.ndarray:
        """Hook for an atomic: one element after another, because several may name the same one."""
        is_lock = address.size == 1
        if is_lock:
            self._order.acquire(int(address.ravel()[0]))
        got = np.zeros(address.shape, value.dtype)
        storage, element, ok, _ = self._access(Operation.ATOMIC, address, active, value.dtype)
        if storage is not None:
            numbers, before = storage.of(value.dtype), []
            for at, one in zip(element.tolist(), value[ok], strict=True):
                before.append(numbers[at])
                numbers[at] = np.asarray(change(numbers[at], one)).ravel()[0]
            got[ok] = before
        if is_lock:
            self._order.release(int(address.ravel()[0]))
        return got

    def compute(self, flop: int, dtype: str) -> None:
        """Hook for arithmetic."""
        if not dtype.startswith(("fp", "bf")):
            return
        site = self.sources.here()
        self._flop[site.place][told.DTYPES.get(dtype, dtype)] += flop
        self._ops[site] += 1

    def product(self, is_tf32: bool) -> None:
        """Hook for a product of blocks."""
        if is_tf32:
            self.findings.add(told.tf32(self.sources.here()))

    def _access(
        self, operation: Operation, address: np.ndarray, active: np.ndarray, dtype: Any
    ) -> tuple[Storage | None, np.ndarray, np.ndarray, Site]:
        """Count an access; gives its storage, elements, and where they are good and active."""
        site, itemsize = self.sources.here(), np.dtype(dtype).itemsize
        self._ops[site] += 1
        self._step += 1
        at = address.astype(np.int64)
        wanted = at[active]
        if not wanted.size:
            return None, wanted, active, site
        storage = self.memory.require_one(address[active])
        offset = wanted - storage.address
        good = (offset >= 0) & (offset + itemsize <= len(storage.host))
        if storage.inside is not None:
            good[good] = storage.inside[offset[good]]
        if not good.all():
            where = self._where(storage, int(offset[np.argmin(good)]))
            bad = int((~good).sum())
            self.findings.add(told.outside(site, self._who(), operation, *where, bad))
        between = good & (offset % itemsize != 0)
        if between.any():
            where = self._where(storage, int(offset[np.argmax(between)]))
            bad = int(between.sum())
            self.findings.add(told.misaligned(site, self._who(), operation, *where, itemsize, bad))
            good &= ~between
        ok = active.copy()
        ok[active] = good
        element = offset[good] // itemsize
        self._look_for_unwritten(operation, site, storage, offset[good])
        self._count(operation, site, storage, itemsize, at, ok)
        self._mark(operation, site, storage, offset[good] // storage.unit)
        return storage, element, ok, site

    def _look_for_unwritten(
        self, operation: Operation, site: Site, storage: Storage, offset: np.ndarray
    ) -> None:
        fresh = storage.unwritten
        if fresh is None:
            return
        if operation is not Operation.STORE and fresh[offset].any():
            where = self._where(storage, int(offset[np.argmax(fresh[offset])]))
            count = int(fresh[offset].sum())
            self.findings.add(told.unwritten(site, self._who(), *where, count))
        fresh[offset] = fresh[offset] & (operation is Operation.LOAD)

    def _where(self, storage: Storage, offset: int) -> tuple[str, tuple[int, ...], tuple[int, ...]]:
        name = storage.name_at(offset)
        return name, storage.index_at(name, offset), tuple(storage.views[name].shape)

    def _count(
        self,
        operation: Operation,
        site: Site,
        storage: Storage,
        itemsize: int,
        address: np.ndarray,
        ok: np.ndarray,
    ) -> None:
        flat, active = in_order(address, ok)
        self._watched.step(self._step, site.place, self.program, self.warps, active)
        if not active.any():
            return
        name = storage.name_at(int(flat[np.argmax(active)]) - storage.address)
        key = (site, operation, name)
        if key not in self._sites:
            tensor = storage.views[name]
            counts = {one: np.zeros(self.programs * self.warps, np.int64) for one in COUNTS}
            dtype = str(tensor.dtype).removeprefix("torch.")
            self._sites[key] = SiteAccount(site, operation, name, dtype, itemsize, counts)
        rows = self._sites[key].add(self.program, self.warps, Request(flat, active, itemsize))
        number = list(self._sites).index(key)
        begin = storage.address + storage.views[name].storage_offset() * itemsize
        element = np.where(rows >= 0, (rows - begin) // itemsize, -1)
        self._watched.add(self._step, number, self.program, self.warps, element)
        for kind in _TOUCHES[operation]:
            use = (storage.number, kind)
            if use not in self._seen:
                self._seen[use] = np.zeros(-(-len(storage.host) // 32), bool)
            offset = flat[active] - storage.address
            self._seen[use][offset // 32] = True
            self._seen[use][(offset + itemsize - 1) // 32] = True

    def _mark(
        self, operation: Operation, site: Site, storage: Storage, element: np.ndarray
    ) -> None:
        if self.programs == 1:
            return
        touched = self._touched.get(storage.number)
        if touched is None:
            touched = self._touched[storage.number] = Touched(storage.units)
        found = collide(
            touched,
            self._order,
            element,
            reads=operation is Operation.LOAD,
            writes=operation is Operation.STORE,
            atomic=operation is Operation.ATOMIC,
        )
        if found:
            where = self._where(storage, found.element * storage.unit)
            self.findings.add(told.race(site, self._who(), operation, *where, found))

    def trace(self, launch: Launch) -> Trace:
        """All of it, frozen."""
        lines = tuple(self._lines())
        return Trace(
            launch,
            lines,
            tuple(one.frozen() for one in self._sites.values()),
            (),
            (),
            tuple(self._uses()),
            self.findings.all(),
            self._watched.frozen(),
            self._watched.frozen_steps({one.place: at for at, one in enumerate(lines)}),
            self._watched.programs,
            complete=self.is_complete,
            events_truncated=self._watched.is_truncated,
        )

    def _lines(self) -> list[LineCount]:
        places = sorted({*self._ran, *self._flop})
        found = []
        for place in places:
            ran = self._ran.get(place, np.zeros(self.programs, np.int64))
            by_warp = np.repeat(ran, self.warps)
            flop = dict(self._flop.get(place, {}))
            found.append(LineCount(place, by_warp, by_warp * WARP_SIZE, flop))
        return found

    def _uses(self) -> list[ArrayUse]:
        found = []
        for storage in self.memory.storages:
            for name, tensor in storage.views.items():
                size = tensor.numel() * tensor.element_size()
                first = tensor.storage_offset() * tensor.element_size() // 32
                rows = slice(first, first + -(-size // 32))
                touched = [
                    32 * int(self._seen[storage.number, kind][rows].sum())
                    if (storage.number, kind) in self._seen
                    else 0
                    for kind in (Operation.LOAD, Operation.STORE)
                ]
                dtype = str(tensor.dtype).removeprefix("torch.")
                found.append(
                    ArrayUse(name, Space.GLOBAL, dtype, tuple(tensor.shape), size, *touched)
                )
        return found


def _counts(by: np.ndarray) -> list[tuple[int, int]]:
    """Each origin, and how many values have it; without what is known."""
    numbers, counts = np.unique(by[by > 0], return_counts=True)
    return list(zip(numbers.tolist(), counts.tolist(), strict=True))


_TOUCHES = {
    Operation.LOAD: (Operation.LOAD,),
    Operation.STORE: (Operation.STORE,),
    Operation.ATOMIC: (Operation.LOAD, Operation.STORE),
}
