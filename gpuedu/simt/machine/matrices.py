"""Warp matrix functions: fragments filled, loaded, multiplied and stored by whole warps.

What CUDA leaves open is as ``gpuedu.simt.intrinsics.matrices`` says. It reports a warp with missing
lanes; lanes that pass different addresses or leading dimensions; a matrix that does not begin at a
multiple of 32 bytes, a leading dimension that is not a multiple of 16 bytes; a fragment that is
used before it was filled or loaded. What a lane does with its own elements, ``x[i]``, is not
checked: a result that depends on which lane holds which element is valid only on this machine.

These functions wait for all lanes of a warp, but order no accesses to memory: lanes that write
shared memory need ``__syncwarp()`` or a barrier before the warp loads a matrix from it.

Source: CUDA C++ Programming Guide 12.9, "Warp Matrix Functions"; PTX ISA 8.8, "wmma.load" (a weak
memory operation).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gpuedu.simt.intrinsics import matrices
from gpuedu.simt.machine import fragment_findings as told
from gpuedu.simt.machine.masks import Mask, narrow
from gpuedu.simt.machine.synchronization import Synchronization
from gpuedu.simt.machine.views import View
from gpuedu.simt.program import FillFragment, Fragment, MoveFragment, MultiplyFragments
from gpuedu.trace import Place

ALIGNMENT_BYTES = 32
LEADING_BYTES = 16


class Matrices(Synchronization):
    """Warps of a chunk that hold matrices."""

    def fill_fragment(self, s: FillFragment, view: View, value: Any, m: Mask) -> None:
        """Every element gets the value, which is the same for all lanes."""
        self._require_whole(s.place, "fill_fragment", m)
        self._require_same(s.place, "fill_fragment", "value", value, m)
        self._put(s.fragment, view, [value] * s.fragment.length, m)

    def move_fragment(
        self, s: MoveFragment, fragment: View, view: View, index: Any, stride: Any, m: Mask
    ) -> None:
        """A matrix is loaded or stored, element by element; the account has its requests."""
        place = self.program.sites[s.site].place
        self._check_matrix(place, f"{s.kind}_matrix_sync", view, index, stride, m)
        rows, columns = self._spots(s.fragment.shape)
        lines, positions = (columns, rows) if s.by_columns else (rows, columns)
        self.count_matrix(s, view, index, stride, m)
        elements = [
            index + line * stride + position
            for line, position in zip(lines, positions, strict=True)
        ]
        if s.kind == "store":
            values = self._taken(s.fragment, fragment, place, m)
            for at, value in zip(elements, values, strict=True):
                self.store_quietly(s.site, view, (at,), value, m)
            return
        loaded = [self.load_quietly(s.site, view, (at,), m) for at in elements]
        self._put(s.fragment, fragment, loaded, m)

    def multiply_fragments(
        self, s: MultiplyFragments, result: View, left: View, right: View, start: View, m: Mask
    ) -> None:
        """The product of two matrices and a sum."""
        self._require_whole(s.place, "mma_sync", m)
        a, b, c = (
            self._matrix(fragment, view, s.place, m)
            for fragment, view in ((s.left, left), (s.right, right), (s.start, start))
        )
        made = matrices.product(a, b, c, s.result.slot.type.dtype)
        values = matrices.scattered(made)
        self._put(s.result, result, [self._threads(part) for part in values], m)

    # Elements of fragments

    def _spots(self, shape: tuple[int, int]) -> tuple[list[np.ndarray], list[np.ndarray]]:
        """For each element of a lane its row and column, as values of threads (1, T)."""
        row, column = matrices.holders(*shape)
        return (
            [np.tile(part, self.warps)[np.newaxis] for part in row],
            [np.tile(part, self.warps)[np.newaxis] for part in column],
        )

    def _put(self, fragment: Fragment, view: View, values: list[Any], m: Mask) -> None:
        """Write a lane's elements; where a fragment has more of them, they begin again."""
        for number in range(fragment.length):
            at, here = self.locate(fragment.site, view, (np.int64(number),), m)
            if here is not False:
                view.flat.write(at, values[number % len(values)], here)

    def _taken(self, fragment: Fragment, view: View, place: Place, m: Mask) -> list[Any]:
        """A lane's elements; told where nobody set them."""
        values, count = [], int(np.prod(fragment.shape)) // matrices.LANES
        for number in range(count):
            at, here = self.locate(fragment.site, view, (np.int64(number),), m)
            value, missing = view.flat.read(at, here)
            values.append(value)
            if missing is not False and not number:
                row, thread, lanes = self.first(missing)
                self.report.add(told.empty(place, self.who(row, thread), view.name, lanes))
        return values

    def _matrix(self, fragment: Fragment, view: View, place: Place, m: Mask) -> np.ndarray:
        """The matrices of all warps, (rows of blocks, warps, M, N)."""
        values = self._taken(fragment, view, place, m)
        blocks = max(np.shape(value)[0] if np.ndim(value) else 1 for value in values)
        lanes = np.stack([self._lanes(value, blocks) for value in values])
        return matrices.gathered(lanes, *fragment.shape)

    # What CUDA asks of a warp

    def _check_matrix(
        self, place: Place, name: str, view: View, index: Any, stride: Any, m: Mask
    ) -> None:
        self._require_whole(place, name, m)
        self._require_same(place, name, "address", index, m)
        self._require_same(place, name, "leading dimension", stride, m)
        size = view.dtype.itemsize
        short, _ = narrow(self._mask(m), np.asarray(stride) * size % LEADING_BYTES != 0)
        if short is not False:
            row, thread, count = self.first(short)
            leading = int(self.pick(stride, row, thread))
            who = self.who(row, thread)
            self.report.add(
                told.leading_dimension(place, who, view.name, leading, LEADING_BYTES // size, count)
            )
        flat = view.flat
        byte = flat.allocation.address + flat.start + (view.offset + index) * flat.step
        astray, _ = narrow(self._mask(m), np.asarray(byte % ALIGNMENT_BYTES != 0))
        if astray is not False:
            row, thread, count = self.first(astray)
            at = int(self.pick(index, row, thread))
            self.report.add(
                told.misaligned(place, self.who(row, thread), view.name, at, size, count)
            )

    def _require_whole(self, place: Place, name: str, m: Mask) -> None:
        """All 32 lanes of each warp must be here."""
        if m is None:
            return
        mask = self._mask(m)
        lanes = self._lanes(mask, mask.shape[0])
        torn = lanes.any(axis=-1, keepdims=True) & ~lanes.all(axis=-1, keepdims=True)
        if torn.any():
            row, thread, _ = self.first(self._spread(lanes & torn))
            self.report.add(
                told.torn_warp(place, self.who(row, thread), name, int((torn & ~lanes).sum()))
            )

    def _require_same(self, place: Place, name: str, what: str, value: Any, m: Mask) -> None:
        """All lanes of a warp must pass the same."""
        if np.ndim(value) == 0 or value.shape[1] == 1:
            return
        mask = self._mask(m)
        blocks = max(value.shape[0], mask.shape[0])
        lanes, here = self._lanes(value, blocks), self._lanes(mask, blocks)
        first = np.take_along_axis(lanes, here.argmax(axis=-1)[..., np.newaxis], axis=-1)
        other = here & (lanes != first)
        if other.any():
            row, thread, count = self.first(self._spread(other))
            self.report.add(told.different(place, self.who(row, thread), name, what, count))

    # What the account adds

    def load_quietly(self, site: int, view: View, index: tuple[Any, ...], m: Mask) -> Any:
        """Read one element for each thread; nothing is counted."""
        at, m = self.locate(site, view, index, m)
        return self._read(site, view, at, m)

    def store_quietly(
        self, site: int, view: View, index: tuple[Any, ...], value: Any, m: Mask
    ) -> None:
        """Write one element for each thread; nothing is counted."""
        at, m = self.locate(site, view, index, m)
        if m is not False:
            self._write(view, at, value, m)

    def count_matrix(self, s: MoveFragment, view: View, index: Any, stride: Any, m: Mask) -> None:
        """Enter the requests of a matrix."""
