"""A trace written by hand for tests: each access is given lane by lane and counted one by one.

The counting here is plain Python over lanes, apart from the machine's, so that it can be held
against it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from gpuedu.trace import (
    AccessSite,
    Argument,
    ArrayUse,
    BarrierSite,
    BranchSite,
    Events,
    Finding,
    Launch,
    LineCount,
    Operation,
    Place,
    Source,
    Space,
    Steps,
    Trace,
)

ITEMSIZE = {"float16": 2, "float32": 4, "float64": 8, "complex128": 16, "int32": 4, "int8": 1}


def sectors_of(elements, itemsize):
    touched = set()
    for element in elements:
        touched |= {(element * itemsize + b) // 32 for b in range(itemsize)}
    return touched


def wavefronts_of(lanes, itemsize):
    """Passes for (lane, element) pairs: the fullest bank of each phase, in distinct words."""
    words = max(1, itemsize // 4)
    total = 0
    for phase in range(words):
        banks = {}
        for lane, element in lanes:
            if lane * words // 32 == phase:
                for w in range(words):
                    word = element * itemsize // 4 + w
                    banks.setdefault(word % 32, set()).add(word)
        total += max((len(b) for b in banks.values()), default=0)
    return total


def _touches(operation):
    """An atomic reads and writes."""
    if operation is Operation.ATOMIC:
        return ("read", "written")
    return ("read",) if operation is Operation.LOAD else ("written",)


@dataclass
class Builder:
    """Collects what a launch did; ``build`` makes the trace. Every block is watched."""

    source: str
    grid: tuple[int, int, int] = (1, 1, 1)
    block: tuple[int, int, int] = (32, 1, 1)
    kernel: str = "kernel"
    first_line: int = 1
    arguments: tuple[Argument, ...] = ()
    shared_bytes: int = 0
    sources: tuple[Source, ...] = ()
    findings: tuple[Finding, ...] = ()
    shapes: dict[str, tuple] = field(default_factory=dict)
    sites: list = field(default_factory=list)
    lines: dict = field(default_factory=dict)
    branches: list = field(default_factory=list)
    barriers: list = field(default_factory=list)
    events: list = field(default_factory=list)
    steps: list = field(default_factory=list)
    epoch: int = 0
    clock: int = 0

    @property
    def launch(self) -> Launch:
        kernel = Source(self.kernel, "kernel.py", self.first_line, self.source)
        return Launch(
            self.kernel,
            self.grid,
            self.block,
            (kernel, *self.sources),
            self.arguments,
            self.shared_bytes,
        )

    def everyone(self):
        """(W, 32): the lanes that exist."""
        launch = self.launch
        lane = np.arange(launch.warps_per_block * 32) < launch.threads_per_block
        return np.tile(lane.reshape(-1, 32), (launch.blocks, 1))

    def thread_index(self):
        """(W, 32): the linear index of each thread in the launch."""
        launch = self.launch
        own = np.arange(launch.warps_per_block * 32).reshape(-1, 32)
        per_block = [own + block * launch.threads_per_block for block in range(launch.blocks)]
        return np.concatenate(per_block)

    def step(self, line, active=None, flop=None, function=None):
        """One execution of a line by every warp that has an active lane."""
        active = self.everyone() if active is None else active & self.everyone()
        place = Place(function or self.kernel, line)
        counts = self.lines.setdefault(place, [0, 0, {}])
        counts[0] = counts[0] + active.any(axis=1).astype(np.int64)
        counts[1] = counts[1] + active.sum(axis=1)
        for dtype, each in (flop or {}).items():
            counts[2][dtype] = counts[2].get(dtype, 0) + each * int(active.sum())
        number = list(self.lines).index(place)
        for w in np.flatnonzero(active.any(axis=1)):
            bits = sum(1 << lane for lane in np.flatnonzero(active[w]).tolist())
            self.steps.append((self.clock, number, *self._where(w), self.epoch, bits))
        self.clock += 1

    def access(self, line, text, element, **options):
        """One execution of an access: ``element`` is (W, 32), -1 for an inactive lane."""
        element = np.where(self.everyone(), element, -1)
        key, site = self._site(line, text, **options)
        self.shapes.setdefault(site["array"], options.get("shape", ()))
        itemsize = site["itemsize"]
        for w in range(self.launch.warps):
            lanes = [(lane, int(e)) for lane, e in enumerate(element[w]) if e >= 0]
            if not lanes:
                continue
            site["requests"][w] += 1
            site["lanes"][w] += len(lanes)
            elements = [e for _, e in lanes]
            if site["space"] is Space.GLOBAL:
                site["sectors"][w] += len(sectors_of(elements, itemsize))
                site["ideal_sectors"][w] += -(-len(lanes) * itemsize // 32)
                for kind in _touches(site["operation"]):
                    site["touched"].setdefault(kind, set()).update(sectors_of(elements, itemsize))
            if site["space"] is Space.SHARED:
                site["wavefronts"][w] += wavefronts_of(lanes, itemsize)
                words = max(1, itemsize // 4)
                site["ideal_wavefronts"][w] += len({lane * words // 32 for lane, _ in lanes})
            if site["operation"] is Operation.ATOMIC:
                most = max(elements.count(e) for e in set(elements))
                site["same_address_lanes"][w] += most
            self.events.append((self.clock - 1, key, *self._where(w), self.epoch, element[w]))

    def branch(self, line, text, taken):
        """One execution of a condition: ``taken`` (W, 32) is where it held."""
        here = self.everyone()
        both = ((taken & here).any(axis=1)) & ((~taken & here).any(axis=1))
        place = Place(self.kernel, line)
        ones = here.any(axis=1).astype(np.int64)
        for known in self.branches:
            if known[:2] == [place, text]:
                known[2] = known[2] + ones
                known[3] = known[3] + both
                return
        self.branches.append([place, text, ones, both.astype(np.int64)])

    def barrier(self, line):
        """Every block meets; the epoch of what follows is one more."""
        arrivals = np.ones(self.launch.blocks, np.int64)
        self.barriers.append(BarrierSite(Place(self.kernel, line), "cuda.syncthreads()", arrivals))
        self.epoch += 1

    def build(self) -> Trace:
        lines = tuple(
            LineCount(place, executions, lanes, flop)
            for place, (executions, lanes, flop) in self.lines.items()
        )
        kept = [{k: v for k, v in site.items() if k != "touched"} for site in self.sites]
        return Trace(
            self.launch,
            lines,
            tuple(AccessSite(**site) for site in kept),
            tuple(BranchSite(*branch) for branch in self.branches),
            tuple(self.barriers),
            self._arrays(),
            self.findings,
            self._events(),
            self._steps(),
            watched=tuple(range(self.launch.blocks)),
        )

    def _where(self, w):
        return divmod(int(w), self.launch.warps_per_block)

    def _site(self, line, text, *, operation="load", space="global", dtype="float32", **more):
        place = Place(more.get("function", self.kernel), line)
        for number, site in enumerate(self.sites):
            if (site["place"], site["text"], site["operation"]) == (place, text, operation):
                return number, site
        counted = ("requests", "lanes", "sectors", "ideal_sectors", "wavefronts")
        counted += ("ideal_wavefronts", "same_address_lanes")
        self.sites.append(
            {
                "place": place,
                "column": 4,
                "text": text,
                "operation": Operation(operation),
                "space": Space(space),
                "array": text.partition("[")[0],
                "dtype": dtype,
                "itemsize": ITEMSIZE[dtype],
                "touched": {},
                **{name: np.zeros(self.launch.warps, np.int64) for name in counted},
            }
        )
        return len(self.sites) - 1, self.sites[-1]

    def _arrays(self):
        uses = []
        for array in dict.fromkeys(site["array"] for site in self.sites):
            own = [site for site in self.sites if site["array"] == array]
            shape = self.shapes[array]
            size = int(np.prod(shape)) * own[0]["itemsize"]
            touched = [
                32 * len(set().union(*(site["touched"].get(kind, set()) for site in own)))
                for kind in ("read", "written")
            ]
            uses.append(ArrayUse(array, own[0]["space"], own[0]["dtype"], shape, size, *touched))
        return tuple(uses)

    def _events(self):
        columns = list(zip(*self.events, strict=True)) or [()] * 6
        kinds = (np.int64, np.int32, np.int32, np.int32, np.int32)
        element = np.array(columns[5], np.int64).reshape(-1, 32)
        return Events(*(np.array(c, k) for c, k in zip(columns, kinds, strict=False)), element)

    def _steps(self):
        columns = list(zip(*self.steps, strict=True)) or [()] * 6
        kinds = (np.int64, np.int32, np.int32, np.int32, np.int32, np.uint32)
        return Steps(*(np.array(c, k) for c, k in zip(columns, kinds, strict=True)))
