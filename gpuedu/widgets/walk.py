"""A walk through what a watched block did: where it is, and where each move leads.

This is the whole logic of the stepping widget, without a widget: every move gives a new ``Walk``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from gpuedu.lens.lanes import Lane
from gpuedu.lens.listing import line_texts
from gpuedu.lens.requests import NothingWatchedError, Request, request_at
from gpuedu.trace.records import WARP_SIZE, Finding, Place, Thread, Trace


@dataclass(frozen=True)
class WarpState:
    """A warp when the walk stands at a frame: its last line, and (32,) of ``Lane`` values."""

    warp: int
    place: Place | None
    lanes: np.ndarray
    is_current: bool


@dataclass(frozen=True)
class Frame:
    """One warp at one line: what the learner sees at once.

    ``requests`` are the accesses of the warp there, ``hazards`` the findings that show here.
    """

    position: int
    block: int
    warp: int
    epoch: int
    place: Place
    text: str
    warps: tuple[WarpState, ...]
    requests: tuple[Request, ...]
    hazards: tuple[Finding, ...]


@dataclass(frozen=True)
class Walk:
    """A watched block, one frame for each warp and line in order of execution.

    ``rows`` are the block's rows in ``trace.steps``, ``events`` its rows in ``trace.events`` and
    ``owners`` the position at which each of those is seen. ``stops`` maps a position to the hazards
    that show there.
    """

    trace: Trace
    block: int
    rows: np.ndarray
    events: np.ndarray
    owners: np.ndarray
    stops: dict[int, tuple[Finding, ...]]
    position: int = 0

    def __len__(self) -> int:
        return len(self.rows)

    def at(self, position: int) -> Walk:
        """The walk at a position, or at the nearest one there is."""
        return replace(self, position=int(np.clip(position, 0, len(self) - 1)))

    def step(self, by: int = 1) -> Walk:
        """This many frames on (back, if negative)."""
        return self.at(self.position + by)

    def step_warp(self, by: int = 1) -> Walk:
        """To the next frame of the same warp, or the one before; stays if there is none."""
        return self._nearest(self._column("warp") == self._column("warp")[self.position], by)

    def step_epoch(self, by: int = 1) -> Walk:
        """To the first frame after the next barrier, or after the one before."""
        epochs = self._column("epoch")
        wanted = epochs[self.position] + by
        found = np.flatnonzero(epochs == wanted)
        return self.at(found[0]) if found.size else self

    def step_hazard(self) -> Walk:
        """To the next hazard, and after the last to the first; stays if there is none."""
        if not self.stops:
            return self
        later = [stop for stop in sorted(self.stops) if stop > self.position]
        return self.at(later[0] if later else min(self.stops))

    def moments(self, most: int = 12) -> list[Walk]:
        """The story of the current warp in at most this many frames, in order of execution.

        All of its frames if they are few enough. Otherwise a line counts once between two barriers,
        and a hazard always; if that is still too many, those nearest to the current frame.
        """
        own = np.flatnonzero(self._column("warp") == self._column("warp")[self.position])
        if own.size > most:
            visits = np.stack([self._column("epoch")[own], self._column("line")[own]], axis=1)
            kept = own[np.unique(visits, axis=0, return_index=True)[1]]
            kept = np.union1d(kept, [self.position, own[-1], *(set(own) & set(self.stops))])
            first = np.searchsorted(kept, self.position) - most // 2
            own = kept[max(0, min(first, kept.size - most)) :][:most]
        return [self.at(position) for position in own]

    @property
    def frame(self) -> Frame:
        """What is seen at the position."""
        row = self.rows[self.position]
        steps = self.trace.steps
        place = self.trace.lines[steps.line[row]].place
        return Frame(
            self.position,
            self.block,
            int(steps.warp[row]),
            int(steps.epoch[row]),
            place,
            line_texts(self.trace.launch).get(place, ""),
            tuple(self._warp_state(warp) for warp in range(self.trace.launch.warps_per_block)),
            self._requests(),
            self.stops.get(self.position, ()),
        )

    def _column(self, name: str) -> np.ndarray:
        return getattr(self.trace.steps, name)[self.rows]

    def _nearest(self, wanted: np.ndarray, by: int) -> Walk:
        found = np.flatnonzero(wanted)
        there = found[found > self.position] if by > 0 else found[found < self.position]
        if not there.size:
            return self
        return self.at(there[0] if by > 0 else there[-1])

    def _warp_state(self, warp: int) -> WarpState:
        lanes = np.full(WARP_SIZE, Lane.AWAY, np.uint8)
        before = np.flatnonzero(self._column("warp")[: self.position + 1] == warp)
        place = None
        if before.size:
            row = self.rows[before[-1]]
            lanes[:] = np.where(_lanes(self.trace.steps.active[row]), Lane.ACTIVE, Lane.IDLE)
            place = self.trace.lines[self.trace.steps.line[row]].place
        threads = warp * WARP_SIZE + np.arange(WARP_SIZE)
        lanes[threads >= self.trace.launch.threads_per_block] = Lane.ABSENT
        is_current = bool(before.size) and before[-1] == self.position
        return WarpState(warp, place, lanes, is_current)

    def _requests(self) -> tuple[Request, ...]:
        own = self.events[self.owners == self.position]
        return tuple(request_at(self.trace, int(event)) for event in own)


def walk(trace: Trace, block: int | None = None) -> Walk:
    """A walk through a watched block, at its first hazard or else at its start.

    Args:
        trace: The account of a launch, with watched steps.
        block: A watched block; by default the one of the first hazard, or the first.

    Raises:
        NothingWatchedError: No step of the block was kept.
    """
    block = _first_block(trace) if block is None else block
    rows = np.flatnonzero(trace.steps.block == block)
    if not rows.size:
        raise NothingWatchedError(
            f"no step of block {block} was kept",
            remedy=f"one of the watched blocks, {list(trace.watched)[:8]}",
        )
    events = np.flatnonzero(trace.events.block == block)
    whole = Walk(trace, block, rows, events, _owners(trace, rows, events), {})
    stops: dict[int, tuple[Finding, ...]] = {}
    for finding in trace.hazards:
        position = _where(whole, finding)
        if position is not None:
            stops[position] = (*stops.get(position, ()), finding)
    return replace(whole, stops=stops, position=min(stops, default=0))


def _owners(trace: Trace, rows: np.ndarray, events: np.ndarray) -> np.ndarray:
    """The position at which each access is seen: where its warp last came to its line.

    Lines of a straight run may share a step, so that the order alone does not tell. An access on a
    line that its warp has no step for (a long expression) belongs to the warp's last step before.
    """
    steps, owners = trace.steps, np.zeros(len(events), np.int64)
    for warp in np.unique(trace.events.warp[events]):
        is_warp = steps.warp[rows] == warp
        mine = np.flatnonzero(trace.events.warp[events] == warp)
        for site in np.unique(trace.events.site[events[mine]]):
            own = mine[trace.events.site[events[mine]] == site]
            line = _line_number(trace, trace.sites[site].place)
            positions = np.flatnonzero(is_warp & (steps.line[rows] == line))
            positions = positions if positions.size else np.flatnonzero(is_warp)
            when = np.searchsorted(
                steps.step[rows[positions]], trace.events.step[events[own]], side="right"
            )
            if positions.size:
                owners[own] = positions[np.maximum(when - 1, 0)]
    return owners


def _line_number(trace: Trace, place: Place) -> int:
    return next((n for n, line in enumerate(trace.lines) if line.place == place), -1)


def _first_block(trace: Trace) -> int:
    if not trace.watched:
        raise NothingWatchedError(
            "no step of this launch was kept",
            remedy="`simulate` with a block to watch, as in `watch=[0]`, and without `trace=False`",
        )
    for finding in trace.hazards:
        if finding.who is not None:
            number = trace.launch.block_number(finding.who.block)
            if number in trace.watched:
                return number
    return trace.watched[0]


def _where(whole: Walk, finding: Finding) -> int | None:
    """The frame at which a finding shows: of two threads that collide, the later one's."""
    found = [
        _first_frame(whole, finding, place, thread)
        for place, thread in (
            (finding.place, finding.who),
            (finding.other_place, finding.other),
        )
    ]
    return max((position for position in found if position is not None), default=None)


def _first_frame(
    whole: Walk, finding: Finding, place: Place | None, thread: Thread | None
) -> int | None:
    """The first frame in which a thread is active at a place, by preference at the element."""
    trace = whole.trace
    if place is None or thread is None or trace.launch.block_number(thread.block) != whole.block:
        return None
    warp, lane = divmod(_linear_thread(trace, thread), WARP_SIZE)
    steps, events = trace.steps, trace.events
    is_there = steps.line[whole.rows] == _line_number(trace, place)
    is_there &= steps.warp[whole.rows] == warp
    is_there &= (steps.active[whole.rows] >> np.uint32(lane)) & 1 == 1
    positions = np.flatnonzero(is_there)
    sites = [n for n, s in enumerate(trace.sites) if s.place == place and s.array == finding.array]
    own = np.isin(events.site[whole.events], sites) & (events.warp[whole.events] == warp)
    own &= events.element[whole.events, lane] == _element(trace, finding)
    touching = np.intersect1d(whole.owners[own], positions)
    found = touching if touching.size else positions
    return int(found[0]) if found.size else None


def _element(trace: Trace, finding: Finding) -> int:
    """The finding's element in memory order; -1, as in the events, where it is out of bounds."""
    shapes = [use.shape for use in trace.arrays if use.array == finding.array]
    if not shapes or len(shapes[0]) != len(finding.index) or not finding.index:
        return -1
    inside = all(0 <= i < n for i, n in zip(finding.index, shapes[0], strict=True))
    return int(np.ravel_multi_index(finding.index, shapes[0])) if inside else -1


def _linear_thread(trace: Trace, thread: Thread) -> int:
    x, y, _ = trace.launch.block
    return thread.thread[0] + x * (thread.thread[1] + y * thread.thread[2])


def _lanes(bits: int) -> np.ndarray:
    """(32,) bool from a mask; bit i is lane i."""
    return (np.uint32(bits) >> np.arange(WARP_SIZE, dtype=np.uint32)) & 1 == 1
