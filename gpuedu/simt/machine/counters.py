"""Counts of one launch by warp: regions, accesses, branches, barriers."""

from __future__ import annotations

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
        executions: Any = 0
        total: Any = 0
        for mask, turns in self._turns.values():
            lanes = _lanes(words(mask, shape))
            executions = executions + (lanes > 0) * turns
            total = total + lanes * turns
        self.executions[rows] += executions
        self.lanes[rows] += total
        self._turns, self._last = {}, [False, 0]


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

    def flush(self, rows: Any, shape: tuple[int, int], *, atomic: bool) -> None:
        """Count what waits, by groups that can be counted together."""
        self.masks.flush(rows, shape)
        groups: dict[tuple[Any, ...], list[tuple[np.ndarray, Mask]]] = {}
        for at, mask in self.pending:
            kind = (at.shape, None if mask is None else mask.shape)  # type: ignore[union-attr]
            groups.setdefault(kind, []).append((at, mask))
        for (at_shape, mask_shape), entries in groups.items():
            count = max(at_shape[0], mask_shape[0] if mask_shape else 1)
            self._count(entries, (count, shape[1]), rows, atomic=atomic)
        self.pending, self.lanes = [], 0

    def _count(
        self,
        entries: list[tuple[np.ndarray, Mask]],
        wide: tuple[int, int],
        rows: Any,
        *,
        atomic: bool,
    ) -> None:
        view = self.view
        assert view is not None
        at = _stacked([a for a, _ in entries], wide)
        active = None
        if entries[0][1] is not None:
            same = all(m is entries[0][1] for _, m in entries)
            masks = [m for _, m in (entries[:1] if same else entries)]
            active = _stacked(masks, wide)  # type: ignore[arg-type]
        self._enter(view, at, active, rows, atomic=atomic)

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


def _stacked(values: list[np.ndarray], wide: tuple[int, int]) -> np.ndarray:
    """Values of one shape as (values, rows, warps, 32), each spread over ``wide`` (rows, T)."""
    spread = np.broadcast_to(np.stack(values), (len(values), *wide))
    return spread.reshape(len(values), wide[0], -1, WARP_SIZE)
