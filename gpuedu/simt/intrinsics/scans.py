"""Closed forms of what lanes on one address see, without a step for each lane.

Each takes the operation, ``memory`` (G,) before, the operands (n,) sorted by run and the runs, and
returns what the lanes saw (n,) and what they left (G,), or None if the form does not apply.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from gpuedu.simt.intrinsics.runs import Runs

Answer = tuple[np.ndarray, np.ndarray] | None
ClosedForm = Callable[[str, np.ndarray, list[np.ndarray], Runs], Answer]


def _sums(op: str, memory: np.ndarray, values: list[np.ndarray], runs: Runs) -> Answer:
    """Integer sums wrap and can be undone: one running sum serves all runs."""
    if memory.dtype.kind == "f":
        return None
    return _invertible(np.add, np.subtract, memory, values[0], runs)


def _toggles(op: str, memory: np.ndarray, values: list[np.ndarray], runs: Runs) -> Answer:
    return _invertible(np.bitwise_xor, np.bitwise_xor, memory, values[0], runs)


def _invertible(
    do: np.ufunc, undo: np.ufunc, memory: np.ndarray, value: np.ndarray, runs: Runs
) -> tuple[np.ndarray, np.ndarray]:
    total = do.accumulate(value, dtype=value.dtype)
    before = undo(total, value)
    offset = undo(memory, before[runs.starts])
    return do(before, runs.spread(offset)), do(total[runs.last], offset)


def _exchanges(op: str, memory: np.ndarray, values: list[np.ndarray], runs: Runs) -> Answer:
    """Each lane sees the operand of the lane before it."""
    seen = np.empty_like(values[0])
    seen[1:] = values[0][:-1]
    seen[runs.starts] = memory
    return seen, values[0][runs.last]


def _wheels(op: str, memory: np.ndarray, values: list[np.ndarray], runs: Runs) -> Answer:
    """``inc`` and ``dec`` with one limit turn a wheel of limit + 1 numbers."""
    limit = values[0][runs.starts]
    if not (values[0] == runs.spread(limit)).all():
        return None
    turns = np.concatenate([runs.ranks(), runs.counts]).astype(memory.dtype)
    both = [np.concatenate([runs.spread(of_runs), of_runs]) for of_runs in (memory, limit)]
    reached = _turn(op, *both, turns)
    return reached[: values[0].size], reached[values[0].size :]


def _turn(op: str, memory: np.ndarray, limit: np.ndarray, turns: np.ndarray) -> np.ndarray:
    """Memory after some turns of the wheel; memory above the limit first falls onto it."""
    one = memory.dtype.type(1)
    numbers = limit + one  # 0 for the largest limit, where the wheel is the integer's own wrap
    left_over = np.where(numbers == 0, turns, turns % np.maximum(numbers, one))
    if op == "inc":
        start = np.minimum(memory, limit)
        room = limit - start
        moved = np.where(left_over <= room, start + left_over, left_over - room - one)
    else:
        start = np.where(memory > limit, memory.dtype.type(0), memory)
        moved = np.where(left_over <= start, start - left_over, limit - (left_over - start - one))
    return np.where(turns == 0, memory, moved)


def _swaps(op: str, memory: np.ndarray, values: list[np.ndarray], runs: Runs) -> Answer:
    """``cas`` that expects one value: the first lane that brings another one settles the run."""
    expected, new = values
    awaited = expected[runs.starts]
    if not (expected == runs.spread(awaited)).all():
        return None
    n = new.size
    other = np.where(new != expected, np.arange(n), n)
    winner = np.minimum.reduceat(other, runs.starts)
    settled = (memory == awaited) & (winner < n) & (winner <= runs.last)
    left = np.where(settled, new[np.minimum(winner, n - 1)], memory)
    after = runs.spread(settled) & (np.arange(n) > runs.spread(winner))
    return np.where(after, runs.spread(left), runs.spread(memory)), left


def _records(op: str, memory: np.ndarray, values: list[np.ndarray], runs: Runs) -> Answer:
    """``max`` and ``min``: a lane sees the last record, that is the first of the best so far."""
    count = len(runs)
    lanes = np.arange(values[0].size) + runs.spread(np.arange(1, count + 1))
    chain = np.empty(lanes.size + count, memory.dtype)
    heads = runs.starts + np.arange(count)
    chain[heads] = memory
    chain[lanes] = values[0]
    height = _heights(op, chain, heads)
    run = np.repeat(np.arange(count, dtype=np.uint64), runs.counts + 1)
    keys = (run << np.uint64(32)) | height
    best = np.maximum.accumulate(keys)
    record = np.ones(keys.size, bool)
    np.greater(keys[1:], best[:-1], out=record[1:])
    holder = np.maximum.accumulate(np.where(record, np.arange(keys.size), 0))
    holds = chain[holder]
    return holds[lanes - 1], holds[heads + runs.counts]


def _heights(op: str, chain: np.ndarray, heads: np.ndarray) -> np.ndarray:
    """32-bit ranks that grow with what the operation prefers; equal for 0.0 and -0.0.

    A NaN is never a record. In memory it stays for ``max`` and ``min`` (the highest rank) and
    yields to any number for ``nanmax`` and ``nanmin`` (the lowest).
    """
    missing = np.isnan(chain) if chain.dtype.kind == "f" else None
    ranks = _ordered(chain)
    if chain.dtype.itemsize == 8:
        ranks = np.unique(ranks, return_inverse=True)[1] + 1
    if op in ("min", "nanmin"):
        ranks = np.uint32(0xFFFFFFFF) - ranks
    ranks = ranks.astype(np.uint64)
    if missing is not None and missing.any():
        ranks[missing] = 0
        if op in ("max", "min"):
            ranks[heads[missing[heads]]] = 0xFFFFFFFF
    return ranks


def _ordered(values: np.ndarray) -> np.ndarray:
    """Unsigned integers in the order of the values."""
    word = np.dtype(f"u{values.dtype.itemsize}")
    top = word.type(1 << (8 * word.itemsize - 1))
    if values.dtype.kind == "u":
        return values
    if values.dtype.kind == "i":
        return values.view(word) ^ top
    bits = (values + values.dtype.type(0)).view(word)  # adding 0 turns -0.0 into 0.0
    return np.where(bits & top, ~bits, bits | top)


CLOSED_FORMS: dict[str, ClosedForm] = {
    "add": _sums,
    "xor": _toggles,
    "exch": _exchanges,
    "inc": _wheels,
    "dec": _wheels,
    "cas": _swaps,
    "max": _records,
    "min": _records,
    "nanmax": _records,
    "nanmin": _records,
}
