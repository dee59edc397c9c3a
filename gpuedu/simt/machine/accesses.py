"""Loads, stores, atomics: what the threads of a chunk do to memory."""

from __future__ import annotations

from typing import Any

import numpy as np

from gpuedu.errors import GpueduError
from gpuedu.simt.intrinsics import atomics, random
from gpuedu.simt.machine import findings as found
from gpuedu.simt.machine.addressing import Addressing, unravel
from gpuedu.simt.machine.cells import Cells, garbage
from gpuedu.simt.machine.masks import Mask, narrow
from gpuedu.simt.machine.views import View
from gpuedu.trace import Space
from gpuedu.widths import as_index


class Accesses(Addressing):
    """Memory of a chunk of blocks."""

    def load(self, site: int, view: View, index: tuple[Any, ...], m: Mask) -> Any:
        """Read one element for each thread."""
        at, m = self.locate(site, view, index, m)
        return self._read(site, view, at, m)

    def _read(self, site: int, view: View, at: Any, m: Mask) -> Any:
        if m is False:
            return garbage(view.dtype)
        data = view.flat.data
        if data.ndim == 1:
            return data[at]
        if not isinstance(at, np.ndarray):
            return data[:, at : at + 1].copy()
        if at.shape[0] == 1:
            return data.take(as_index(at[0]), axis=1)
        return data[self.rows, at]

    def locate_own(
        self, site: int, view: View, index: tuple[Any, ...], m: Mask
    ) -> tuple[Any, Mask]:
        """Like ``locate`` in each thread's own array, whose only index may be narrow."""
        if len(index) == 1:
            (i,) = index
            if isinstance(i, np.ndarray):
                index = (i.astype(np.int64, copy=False),)
            elif 0 <= i < view.length:
                return i, m
            else:
                index = (np.int64(i),)
        return self.locate(site, view, index, m)

    def load_own(self, site: int, view: View, index: tuple[Any, ...], m: Mask) -> Any:
        """Read one element of each thread's own array."""
        at, m = self.locate_own(site, view, index, m)
        return self._read_own(site, view, at, m)

    def _read_own(self, site: int, view: View, at: Any, m: Mask) -> Any:
        if m is False:
            return garbage(view.dtype)
        value, missing = view.flat.read(at, m)
        if missing is not False:
            self._uninitialised(site, view, at, missing)
        return value

    def _uninitialised(self, site: int, view: View, at: Any, missing: Mask) -> None:
        row, thread, count = self.first(missing)
        index = unravel(int(self.pick(at, row, thread)), view)
        place = self.program.sites[site].place
        self.report.add(
            found.uninitialised(
                place, self.who(row, thread), view.name, index, view.space.value, count
            )
        )

    def store(self, site: int, view: View, index: tuple[Any, ...], value: Any, m: Mask) -> None:
        """Write one element for each thread."""
        at, m = self.locate(site, view, index, m)
        if m is not False:
            self._write(view, at, value, m)

    def _write(self, view: View, at: Any, value: Any, m: Mask) -> None:
        flat = view.flat
        if flat.data.ndim == 1:
            _scatter(flat.data, at, value, m)
        elif (np.ndim(at) and at.shape[0] > 1) or (m is not None and m.shape[0] > 1):  # type: ignore[union-attr]
            rows, at, value = np.broadcast_arrays(self.rows, at, value)
            if m is None:
                flat.data[rows, at] = value
            else:
                rows, at, value, m = np.broadcast_arrays(rows, at, value, m)
                flat.data[rows[m], at[m]] = value[m]
        else:
            _scatter_columns(flat.data, at, value, m)

    def store_own(self, site: int, view: View, index: tuple[Any, ...], value: Any, m: Mask) -> None:
        """Write one element of each thread's own array."""
        at, m = self.locate_own(site, view, index, m)
        if m is not False:
            view.flat.write(at, value, m)

    def fill(self, site: int, view: View, value: Any, m: Mask) -> None:
        """Write every element of a view."""
        store = self.store_own if view.space is Space.LOCAL else self.store
        longest = tuple(int(np.max(n)) for n in view.shape)
        for position in np.ndindex(*longest):
            inside: Any = np.True_
            for i, extent in zip(position, view.shape, strict=True):
                inside = inside & (i < extent)
            here, _ = narrow(m, inside)
            if here is not False:
                store(site, view, tuple(np.int64(i) for i in position), value, here)

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
        """Read, change and write one element for each thread, thread after thread."""
        at, m = self.locate(site, view, index, m)
        if m is False:
            return garbage(view.dtype)
        return self._change(operation, view, at, operands, wants, m)

    def _change(
        self, operation: str, view: View, at: Any, operands: tuple[Any, ...], wants: bool, m: Mask
    ) -> Any:
        flat = view.flat
        if isinstance(flat, Cells):
            raise GpueduError(
                f"an atomic on the local array `{view.name}`",
                remedy="local memory has one owner: no atomic is needed",
            )
        data = flat.data
        if data.ndim == 2:
            at = at + self.rows * data.shape[1]
            if not data.flags.c_contiguous:
                raise GpueduError("an atomic on a field of a record in shared memory")
            data = data.reshape(-1)
        chosen = np.broadcast_to(True if m is None else m, self.shape)
        if m is None and self.everybody is not None:
            chosen = np.broadcast_to(self.everybody, self.shape)  # type: ignore[arg-type]
        lanes = [np.broadcast_to(part, self.shape)[chosen] for part in (at, *operands)]
        name = "cas" if operation == "compare_and_swap" else operation
        old = atomics.apply(name, data, lanes[0], lanes[1:], want_old=wants)
        if not wants:
            return None
        result = np.zeros(self.shape, view.dtype)
        result[chosen] = old
        return result

    def random(self, function: str, load: int, store: int, view: View, index: Any, m: Mask) -> Any:
        """Draw from the generator at ``index``."""
        short = function.removeprefix("xoroshiro128p_")
        draw = getattr(random, "next_uint64" if short == "next" else short)
        first, second = view.field("s0"), view.field("s1")
        s0 = self.load(load, first, (index,), m)
        s1 = self.load(load, second, (index,), m)
        value, s0, s1 = draw(np.asarray(s0), np.asarray(s1))
        self.store(store, first, (index,), s0, m)
        self.store(store, second, (index,), s1, m)
        return value[()]


def _scatter(data: np.ndarray, at: Any, value: Any, m: Mask) -> None:
    """Write to flat memory; of several threads at one element the last one wins."""
    if m is None:
        if np.shape(value) != np.shape(at) and np.ndim(value):
            at, value = np.broadcast_arrays(at, value)
        data[at] = value
        return
    at, value, m = np.broadcast_arrays(at, value, m)
    data[at[m]] = value[m]


def _scatter_columns(data: np.ndarray, at: Any, value: Any, m: Mask) -> None:
    """Write to the same elements in every block's row."""
    if not isinstance(at, np.ndarray):
        at = np.full((1, 1), at)
    threads = max(
        at.shape[1], np.shape(value)[1] if np.ndim(value) else 1, 1 if m is None else m.shape[1]
    )  # type: ignore[union-attr]
    columns = np.broadcast_to(at, (1, threads))[0]
    value = np.broadcast_to(value, (value.shape[0] if np.ndim(value) else 1, threads))
    if m is not None:
        chosen = np.broadcast_to(m, (1, threads))[0]  # type: ignore[arg-type]
        columns, value = columns[chosen], value[:, chosen]
    elif threads > 1 and columns[-1] - columns[0] == threads - 1 and (np.diff(columns) == 1).all():
        data[:, columns[0] : columns[-1] + 1] = value
        return
    data[:, columns] = value
