"""The machine with an account: counts, hazards that need history, accesses one by one."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from gpuedu.simt.intrinsics import matrices
from gpuedu.simt.machine import findings as found
from gpuedu.simt.machine.history import EPOCHS, SYNCS, History
from gpuedu.simt.machine.masks import Mask, narrow
from gpuedu.simt.machine.shadow import (
    Shadow,
)
from gpuedu.simt.machine.views import View
from gpuedu.simt.program import MoveFragment
from gpuedu.trace import WARP_SIZE, Place, Space


class TracedMachine(History):
    """One chunk of blocks, running under an account."""

    def load(self, site: int, view: View, index: tuple[Any, ...], m: Mask) -> Any:
        """Read one element for each thread, and enter it."""
        at, m = self.locate(site, view, index, m)
        if m is not False:
            self.account.access(site, view, at, m, self.epoch)
            self._remember_read(site, view, at, m)
        return self._read(site, view, at, m)

    def _remember_read(self, site: int, view: View, at: Any, m: Mask) -> None:
        if view.space is Space.SHARED:
            self._shared_read(site, view, at, m)
        elif view.space is Space.GLOBAL:
            shadow = self.account.shadow(view.flat.allocation, "load")
            if shadow is not None:
                self._enter("read", shadow, site, view, at, m, None)

    def store(self, site: int, view: View, index: tuple[Any, ...], value: Any, m: Mask) -> None:
        """Write one element for each thread, and enter it."""
        at, m = self.locate(site, view, index, m)
        if m is False:
            return
        self.account.access(site, view, at, m, self.epoch)
        self._remember_write(site, view, at, value, m)
        self._write(view, at, value, m)

    def _remember_write(self, site: int, view: View, at: Any, value: Any, m: Mask) -> None:
        shadow = self._history(view, "store")
        if shadow is not None:
            self._enter("write", shadow, site, view, at, m, value)

    def load_own(self, site: int, view: View, index: tuple[Any, ...], m: Mask) -> Any:
        """Read one element of each thread's own array, and enter it."""
        if m is None and len(index) == 1:
            at = index[0]
            if not isinstance(at, np.ndarray) and 0 <= at < view.length and view.flat.holds(at):
                self.account.access_own(site, view, at, m, self.epoch)
                return view.flat.held(at)
        at, m = self.locate_own(site, view, index, m)
        if m is not False:
            self.account.access_own(site, view, at, m, self.epoch)
        return self._read_own(site, view, at, m)

    def store_own(self, site: int, view: View, index: tuple[Any, ...], value: Any, m: Mask) -> None:
        """Write one element of each thread's own array, and enter it."""
        if m is None and len(index) == 1:
            at = index[0]
            if not isinstance(at, np.ndarray) and 0 <= at < view.length and view.flat.holds(at):
                self.account.access_own(site, view, at, m, self.epoch)
                view.flat.hold(at, value)
                return
        at, m = self.locate_own(site, view, index, m)
        if m is not False:
            self.account.access_own(site, view, at, m, self.epoch)
            view.flat.write(at, value, m)

    def load_quietly(self, site: int, view: View, index: tuple[Any, ...], m: Mask) -> Any:
        """Read one element of a matrix for each thread, and remember it."""
        at, m = self.locate(site, view, index, m)
        if m is not False:
            self._remember_read(site, view, at, m)
        return self._read(site, view, at, m)

    def store_quietly(
        self, site: int, view: View, index: tuple[Any, ...], value: Any, m: Mask
    ) -> None:
        """Write one element of a matrix for each thread, and remember it."""
        at, m = self.locate(site, view, index, m)
        if m is not False:
            self._remember_write(site, view, at, value, m)
            self._write(view, at, value, m)

    def count_matrix(self, s: MoveFragment, view: View, index: Any, stride: Any, m: Mask) -> None:
        """Enter the requests of a matrix, in words of the site's type."""
        dtype = self.program.sites[s.site].dtype
        words = self._words(view, dtype)
        shape, by_columns = s.fragment.shape, s.by_columns
        begin = (view.offset + index) * view.flat.step + view.flat.start - words.flat.start
        for request in matrices.requests(view.dtype, shape, s.role, by_columns=by_columns):
            line, position = (
                np.tile(part, self.warps)[np.newaxis] for part in (request.line, request.position)
            )
            at = (begin + (line * stride + position) * view.flat.step) // dtype.itemsize
            asks = (at >= 0) & (at < words.flat.data.shape[-1])
            if request.active is not None:
                asks = asks & np.tile(request.active, self.warps)
            here, _ = narrow(m, asks)
            if here is not False:
                self.account.access(s.site, words, at, here, self.epoch)

    def _words(self, view: View, dtype: np.dtype) -> View:
        """An array's memory as words; the same object each time, as counting asks for."""
        key = (id(view.flat), dtype)
        if key not in self._as_words:
            self._as_words[key] = (view.flat, view.retyped(dtype))
        return self._as_words[key][1]

    @cached_property
    def _as_words(self) -> dict[tuple[int, np.dtype], tuple[Any, View]]:
        return {}

    def atomic(
        self,
        site: int,
        operation: str,
        view: View,
        index: tuple[Any, ...],
        operands: tuple[Any, ...],
        wants: bool,
        m: Mask,
    ) -> Any:
        """Read, change and write one element for each thread, and enter it."""
        at, m = self.locate(site, view, index, m)
        if m is False:
            return view.dtype.type(0)
        self.account.access(site, view, at, m, self.epoch)
        if view.space is Space.SHARED:
            self._look_for_garbage(site, view, at, m)
        shadow = self._history(view, "atomic")
        if shadow is not None:
            self._enter("change", shadow, site, view, at, m, None)
        if self.program.has_fences:
            self._hand_over(view, at, wants, m)
        return self._change(operation, view, at, operands, wants, m)

    def _history(self, view: View, operation: str) -> Shadow | None:
        if view.space is Space.SHARED:
            shadow = self._shadow(view)
            self._catch_up(view.flat.allocation.number)
            return shadow
        if view.space is Space.GLOBAL:
            return self.account.shadow(view.flat.allocation, operation)
        return None

    def barrier(self, site: int, kind: str, predicate: Any, m: Mask) -> Any:
        """All threads of a block meet: what came before happens before what comes after."""
        answer = super().barrier(site, kind, predicate, m)
        arrived: Any = True
        if m is not None and m is not self.live:
            arrived = np.broadcast_to(m, self.shape).any(axis=1, keepdims=True)
        self.account.barrier(site, arrived)
        self._tell_exit(site)
        if self.program.barriers[site].of_grid:
            self.account.order_all()
        if arrived is True or arrived.all():
            self.epoch = self.epoch + 1
            self.syncs, self._sync_count = np.int64(0), 0
            self._known.matrix = None
            self._waiting.clear()
            self._wrote.clear()
        else:
            for number in list(self._waiting):
                self._catch_up(number)
            self.epoch = self.epoch + arrived.astype(np.int64)
            self.syncs = np.where(arrived, 0, self.syncs)
        self._codes.clear()
        return answer

    def _tell_exit(self, site: int) -> None:
        if self._told_exit or self.live is self.everybody:
            return
        self._told_exit = True
        living = np.broadcast_to(self._living(), self.shape)
        gone = self._mask(self.everybody) & ~living & living.any(axis=1, keepdims=True)
        if gone.any():
            row, thread, _ = self.first(gone)
            place = self.program.barriers[site].place
            self.report.add(found.exited_threads(place, self.who(row, thread)))

    def warp(self, kind: str, place: Place, m: Mask, *arguments: Any) -> Any:
        """Lanes meet: what the lanes named did before happens before what they do after."""
        result = super().warp(kind, place, m, *arguments)
        if kind not in ("activemask", "lanemask_lt", "clock"):
            members = np.asarray(arguments[0]).astype(np.uint32)
            self._sync(members, m)
            for number in list(self._waiting):
                self._catch_up(number)
            self._codes.clear()
        return result

    def _sync(self, members: np.ndarray, m: Mask) -> None:
        """Lanes that a mask names have met: their accesses so far are ordered."""
        self._sync_count += 1
        if self._sync_count == SYNCS:
            self._forget_syncs()
        whole = m is None and members.ndim == 0 and members == 0xFFFFFFFF
        if whole and self._known.matrix is None:
            self.syncs = np.int64(self._sync_count)
            return
        lane = np.arange(self.shape[1]) % WARP_SIZE
        named = ((members >> lane.astype(np.uint32)) & 1).astype(bool) & self._mask(m)
        if self._known.matrix is None:
            before = np.broadcast_to(self.syncs, self.shape).max(axis=0)
            self._known.matrix = np.repeat(before[:, np.newaxis], WARP_SIZE, axis=1)
        self.syncs = np.where(named, self._sync_count, self.syncs)
        met = np.broadcast_to(named.any(axis=0), (self.shape[1],))
        meetings = self._meetings(members, named)
        if meetings is None:
            self._learn(self._known.matrix, met, lane)
        else:
            self._learn_apart(self._known.matrix, met, lane, meetings)

    def _meetings(self, members: np.ndarray, named: np.ndarray) -> np.ndarray | None:
        """Who meets whom, (warps, 32, 32), where a warp's lanes pass different masks; else None.

        In blocks that differ, lanes that meet in one of them are taken to meet.
        """
        if members.ndim == 0 or members.shape[-1] == 1:
            return None
        named = np.broadcast_to(named, np.broadcast_shapes(named.shape, members.shape))
        words = np.where(named, members, np.uint32(0)).reshape(-1, self.warps, WARP_SIZE)
        there = words != 0
        if (words == np.where(there, words.max(axis=-1, keepdims=True), 0)).all():
            return None
        bits = np.uint32(1) << np.arange(WARP_SIZE, dtype=np.uint32)
        names = (words[..., np.newaxis] & bits) != 0
        return (names & names.swapaxes(-1, -2)).any(axis=0)

    def _learn_apart(
        self, matrix: np.ndarray, met: np.ndarray, lane: np.ndarray, meetings: np.ndarray
    ) -> None:
        """Lanes of a warp met in several groups: each learns what its own group knew."""
        matrix[np.flatnonzero(met), lane[met]] = self._sync_count
        by_warp = matrix.reshape(-1, WARP_SIZE, WARP_SIZE)
        for warp, meets in zip(by_warp, meetings, strict=True):
            told = np.where(meets[..., np.newaxis], warp[np.newaxis], 0).max(axis=1)
            np.maximum(warp, told, out=warp)

    def _learn(self, matrix: np.ndarray, met: np.ndarray, lane: np.ndarray) -> None:
        """The lanes that met know from now on what any of them knew."""
        matrix[np.flatnonzero(met), lane[met]] = self._sync_count
        by_warp = matrix.reshape(-1, WARP_SIZE, WARP_SIZE)
        shared = np.where(met.reshape(-1, WARP_SIZE, 1), by_warp, 0).max(axis=1, keepdims=True)
        by_warp[:] = np.where(met.reshape(-1, WARP_SIZE, 1), np.maximum(by_warp, shared), by_warp)

    def _forget_syncs(self) -> None:
        """The count of syncs is full: begin anew."""
        self.account.forget_syncs()
        for shadow in self._shared.values():
            shadow.forget_syncs()
        self._known.matrix = None
        self._sync_count = 1

    def fence(self, scope: str, m: Mask) -> None:
        """The threads' accesses so far can be handed over by an atomic."""
        self.account.now += 1
        here = np.broadcast_to(self._mask(m), self.shape)
        self._fence_time[here] = self.account.now
        epochs = np.broadcast_to(self.epoch % EPOCHS + 1, self.shape)
        self._fence_epoch[here] = epochs[here]

    def _hand_over(self, view: View, at: Any, looks: bool, m: Mask) -> None:
        chosen = np.broadcast_to(self._mask(m), self.shape)
        self.account.handovers.add(
            self._addresses(view, at)[chosen],
            np.broadcast_to(self.codes(shared=False), self.shape)[chosen],
            self._fence_time[chosen],
            self._fence_epoch[chosen],
            looks=looks,
        )

    def count(self, region: int, m: Mask) -> None:
        """A region of the program begins."""
        self.account.region(region, m, self.epoch)

    def branch(self, site: int, m: Mask, condition: Any) -> tuple[Mask, Mask]:
        """Threads split on a condition; warps whose lanes split are counted."""
        then, orelse = narrow(m, condition)
        if site >= 0:
            self.account.branch(site, m, then, orelse)
        return then, orelse
