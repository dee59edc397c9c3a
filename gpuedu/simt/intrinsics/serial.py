"""Many lanes on few addresses: the values that each sees when they come one after another.

Lanes are sorted by address, keeping their order. The lanes at one address are then a *run*, and
what they see is a scan over the run: a closed form where there is one (``scans``), otherwise run by
run (many lanes on one address) or round by round (the r-th lane of every address at once),
whichever needs fewer steps.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from gpuedu.simt.intrinsics import scans
from gpuedu.simt.intrinsics.runs import Runs, are_distinct, runs_by_address

Step = Callable[..., np.ndarray]

# Rough costs, in microseconds, of a run taken on its own and of a round over some runs.
_RUN_COST = 12
_ROUND_COST = 9


def _larger(old: np.ndarray, value: np.ndarray) -> np.ndarray:
    return np.where(old < value, value, old)


def _smaller(old: np.ndarray, value: np.ndarray) -> np.ndarray:
    return np.where(old > value, value, old)


def _larger_number(old: np.ndarray, value: np.ndarray) -> np.ndarray:
    return np.where((old < value) | (np.isnan(old) & ~np.isnan(value)), value, old)


def _smaller_number(old: np.ndarray, value: np.ndarray) -> np.ndarray:
    return np.where((old > value) | (np.isnan(old) & ~np.isnan(value)), value, old)


def _increment(old: np.ndarray, limit: np.ndarray) -> np.ndarray:
    return np.where(old >= limit, old.dtype.type(0), old + old.dtype.type(1))


def _decrement(old: np.ndarray, limit: np.ndarray) -> np.ndarray:
    return np.where((old == 0) | (old > limit), limit, old - old.dtype.type(1))


def _exchange(old: np.ndarray, value: np.ndarray) -> np.ndarray:
    return np.broadcast_to(value, old.shape)


def _compare_and_swap(old: np.ndarray, expected: np.ndarray, new: np.ndarray) -> np.ndarray:
    return np.where(old == expected, new, old)


STEPS: dict[str, Step] = {
    "add": np.add,
    "sub": np.subtract,
    "and_": np.bitwise_and,
    "or_": np.bitwise_or,
    "xor": np.bitwise_xor,
    "max": _larger,
    "min": _smaller,
    "nanmax": _larger_number,
    "nanmin": _smaller_number,
    "inc": _increment,
    "dec": _decrement,
    "exch": _exchange,
    "cas": _compare_and_swap,
}
"""What one lane leaves in memory: ``step(old, *operands)``."""

_ACCUMULATING = {"add": np.add, "and_": np.bitwise_and, "or_": np.bitwise_or}


def serve(op: str, data: np.ndarray, index: np.ndarray, operands: list[np.ndarray]) -> np.ndarray:
    """Let the lanes change ``data`` in order; returns (n,) what each saw."""
    if are_distinct(index, data.size):
        old = data[index]
        data[index] = STEPS[op](old, *operands)
        return old
    runs = runs_by_address(index, data.size)
    values = [np.broadcast_to(operand, index.shape)[runs.order] for operand in operands]
    memory = data[runs.addresses]
    if len(runs) == index.size:
        seen, left = memory, STEPS[op](memory, *values)
    else:
        seen, left = _scan(op, memory, values, runs)
    data[runs.addresses] = left
    return runs.in_lane_order(seen)


def _scan(
    op: str, memory: np.ndarray, values: list[np.ndarray], runs: Runs
) -> tuple[np.ndarray, np.ndarray]:
    if op == "sub":
        # Also right for floats: x - v and x + (-v) are the same operation.
        op, values = "add", [np.negative(values[0])]
    closed = scans.CLOSED_FORMS.get(op)
    answer = closed(op, memory, values, runs) if closed else None
    return answer or _hybrid(op, memory, values, runs)


def _hybrid(
    op: str, memory: np.ndarray, values: list[np.ndarray], runs: Runs
) -> tuple[np.ndarray, np.ndarray]:
    """Take the longest runs one by one and the others in rounds."""
    seen = np.empty(values[0].shape, memory.dtype)
    left = memory.copy()
    by_length = np.argsort(-runs.counts, kind="stable")
    lengths = np.append(runs.counts[by_length], 0)
    cost = _RUN_COST * np.arange(lengths.size) + _ROUND_COST * lengths
    alone = int(np.argmin(cost))
    for run in by_length[:alone].tolist():
        part = slice(runs.starts[run], runs.starts[run] + runs.counts[run])
        left[run] = _one_run(op, memory[run], [v[part] for v in values], seen[part])
    _in_rounds(STEPS[op], left, values, seen, runs, by_length[alone:])
    return seen, left


def _one_run(op: str, memory: np.generic, values: list[np.ndarray], seen: np.ndarray) -> np.generic:
    """Serve the lanes of one address, filling ``seen``; returns what they leave."""
    ufunc = _ACCUMULATING.get(op)
    if ufunc is not None:
        chain = np.concatenate([[memory], values[0]], dtype=memory.dtype)
        ufunc.accumulate(chain, out=chain, dtype=chain.dtype)
        seen[:] = chain[:-1]
        return chain[-1]
    # Different operands of inc, dec or cas on one address have no faster form: lane by lane.
    step = _PYTHON_STEPS[op]
    old = int(memory)
    trail = []
    for operands in zip(*(v.tolist() for v in values), strict=True):
        trail.append(old)
        old = step(old, *operands)
    seen[:] = trail
    return memory.dtype.type(old)


_PYTHON_STEPS: dict[str, Callable[..., int]] = {
    "inc": lambda old, limit: 0 if old >= limit else old + 1,
    "dec": lambda old, limit: limit if old == 0 or old > limit else old - 1,
    "cas": lambda old, expected, new: new if old == expected else old,
}


def _in_rounds(
    step: Step,
    left: np.ndarray,
    values: list[np.ndarray],
    seen: np.ndarray,
    runs: Runs,
    chosen: np.ndarray,
) -> None:
    """Serve the r-th lane of every chosen run at once; ``chosen`` is sorted by falling length."""
    current = left[chosen]
    starts, counts = runs.starts[chosen], runs.counts[chosen]
    rising = counts[::-1]
    for turn in range(int(counts[0]) if counts.size else 0):
        here = counts.size - int(np.searchsorted(rising, turn, side="right"))
        at = starts[:here] + turn
        old = current[:here]
        seen[at] = old
        current[:here] = step(old, *(v[at] for v in values))
    left[chosen] = current
