"""What the judges of the matmul kernels share: the truth, its tolerance, causes and questions."""

from __future__ import annotations

import re
from collections.abc import Iterable

import numpy as np

from gpuedu.exercises.compare import array_fault
from gpuedu.exercises.contract import Case, Fault, Plain, Undecided
from gpuedu.exercises.kernels.faults import (
    BELOW,
    LOOPS,
    OUTSIDE,
    RACE,
    UNWRITTEN,
    WAITS,
    hazard_faults,
    wrapped_faults,
)
from gpuedu.exercises.kernels.sightings import Sighting, read_sightings
from gpuedu.exercises.kernels.traffic import read_traffic
from gpuedu.exercises.registers.judge.float4 import in_floats
from gpuedu.exercises.registers.products import COLUMNS

EPSILON = float(np.finfo(np.float32).eps)
BEYOND = OUTSIDE
"""What leaves an array, or takes four floats from where four cannot begin."""

Slip = tuple[np.ndarray, str]
"""What somebody gets for ``c``, and the sentence about it."""

_LAST_IS_MISSING = "The last tile is missing in it. How many steps are there, also for such a K?"
_SHARED = re.compile(r"shared|tile")


def matrices(rng: np.random.Generator, m: int, n: int, k: int) -> dict[str, np.ndarray]:
    """A (M, K) and b (K, N) of both signs, badly scaled by column, and a c (M, N) to overwrite."""
    scale = rng.choice([0.01, 1.0, 30.0], k)
    a = rng.normal(0.5, 2, (m, k)) * scale
    b = rng.normal(0.5, 2, (k, n)) / scale[:, None]
    return {
        "a": a.astype(np.float32),
        "b": b.astype(np.float32),
        "c": rng.uniform(5000, 9000, (m, n)).astype(np.float32),
    }


def value_faults(
    prop: str, case: Case, observed: Plain, t: int, known: Iterable[Slip] = ()
) -> Iterable[Fault]:
    """A fault at the first wrong element of ``c``; ``known`` are slips of the exercise's own.

    The tolerance is that of a sum of K products in float32, in any order: K roundings, each of at
    most half an epsilon of the sum of the absolute products, doubled, and a few for the products.
    """
    a, b = (case.inputs[name].astype(np.float64) for name in ("a", "b"))
    expected = a @ b
    tolerance = (a.shape[1] + 4) * EPSILON * (np.abs(a) @ np.abs(b))
    yield from hazard_faults(observed, {LOOPS: prop})
    cause = _cause(case, observed, (*_known(case, expected, t), *known), t)
    yield from array_fault(
        prop, observed["c"], expected, tolerance=tolerance, name="c", cause=cause
    )
    yield from wrapped_faults(prop, observed)
    for name in ("a", "b"):
        if not np.array_equal(observed[name], case.inputs[name]):
            yield Fault(prop, f"`{name}` was changed by the kernel", "Where does the result go?")


def _cause(case: Case, observed: Plain, known: Iterable[Slip], t: int) -> str:
    got, before = observed["c"], case.inputs["c"]
    unwritten = got == before
    if unwritten.all():
        return "Which line writes into `c`?"
    if _has_gaps(case, observed, t):
        return _GAPS.format(t=t)
    if unwritten.any():
        i, j = (int(n) for n in np.argwhere(unwritten)[0])
        return (
            f"{int(unwritten.sum())} of {got.size} elements were not written, `c[{i}, {j}]` is the "
            f"first. A thread has {t} x {t} of them: which rows and columns are that?"
        )
    for theirs, says in known:
        if np.allclose(got, theirs, rtol=1e-3, atol=1e-2):
            return says
    if has_hazard(observed, BEYOND):
        return "A thread takes or puts something where it may not; see that first, further down."
    if has_hazard(observed, UNWRITTEN) and np.isnan(got).any():
        return "NaN: something was read that nobody had written. The machine says where, below."
    if np.isnan(got).any():
        return (
            "NaN is what the machine leaves in arrays that nobody has written, shared or a "
            "thread's own. Do the sums begin at 0?"
        )
    return (
        "Follow this element: which thread has it, in which of its sums, and which row of the "
        "tile of `a` and which column of that of `b` belong to that sum?"
    )


def _has_gaps(case: Case, observed: Plain, t: int) -> bool:
    """Whether only each t-th row and column were written: t * y + 16 * i meets itself."""
    written = observed["c"] != case.inputs["c"]
    rows, columns = np.nonzero(written)
    apart = rows % t == 0, columns % t == 0
    return t > 1 and rows.size > 1 and all(one.all() for one in apart)


_GAPS = (
    "Only each {t}th row and column is written, some by several threads: {t} * y + 16 * i is the "
    "same for different y and i. With sums 16 apart, as `put` writes them, in which row does the "
    "thread with y = 1 begin?"
)


def _known(case: Case, expected: np.ndarray, t: int) -> Iterable[Slip]:
    """What known slips give, with the sentence about each."""
    a, b = (case.inputs[name].astype(np.float64) for name in ("a", "b"))
    k = a.shape[1]
    if k > COLUMNS:
        last = (k - 1) // COLUMNS * COLUMNS
        if k % COLUMNS:
            yield a[:, :last] @ b[:last], _LAST_IS_MISSING
        yield (
            a[:, :COLUMNS] @ b[:COLUMNS],
            "That has only the first tile of `a` and `b` in it. Which loop brings the others?",
        )
        yield (
            a[:, last:] @ b[last:],
            "That has only the last tile in it: the sums begin at 0 again in each step.",
        )
        yield a[:, :last] @ b[:last], _LAST_IS_MISSING
        yield a[:, COLUMNS:] @ b[COLUMNS:], "The first tile is missing in it."
    yield (
        _moved(expected, t, swaps=True),
        "Inside of each thread's tile, rows and columns are exchanged: which index of the sums "
        "goes with `a`?",
    )
    yield (
        _moved(expected, t, swaps=False),
        f"These are the right sums in the wrong places: rows {t} * y + i were computed, and "
        "y + 16 * i written. Both have to be the same.",
    )


def _moved(expected: np.ndarray, t: int, *, swaps: bool) -> np.ndarray:
    """Sums of a thread exchanged, or computed for rows side by side and written 16 apart."""
    side = 16 * t
    rows, columns = (-(-n // side) * side for n in expected.shape)
    whole = np.zeros((rows, columns))
    whole[: expected.shape[0], : expected.shape[1]] = expected
    row, column = np.arange(rows)[:, None], np.arange(columns)[None, :]
    top, left = row // side * side, column // side * side
    y, x, i, j = row % 16, column % 16, row % side // 16, column % side // 16
    if swaps:
        found = whole[top + y + 16 * j, left + x + 16 * i]
    else:
        found = whole[top + t * y + i, left + t * x + j]
    return found[: expected.shape[0], : expected.shape[1]]


def machine_faults(observed: Plain, inside: str, waits: str) -> Iterable[Fault]:
    """What leaves an array, and what does not wait for the other threads.

    Who reads beyond a tile reads what nobody has written: that is no second fault.
    """
    seen = in_floats(observed)
    kinds = {BEYOND: inside, WAITS - UNWRITTEN if has_hazard(seen, BEYOND) else WAITS: waits}
    yield from hazard_faults(seen, kinds, question)
    if not read_traffic(observed["shared_traffic"]).requests:
        yield Undecided(waits, "no thread used shared memory")


def idle_faults(
    case: Case, observed: Plain, properties: Iterable[str], t: int = 1
) -> Iterable[Fault]:
    """A kernel that writes next to nothing would seem to have every other property."""
    written = int((observed["c"] != case.inputs["c"]).sum())
    if 4 * written >= observed["c"].size:
        return
    some = f"only {written} of {observed['c'].size} elements" if written else "no element"
    for prop in properties:
        yield Undecided(
            prop,
            f"{some} of `c` {'was' if written < 2 else 'were'} written",
            "Several threads write the same elements; see the first property."
            if _has_gaps(case, observed, t)
            else "Which line writes into `c`, and which threads reach it?",
        )


def float32_faults(prop: str, observed: Plain, cause: str) -> Iterable[Fault]:
    """Arithmetic in float64."""
    if observed["doubles"]:
        yield Fault(
            prop,
            f"line {observed['doubles_line']}, `{observed['doubles_text']}`, computes in float64: "
            f"{observed['doubles']:,} operations in this launch",
            cause,
        )


def question(seen: Sighting) -> str:
    """The question below a hazard of the machine's."""
    if seen.kind == "misaligned":
        return (
            "A float4 begins at a multiple of 16 bytes, 4 floats. How long is a row of the tile, "
            "and at which multiple does row 1 begin?"
        )
    if seen.kind in RACE:
        return _race(seen)
    if seen.kind in UNWRITTEN and "local" in seen.message:
        return "An array of a thread's own holds anything at first. With what do the sums begin?"
    if seen.kind in UNWRITTEN:
        return (
            "Shared memory is filled before it is read, with a barrier between: which thread "
            "should have put something there, and what belongs where the matrix has ended?"
        )
    if seen.kind == "divergent-barrier":
        return "All threads of a block have to come to a barrier: does it stand inside of an `if`?"
    if seen.kind == "negative-index":
        return BELOW
    if _SHARED.search(seen.array):
        return "Every tile begins at 0 in each block. How many rows and columns has it?"
    return (
        "The matrix ends inside of this tile. Where do you ask whether row and column still exist?"
    )


def _race(seen: Sighting) -> str:
    other = re.search(r" on line (\d+)", seen.message)
    if other is None or int(other[1]) == seen.line:
        place = "place of the tile" if _SHARED.search(seen.array) else f"element of `{seen.array}`"
        return f"Two threads use one {place}, and one of them writes: whose is it?"
    return (
        f"A fast warp may be at line {seen.line} while a slow one is still at line {other[1]}. "
        "What lets all threads of the block wait between the two, also from one turn to the next?"
    )


def has_hazard(observed: Plain, kinds: frozenset[str]) -> bool:
    """Whether the machine saw one of these."""
    return any(seen.kind in kinds for seen in read_sightings(observed["sightings"]))
