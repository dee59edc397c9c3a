"""What the card of ``row-softmax`` asks below a counterexample."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from gpuedu.exercises.compare import show
from gpuedu.exercises.contract import Case, Plain
from gpuedu.exercises.cooperation.judge.sums import endless_question
from gpuedu.exercises.kernels.faults import OUTSIDE, is_next_to_last
from gpuedu.exercises.kernels.shapes import WARP_SIZE
from gpuedu.exercises.kernels.sightings import Sighting, read_sightings
from gpuedu.exercises.kernels.traffic import read_traffic

_CLOSE = 1e-4
_RACED = "Some numbers were read too early or too late; see what is told of the race."


def softmax(x: np.ndarray) -> np.ndarray:
    """The softmax of each row of ``x``, (M, N), in float64.

    >>> softmax(np.array([[1000.0, 1000.0]])).tolist()
    [[0.5, 0.5]]
    """
    raised = np.exp(x.astype(np.float64) - x.max(axis=1, keepdims=True))
    return raised / raised.sum(axis=1, keepdims=True)


@dataclass(frozen=True)
class _Mistake:
    """What somebody gets from ``x`` and the threads of a block, and the question about it."""

    gives: Callable[[np.ndarray, int], np.ndarray]
    asks: str


def _raised(x: np.ndarray) -> np.ndarray:
    return np.exp(x - x.max(axis=1, keepdims=True))


def _own_columns(x: np.ndarray, threads: int) -> np.ndarray:
    """(threads, N) bool: the columns that each thread takes."""
    return np.arange(x.shape[1]) % threads == np.arange(threads)[:, None]


def _by_own_sum(x: np.ndarray, threads: int) -> np.ndarray:
    raised = _raised(x)
    sums = raised @ _own_columns(x, threads).T
    return raised / sums[:, np.arange(x.shape[1]) % threads]


def _by_own_largest(x: np.ndarray, threads: int, *, from_first: bool) -> np.ndarray:
    own = _own_largest(x, threads)[:, np.arange(x.shape[1]) % threads]
    own = np.maximum(own, x[:, :1]) if from_first else own
    raised = np.exp(x - own)
    return raised / raised.sum(axis=1, keepdims=True)


def _own_largest(x: np.ndarray, threads: int) -> np.ndarray:
    """(M, threads): the largest of each thread's columns; -inf where it has none."""
    own = np.where(_own_columns(x, threads), x[:, None, :], -np.inf)
    return own.max(axis=2)


def _on_old_places(x: np.ndarray, threads: int) -> np.ndarray:
    """The sum begins with what the fold for the largest has left in each place."""
    part = np.maximum(_own_largest(x, threads), x[:, :1])
    half = threads // 2
    while half:
        part[:, :half] = np.maximum(part[:, :half], part[:, half : 2 * half])
        half //= 2
    raised = _raised(x)
    return raised / (raised.sum(axis=1, keepdims=True) + part.sum(axis=1, keepdims=True))


_OWN_LARGEST = (
    "Each thread takes away the largest of its own columns. How do all of them come to know the "
    "largest of the row?"
)
_MISTAKES = (
    _Mistake(
        lambda x, threads: _raised(x),
        "That is the exponential, not yet divided by the sum of its row.",
    ),
    _Mistake(
        lambda x, threads: np.broadcast_to(softmax(x[:1]), x.shape),
        "That is what row 0 has in this place. Where does the row of a block begin in `x`?",
    ),
    _Mistake(
        lambda x, threads: _raised(x) / _raised(x)[:, :threads].sum(axis=1, keepdims=True),
        "The sum has the first `blockDim.x` columns only. Which thread adds the others?",
    ),
    _Mistake(
        lambda x, threads: (
            _raised(x) / (_raised(x).sum(axis=1, keepdims=True) + max(threads - x.shape[1], 0))
        ),
        "Each thread without a column has added 1 to the sum: that is `expf(0.0f)`. What should "
        "it bring?",
    ),
    _Mistake(partial(_by_own_largest, from_first=True), _OWN_LARGEST),
    _Mistake(partial(_by_own_largest, from_first=False), _OWN_LARGEST),
    _Mistake(
        _on_old_places,
        "The first fold has left numbers in `part`, and they are in the sum. With what does a "
        "thread's sum begin?",
    ),
    _Mistake(
        _by_own_sum,
        "A thread divides by the sum of its own columns. How do the sums of all threads of the "
        "block come together?",
    ),
    _Mistake(
        lambda x, threads: np.log(softmax(x)),
        "That is the logarithm of the softmax.",
    ),
    _Mistake(lambda x, threads: x, "That is `x` as it is."),
)


def value_cause(case: Case, observed: Plain, row: int) -> str:
    """The sentence of the first known way to these values; ``row`` is the first that is wrong."""
    x, threads, got = case.inputs["x"], case.inputs["threads"], observed["y"]
    if not observed["complete"]:
        return "The launch was stopped before its end; see the other properties."
    unwritten = got == case.inputs["y"]
    if unwritten.all() and not np.array_equal(observed["x"], x):
        return "Something was written into `x` instead. The launch passes `x` first, then `y`."
    if unwritten.all():
        return "Nothing was written into `y`."
    if unwritten[:, threads:].all() and x.shape[1] > threads:
        return (
            f"The columns from {threads} on were not written: a row has {x.shape[1]} of them, and "
            f"the block {threads} threads. Which column comes next for a thread?"
        )
    if unwritten[row].all():
        return f"Row {row} of `y` was not written. Where does the row of a block begin?"
    if unwritten[row].any():
        return (
            f"{int(unwritten[row].sum())} of {x.shape[1]} elements of row {row} were not written, "
            f"`y[{row}, {int(unwritten[row].argmax())}]` is the first. Which thread takes it?"
        )
    if np.isnan(got[row]).any() or np.isinf(got[row]).any():
        return _not_finite(x[row], observed)
    with np.errstate(all="ignore"):
        for known in _MISTAKES:
            theirs = known.gives(x.astype(np.float64), threads)
            if np.allclose(got, theirs, rtol=_CLOSE, atol=1e-30):
                return known.asks
    return _hazard_cause(observed) or _row_sum(got[row], row)


def _not_finite(x: np.ndarray, observed: Plain) -> str:
    largest, said = float(x.max()), _hazard_cause(observed)
    if said and said != _RACED:  # the machine runs a block in step: a race spoils little here
        return said
    if largest > 88:
        return (
            f"This row has {show(largest)}, and in float32 `expf` of more than 88.7 is infinite. "
            "What can be taken from every element, so that none is above 0? And is it the largest "
            "of the whole row?"
        )
    if largest < -87:
        return (
            f"The largest element of this row is {show(largest)}. Where every `expf` is 0, so is "
            "their sum, and 0 / 0 is no number. From what does the search for the largest begin, "
            "and is the largest taken away?"
        )
    return said or "A sum of 0, or a place that nobody wrote, ends like this."


def _hazard_cause(observed: Plain) -> str:
    kinds = {seen.kind for seen in read_sightings(observed["sightings"]) if seen.is_hazard}
    if "uninitialised-read" in kinds:
        return "It comes from a place that nobody wrote; see below."
    if "warp-sync-mask" in kinds:
        return "A lane took a value that no lane handed over; see below."
    if kinds & OUTSIDE:
        return "A thread used what is not its row's; see what is told of the index outside."
    if "data-race" in kinds:
        return _RACED
    return ""


def _row_sum(got: np.ndarray, row: int) -> str:
    total = float(got.astype(np.float64).sum())
    if abs(total - 1) > 1e-3:
        asks = (
            "The sum is too small: whose numbers are missing in it?"
            if total > 1
            else "The sum is too large: what is in it that is not this row's, or twice?"
        )
        return f"Row {row} of `y` adds up to {show(round(total, 4))}, and should to 1. {asks}"
    return ""


def hazard_question(case: Case, observed: Plain, seen: Sighting) -> str:
    """The question below a hazard of the machine's."""
    if seen.kind == "data-race":
        return _race(case, seen)
    if seen.kind == "uninitialised-read" and seen.index and seen.index[0] >= _threads(case):
        return f"A block has {_threads(case)} threads here, and nobody fills a place behind those."
    if seen.kind == "uninitialised-read" and "local memory" in seen.message:
        return (
            f"`{seen.array}` is a thread's own here: no other sees what is written. What makes an "
            "array the block's?"
        )
    if seen.kind == "uninitialised-read":
        return "Every thread writes its place before the first fold. What if it has no column?"
    if seen.kind in OUTSIDE:
        if not _is_global(seen, observed):
            return (
                f"How many elements has `{seen.array}`, and which is the last that a block of "
                f"{_threads(case)} threads uses? The launch brings no dynamic shared memory."
            )
        rows, columns = case.inputs["x"].shape
        if is_next_to_last(seen, rows * columns):
            return (
                f"{columns} columns are numbered 0 to {columns - 1}. Does a thread's loop, or its "
                f"guard, let {columns} through?"
            )
        return (
            f"`x` and `y` have {rows} times {columns} elements. Which columns are a thread's own, "
            "and where do they end?"
        )
    if seen.kind == "divergent-barrier":
        return (
            "All threads of the block have to come to a barrier, also those without a column. Does "
            "it stand inside an `if`, or in a loop that some leave earlier?"
        )
    return endless_question(seen.kind) or f"{seen.remedy[:1].upper()}{seen.remedy[1:]}"


def _is_global(seen: Sighting, observed: Plain) -> bool:
    both = (*observed["on x"], *observed["on y"])
    return seen.array in {one.array for one in read_traffic(both).accesses}


def _threads(case: Case) -> int:
    return case.inputs["threads"]


def _race(case: Case, seen: Sighting) -> str:
    """Two lines without a barrier between; the machine's sentence names the other line."""
    columns = case.inputs["x"].shape[1]
    if seen.array == "y" and seen.index and seen.index[0] % columns == 0:
        return (
            f"Columns are numbered from 0, so column {columns} of a row is column 0 of the next. "
            "Where do the columns of a thread end?"
        )
    if seen.array == "y":
        return "Which row, and which columns of it, are a thread's own?"
    other = re.search(r" on line (\d+)", seen.message)
    is_one_line = other is None or int(other[1]) == seen.line
    if is_one_line and " writes " in seen.message:
        return (
            f"All threads that come to this line share `{seen.array}`. Which of them may change "
            "this place, and what holds back the others that use it?"
        )
    if is_one_line:
        return (
            "Each round of a fold needs a barrier, also the last ones, for which one warp is left: "
            "since Volta its lanes need not be in step. And do some threads have to rest?"
        )
    return (
        f"A fast thread may be at line {seen.line} while a slow one is still at line {other[1]}. "
        f"What lets all threads of the block wait between the two?{_one_warp(seen)}"
    )


def _one_warp(seen: Sighting) -> str:
    """Added where both threads are of one warp."""
    met = re.findall(r"thread (\d+) of block \d+", seen.message)
    if len(met) == 2 and int(met[0]) // WARP_SIZE == int(met[1]) // WARP_SIZE:
        return " (That they are of one warp helps nothing: since Volta, lanes need not be in step.)"
    return ""
