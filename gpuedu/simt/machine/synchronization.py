"""Barriers and warp operations: where threads wait for each other."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from gpuedu.simt.intrinsics import warps
from gpuedu.simt.machine import findings as found
from gpuedu.simt.machine.accesses import Accesses
from gpuedu.simt.machine.addressing import LaunchStoppedError
from gpuedu.simt.machine.findings import Findings
from gpuedu.simt.machine.masks import Mask, without
from gpuedu.trace import WARP_SIZE, Place

CYCLES = np.int64(1000)
"""From one reading of the clock to the next: no time passes here, but waiting must end."""


class Synchronization(Accesses):
    """Threads of a block, and lanes of a warp, together."""

    _clock = np.int64(0)

    def retire(self, m: Mask) -> None:
        """Threads have returned from the kernel."""
        self.live = without(self.live, m)

    def barrier(self, site: int, kind: str, predicate: Any, m: Mask) -> Any:
        """All threads of a block meet; the counting forms give every thread the same answer."""
        self._check_barrier(site, m)
        if not kind:
            return None
        here = np.broadcast_to(self._mask(m), self.shape)
        yes = np.broadcast_to(predicate != 0, self.shape) & here
        if kind == "count":
            answer = yes.sum(axis=1, keepdims=True)
        elif kind == "or":
            answer = yes.any(axis=1, keepdims=True)
        else:
            answer = (yes | ~here).all(axis=1, keepdims=True)
        return answer.astype(np.int32)

    def _mask(self, m: Mask) -> np.ndarray:
        """A mask as an array."""
        if m is None:
            m = self.everybody
        return np.ones((1, 1), bool) if m is None else np.asarray(m)

    def _living(self) -> np.ndarray:
        """The threads that have not returned, as an array."""
        return np.zeros((1, 1), bool) if self.live is False else self._mask(self.live)

    def _check_barrier(self, site: int, m: Mask) -> None:
        of_grid = self.program.barriers[site].of_grid
        if m is None or m is (self.everybody if of_grid else self.live):
            return
        here = np.broadcast_to(self._mask(m), self.shape)
        living = np.broadcast_to(self._living(), self.shape)
        if of_grid:  # it waits for blocks of which nobody is left, too
            ended = ~living.any(axis=1, keepdims=True)
            missing = (living | ended & self._mask(self.everybody)) & ~here
        else:
            missing = here.any(axis=1, keepdims=True) & living & ~here
        if not missing.any():
            return
        self._stick(site, here, missing)

    def _stick(self, site: int, here: np.ndarray, missing: np.ndarray) -> None:
        """Threads wait for others: run on until these meet a barrier of their own, or end."""
        place = self.program.barriers[site].place
        if self._stuck is None:
            row, thread, count = self.first(missing)
            waiting = int(np.argmax(here[row]))
            finding = found.divergent_barrier(
                place, self.who(row, waiting), self.who(row, thread), count
            )
            self._stuck = finding, missing, self.report
            self.report = Findings()
            return
        finding, absent, report = self._stuck
        if (absent & here).any():
            report.add(replace(finding, other_place=place))
            raise LaunchStoppedError

    def finish(self) -> None:
        """All threads have ended, or are still waiting."""
        if self._stuck is not None:
            finding, _, report = self._stuck
            report.add(finding)
            raise LaunchStoppedError

    def warp(self, kind: str, place: Place, m: Mask, *arguments: Any) -> Any:
        """A shuffle, vote, match or ``syncwarp``; or a reading of the clock."""
        if kind == "clock":
            self._clock += CYCLES
            return (self._clock,)
        if kind == "lanemask_lt":
            return (np.tile(warps.lanemask_lt(), self.warps)[np.newaxis],)
        shape = np.broadcast_shapes(*(np.shape(a) for a in (*arguments, self._mask(m))), (1, 1))
        rows = shape[0]
        active = self._lanes(self._mask(m), rows)
        if kind == "activemask":
            return (self._threads(warps.activemask(active)),)
        members, *values = (self._lanes(argument, rows) for argument in arguments)
        self._check_members(place, active, members)
        if kind == "syncwarp":
            return None
        *results, undefined = getattr(warps, kind)(*values, active, members)
        self._check_sources(place, undefined & active, active)
        dtypes = {"ballot_sync": np.int32, "match_any_sync": np.int32}
        first = results[0].astype(dtypes[kind]) if kind in dtypes else results[0]
        if kind == "match_all_sync":
            first = first.astype(np.int32)
        return tuple(self._threads(part) for part in (first, *results[1:]))

    def _lanes(self, value: Any, rows: int) -> np.ndarray:
        spread = np.broadcast_to(value, (rows, self.shape[1]))
        return spread.reshape(rows, self.warps, WARP_SIZE)

    def _threads(self, lanes: np.ndarray) -> np.ndarray:
        return np.ascontiguousarray(lanes).reshape(lanes.shape[0], self.shape[1])

    def _check_members(self, place: Place, active: np.ndarray, members: np.ndarray) -> None:
        living = self._living()
        living = self._lanes(living, max(active.shape[0], living.shape[0]))
        absent = warps.unpack(warps.absent_lanes(active, members)) & living
        if absent.any():
            row, thread, count = self.first(self._spread(absent))
            self.report.add(
                found.warp_mask(
                    place,
                    self.who(row, thread),
                    "is named in the mask of a warp operation that it does not take part in",
                    count,
                )
            )
        own = (members.astype(np.uint32) >> np.arange(32, dtype=np.uint32)) & 1 == 0
        strangers = own & active
        if strangers.any():
            row, thread, count = self.first(self._spread(strangers))
            self.report.add(
                found.warp_mask(
                    place,
                    self.who(row, thread),
                    "takes part in a warp operation whose mask does not name it",
                    count,
                )
            )

    def _check_sources(self, place: Place, undefined: np.ndarray, active: np.ndarray) -> None:
        if undefined.any():
            row, thread, count = self.first(self._spread(undefined))
            self.report.add(found.absent_lane(place, self.who(row, thread), count))

    def _spread(self, lanes: np.ndarray) -> np.ndarray:
        return np.broadcast_to(self._threads(lanes), self.shape)

    def fence(self, scope: str, m: Mask) -> None:
        """Order a thread's accesses as other threads see them; here, values do not change."""

    def print(self, items: list[Any], form: str | None, m: Mask) -> None:
        """Print one line for each thread, or what C's ``printf`` makes from a format."""
        chosen = np.argwhere(np.broadcast_to(self._mask(m), self.shape))
        for row, thread in chosen:
            shown = tuple(self._shown(item, row, thread) for item in items)
            if form is None:
                print(*shown)
            else:
                print(form % tuple(value.item() for value in map(np.asarray, shown)), end="")

    def _shown(self, item: Any, row: int, thread: int) -> Any:
        """One thread's number, text, or tuple as Python writes it."""
        if not isinstance(item, tuple):
            return self.pick(item, row, thread)
        parts = [str(self._shown(part, row, thread)) for part in item]
        return "(" + ", ".join(parts) + (",)" if len(parts) == 1 else ")")
