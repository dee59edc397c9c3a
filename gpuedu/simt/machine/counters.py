"""Counts of one launch by warp: regions, accesses, branches, barriers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from gpuedu.hardware import memory_rules as rules
from gpuedu.simt.machine.masks import Mask, words
from gpuedu.simt.machine.views import View
from gpuedu.trace import WARP_SIZE, Space

BATCH_LANES, BATCH_MASKS = 1 << 18, 64
_WITHOUT_COST = (Space.LOCAL, Space.CONSTANT)


def _lanes(of_warps: np.ndarray) -> np.ndarray:
    """How many lanes are set in each word."""
    return np.bitwise_count(of_warps).astype(np.int64)


class MaskCounts:
    """How often something happened under each mask, by warp."""

    def __init__(self, blocks: int, warps: int) -> None:
        self.executions = np.zeros((blocks, warps), np.int64)
        self.lanes = np.zeros((blocks, warps), np.int64)
        self._turns: dict[int, list[Any]] = {}
        self._last: list[Any] = [False, 0]

    def add(self, mask: Mask) -> bool:
        """It happened once more; True when enough masks wait to be counted now."""
        if mask is self._last[0]:
            self._last[1] += 1
            return False
        self._last = self._turns.setdefault(id(mask), [mask, 0])
        self._last[1] += 1
        return len(self._turns) > BATCH_MASKS

    def flush(self, rows: Any, shape: tuple[int, int]) -> None:
        """Count what waits."""
        if not self._turns:
            return
        for masks, turns in _of_one_shape(self._turns.values()):
            lanes = _lanes(words(masks[0] if len(masks) == 1 else _stack(masks), shape))
            often = turns[0] if len(masks) == 1 else np.array(turns)[:, np.newaxis, np.newaxis]
            executions, total = (lanes > 0) * often, lanes * often
            if len(masks) > 1:
                executions, total = executions.sum(axis=0), total.sum(axis=0)
            self.executions[rows] += executions
            self.lanes[rows] += total
        self._turns, self._last = {}, [False, 0]


class PartingCounts:
    """How often lanes of a warp parted at a branch."""

    def __init__(self, blocks: int, warps: int) -> None:
        self.divergent = np.zeros((blocks, warps), np.int64)
        self._pending: list[tuple[np.ndarray, Mask]] = []

    def add(self, then: Mask, orelse: Mask) -> bool:
        """They did once more; True when enough of this waits to be counted now."""
        if then is None or orelse is None:  # all and none
            return False
        self._pending.append((then, orelse))  # type: ignore[arg-type]
        return len(self._pending) > BATCH_MASKS

    def flush(self, rows: Any, shape: tuple[int, int]) -> None:
        """Count what waits."""
        for then, orelse in _of_one_shape(self._pending, second=True):
            one, other = words(_stack(then), shape), words(_stack(orelse), shape)
            self.divergent[rows] += ((one != 0) & (other != 0)).sum(axis=0)
        self._pending = []


def _of_one_shape(
    pairs: Iterable[Sequence[Any]], *, second: bool = False
) -> Iterator[tuple[list[Any], list[Any]]]:
    """Pairs by the shape of the first, and perhaps of the second: all firsts, and all seconds."""
    groups: dict[Any, tuple[list[Any], list[Any]]] = {}
    for one, other in pairs:
        kind = _shape(one), _shape(other) if second else ()
        ones, others = groups.setdefault(kind, ([], []))
        ones.append(one)
        others.append(other)
    yield from groups.values()


def _shape(value: Any) -> tuple[int, ...]:
    return value.shape if isinstance(value, np.ndarray) else ()


class SiteCounts:
    """The counts of one access site, (blocks, warps) each, and what still has to be counted.

    Requests and lanes follow from the masks alone. Addresses are kept where they cost something:
    registers (which local arrays count as) and constants have none.
    """

    NAMES = (
        "requests",
        "lanes",
        "sectors",
        "ideal_sectors",
        "wavefronts",
        "ideal_wavefronts",
        "same_address_lanes",
    )

    def __init__(self, blocks: int, warps: int) -> None:
        self.blocks, self.warps = blocks, warps
        self.masks = MaskCounts(blocks, warps)
        self.counts: dict[str, np.ndarray] = {}
        self.pending: list[tuple[np.ndarray, Mask]] = []
        self.lanes = 0
        self.view: View | None = None

    def add(self, view: View, at: Any, mask: Mask) -> bool:
        """Keep an access for counting; True when enough of them wait."""
        many = self.masks.add(mask)
        if view.space in _WITHOUT_COST:
            return many
        at = np.asarray(at)
        if at.ndim == 0:
            at = at.reshape(1, 1)
        self.view = view
        self.pending.append((at, mask))
        self.lanes += max(at.size, 1 if mask is None else mask.size)  # type: ignore[union-attr]
        return self.lanes > BATCH_LANES

    def flush(
        self,
        rows: Any,
        shape: tuple[int, int],
        touch: Callable[[View, np.ndarray, np.ndarray | None], None] | None,
        *,
        atomic: bool,
    ) -> None:
        """Count what waits, by groups that can be counted together.

        Args:
            rows: of the counts.
            shape: rows and threads that run.
            touch: told of the elements, (accesses, rows, warps, 32), and of the lanes.
            atomic: whether lanes with one address count.
        """
        self.masks.flush(rows, shape)
        for ats, masks in _of_one_shape(self.pending, second=True):
            assert self.view is not None
            is_of_all = masks[0] is None
            wide = (max(len(ats[0]), 1 if is_of_all else len(masks[0])), shape[1])
            at, active = _stacked(ats, wide), None
            if not is_of_all:
                same = all(mask is masks[0] for mask in masks)
                active = _stacked(masks[:1] if same else masks, wide)
            if touch is not None:
                touch(self.view, at, active)
            self._enter(self.view, at, active, rows, atomic=atomic)
        self.pending, self.lanes = [], 0

    def _enter(
        self, view: View, at: np.ndarray, active: np.ndarray | None, rows: Any, *, atomic: bool
    ) -> None:
        size, turns = view.dtype.itemsize, at.shape[0]
        if active is None:
            lanes = np.full((1, *at.shape[1:3]), WARP_SIZE, np.int64)
        else:
            lanes = _lanes(np.packbits(active, axis=-1, bitorder="little").view("<u4")[..., 0])
        repeat = turns // lanes.shape[0]
        address = at * view.flat.step + (view.flat.start + view.flat.allocation.address)
        if view.space is Space.GLOBAL:
            self._sum("sectors", rows, rules.sectors(address, size, active))
            self._sum("ideal_sectors", rows, rules.ideal_sectors(lanes, size), repeat)
        else:
            self._sum("wavefronts", rows, rules.wavefronts(address, size, active))
            ideal = rules.ideal_wavefronts(size, active, lanes.shape)
            self._sum("ideal_wavefronts", rows, ideal, repeat)
        if atomic:
            self._sum(
                "same_address_lanes", rows, rules.same_address_lanes(at, active) * (lanes > 0)
            )

    def _sum(self, name: str, rows: Any, values: np.ndarray, repeat: int = 1) -> None:
        total = values.sum(axis=0, dtype=np.int64) * repeat
        if name not in self.counts:
            self.counts[name] = np.zeros((self.blocks, self.warps), np.int64)
        self.counts[name][rows] += total

    def column(self, name: str) -> np.ndarray:
        """One count as (W,)."""
        if name in ("requests", "lanes"):
            return (self.masks.executions if name == "requests" else self.masks.lanes).reshape(-1)
        if name not in self.counts:
            return np.zeros(self.blocks * self.warps, np.int64)
        return self.counts[name].reshape(-1)


def _stack(values: list[np.ndarray]) -> np.ndarray:
    """Arrays of one shape, with two axes, as (values, ..., ...)."""
    return np.concatenate(values).reshape(len(values), *values[0].shape)


def _stacked(values: list[np.ndarray], wide: tuple[int, int]) -> np.ndarray:
    """Values of one shape as (values, rows, warps, 32), each spread over ``wide`` (rows, T)."""
    spread = np.broadcast_to(_stack(values), (len(values), *wide))
    return spread.reshape(len(values), wide[0], -1, WARP_SIZE)
