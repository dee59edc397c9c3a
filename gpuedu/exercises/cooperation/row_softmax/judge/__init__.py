"""row-softmax: two reductions of a block over one row, in CUDA C, stable and in float32."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import log2

import numpy as np

from gpuedu.exercises.contract import (
    Case,
    Fault,
    Finding,
    Inputs,
    Judge,
    Level,
    Plain,
    Prediction,
    Property,
    Undecided,
)
from gpuedu.exercises.cooperation.block_work import line_of
from gpuedu.exercises.cooperation.busiest_warps import Share, uneven_faults
from gpuedu.exercises.cooperation.judge.endings import stopped_values
from gpuedu.exercises.kernels.costs import sector_faults
from gpuedu.exercises.kernels.faults import ENDLESS, OUTSIDE, RACE, UNWRITTEN, hazard_faults
from gpuedu.exercises.kernels.properties import right_values
from gpuedu.exercises.kernels.shapes import LaunchShape
from gpuedu.exercises.kernels.traffic import Access, Traffic, read_traffic

_ALONE = 200.0
"""So far below the largest element of a row are the least ones, where it stands alone."""

_LAUNCHES = (
    # rows, columns, threads of a block, largest of the first row, of the others, how far below
    (3, 100, 64, 4.0, 4.0, 6.0),
    (2, 64, 64, 4.0, -3.0, 6.0),
    (5, 256, 128, 4.0, 40.0, 6.0),
    (2, 33, 128, -2.0, 4.0, 6.0),
    (2, 700, 256, 4.0, 9.0, 9.0),
    (3, 129, 32, 4.0, 4.0, 6.0),
    (1, 1, 32, 4.0, 4.0, 6.0),
    (6, 31, 32, 4.0, -1.0, 3.0),
    (2, 1300, 128, 4.0, 0.0, 6.0),
    (1, 520, 64, -4.0, 0.0, 9.0),
    (2, 96, 32, 7.0, 7.0, 0.0),
    (3, 96, 64, 1000.0, -1000.0, 6.0),
    (2, 200, 128, -1234.0, 1000.0, 6.0),
    (2, 300, 256, 1000.0, 900.0, _ALONE),
    (3, 96, 64, 500.0, 0.0, _ALONE),
    (2, 50, 128, -1500.0, -900.0, 6.0),  # far below 0, and threads without a column
)
_HAZARDS = {OUTSIDE | UNWRITTEN: "inside", RACE | ENDLESS | {"warp-sync-mask"}: "together"}
_SAFE = tuple(_HAZARDS.values())
_COSTS = ("rounds", "reads", "sectors", "float32")
_WHOLE_ROWS, _TEAM, _LONG = 32, 128, 8
_EPSILON = float(np.finfo(np.float32).eps)
_TINY = 1e-37
"""About the least normal float32: below it, a GPU may give 0."""

_PAR, _GOLD, _SPARE = 3, 2, 0.6


def cases(rng: np.random.Generator) -> list[Case]:
    """Fewer and more columns than threads, one column, equal elements, rows far from 0."""
    return [_case(rng, *launch) for launch in _LAUNCHES]


def _case(
    rng: np.random.Generator,
    rows: int,
    columns: int,
    threads: int,
    first: float,
    others: float,
    spread: float,
) -> Case:
    largest = np.where(np.arange(rows) == 0, first, others)[:, None]
    below = rng.uniform(0, spread, (rows, columns))
    below -= below.min(axis=1, keepdims=True)
    if spread == _ALONE:
        below = _stand_alone(rng, below, threads)
    x = (largest - below).astype(np.float32)
    inputs = {
        "x": x,
        "y": rng.uniform(2, 3, x.shape).astype(np.float32),
        "columns": np.int32(columns),
        "grid": rows,
        "block": threads,
    }
    far = max(abs(first), abs(others)) > 88
    told = f", rows up to {first:g} and {others:g}" if far else ", all equal" if not spread else ""
    label = f"x of {rows} x {columns}{told}, {LaunchShape(rows, threads)}"
    return Case(label, inputs, ("stable" if far else "values", *_SAFE, *_decided(columns, threads)))


def _stand_alone(rng: np.random.Generator, below: np.ndarray, threads: int) -> np.ndarray:
    """One largest element in each row, at least 90 above the others.

    An odd thread of the second half finds it, in a row between others an even one: who loses it in
    a fold gets infinite exponentials. In the last row it is the last element, which a loop that
    ends too early leaves out.
    """
    below = 90 + below / 2
    owners = threads // 2 + 1 + 2 * rng.integers(0, threads // 4, len(below))
    owners[1:-1] -= 1
    owners[-1] = below.shape[1] - 1
    below[np.arange(len(below)), owners] = 0
    return below


def _decided(columns: int, threads: int) -> Iterator[str]:
    """The costs that a case can tell: not of few threads, nor of rows that begin in a sector."""
    yield "float32"
    if columns >= _LONG * threads:
        yield "reads"
    if columns % _WHOLE_ROWS == 0:
        yield "sectors"
    if threads >= _TEAM:
        yield "rounds"


def softmax_of(inputs: Inputs) -> np.ndarray:
    """The softmax of each row of ``x``, (M, N), in float64.

    >>> softmax_of({"x": np.array([[1000.0, 1000.0]])}).tolist()
    [[0.5, 0.5]]
    """
    x = inputs["x"].astype(np.float64)
    raised = np.exp(x - x.max(axis=1, keepdims=True))
    return raised / raised.sum(axis=1, keepdims=True)


def tolerance_of(inputs: Inputs) -> np.ndarray:
    """How far ``y`` may be off: float32 rounds elements, distances to the largest, and sums."""
    x = inputs["x"]
    far = x.max(axis=1, keepdims=True) - x + np.abs(x).max(axis=1, keepdims=True)
    return softmax_of(inputs) * (1e-5 + 4 * _EPSILON * far) + _TINY


def verdict(case: Case, observed: Plain) -> Iterable[Fault | Finding]:
    """What the machine saw, then what it cost."""
    yield from stopped_values(case.decides[0], observed)
    yield from hazard_faults(observed, _HAZARDS, lambda seen: "")
    untold = _shows_nothing(case, observed)
    for prop, costs in _JUDGED.items():
        if prop in case.decides:
            yield from [Undecided(prop, untold)] if untold else costs(case, observed)
    if untold:
        yield from (Undecided(prop, untold) for prop in _SAFE)


def _shows_nothing(case: Case, observed: Plain) -> str:
    """What is said of a kernel that leaves out most of the work: it seems to have all the rest."""
    rows, columns = case.inputs["x"].shape
    size, reached = rows * columns, rows * min(columns, case.inputs["block"])
    written = int((observed["y"] != case.inputs["y"]).sum())
    if 2 * written < reached:
        some = f"only {written} of {size} elements" if written else "no element"
        return f"{some} of `y` {'was' if written < 2 else 'were'} written"
    read = read_traffic(observed["x.traffic"]).of("load").lanes
    return f"`x` was read {read} times, and has {size} elements" if 2 * read < reached else ""


def _rounds(case: Case, observed: Plain) -> Iterator[Fault]:
    """No warp repeats a line as often as if one thread did the work of all."""
    columns, threads = case.inputs["x"].shape[1], case.inputs["block"]
    turns, folds = -(-columns // threads), round(log2(threads))
    most = 4 * turns + 8 * folds
    if observed["waits"] > most:
        yield Fault(
            "rounds",
            f"{observed['waits']:.0f} updates of a block meet at one address, and an atomic lets "
            "one through at a time",
        )
    elif observed["rounds"] > most:
        yield Fault(
            "rounds",
            f"a thread comes {observed['rounds']} times to {line_of(observed, 'rounds')}. With "
            f"{threads} threads, {columns} columns take {turns} iteration"
            f"{'' if turns == 1 else 's'}, and a fold takes {folds} rounds",
        )
    elif columns >= _LONG * threads:
        yield from uneven_faults("rounds", observed, [Share("x", _PAR * turns + 1, slack=1.5)])


def _reads(case: Case, observed: Plain) -> Iterator[Fault | Finding]:
    """Loads of each array; some are spare, to begin with, and where a larger element is kept."""
    rows, columns = case.inputs["x"].shape
    size, times = rows * columns, 0.0
    for name in ("x", "y"):
        loads = _loads(read_traffic(observed[f"{name}.traffic"]))
        times += loads.lanes / size
        if loads.lanes > (_PAR + _SPARE) * size:
            loudest = max(loads.accesses, key=lambda one: one.lanes)
            yield Fault(
                "reads",
                f"`{name}` has {size:,} elements, and the threads read it {loads.lanes:,} times, "
                f"each element {loads.lanes / size:.1f} times on average, most often by "
                f"{loudest.told}",
            )
    if rows > 1 and _GOLD <= times <= _GOLD + _SPARE:
        yield Finding(
            Level.NOTE,
            f"each element is read {times:.1f} times from global memory; {_PAR} times is par",
        )


def _loads(traffic: Traffic) -> Traffic:
    """Loads; of equal ones on one line a compiler makes one."""
    found: dict[tuple[int, str], Access] = {}
    for one in traffic.of("load").accesses:
        key = (one.line, one.text)
        found[key] = max(found.get(key, one), one, key=lambda access: access.lanes)
    return Traffic(tuple(found.values()))


def _sectors(case: Case, observed: Plain) -> Iterator[Fault]:
    """Rows begin at a sector here, and end at one."""
    for name, operation in (("x", "load"), ("y", "store")):
        traffic = read_traffic(observed[f"{name}.traffic"])
        most = (_PAR + 1) * case.inputs[name].nbytes
        yield from sector_faults("sectors", traffic, operation, name, most_bytes=most)


def _float32(case: Case, observed: Plain) -> Iterator[Fault]:
    if observed["doubles"]:
        yield Fault(
            "float32",
            f"{line_of(observed, 'doubles')}, computes in `double`: {observed['doubles']:,} "
            "operations in this launch",
        )


_JUDGED = {"rounds": _rounds, "reads": _reads, "sectors": _sectors, "float32": _float32}
_VALUES = {"expected": softmax_of, "tolerance": tolerance_of, "output": "y", "leaves": ("x",)}

JUDGE = Judge(
    title="A softmax in CUDA C",
    properties=(
        right_values(
            "values",
            "each row of `y` is the softmax of its row of `x`, for any shape",
            1,
            asks="Which exponentials are in the sum of that row, and which thread writes that "
            "element?",
            **_VALUES,
        ),
        right_values(
            "stable",
            "the same for rows near 1000 and near -1000",
            1,
            asks="Which exponentials are in the sum of that row, and can float32 hold each?",
            **_VALUES,
        ),
        Property(
            "inside",
            "nothing outside the arrays is touched, nothing unwritten is read",
            1,
            "Which places of each array does a thread use, and which thread filled those that it "
            "reads?",
        ),
        Property(
            "together",
            "no data race, and all threads of a block come to each barrier",
            1,
            "What makes a thread wait for what others write or still read, and do all threads of "
            "the block come there?",
        ),
        Property(
            "rounds",
            "all threads of a block share the row's columns, and fold together",
            1,
            "Which columns are a thread's own, and how many threads work at the same time in a "
            "fold?",
        ),
        Property(
            "reads",
            "an element is read from global memory three times on average",
            1,
            "Once for the largest, once for the sum, once for the result. Which elements are a "
            "thread's own, and what could it keep in a variable?",
        ),
        Property(
            "sectors",
            "neighbors read and write neighbors: whole sectors",
            1,
            "Which elements do the 32 threads of a warp ask for at that moment?",
        ),
        Property(
            "float32",
            "all arithmetic is in float32",
            1,
            "Which number, variable or function on that line is a `double`?",
        ),
    ),
    hints=(
        "Two folds, one after the other, in the same `part`. The first leaves the largest in "
        "`part[0]`. Who still has to read it when the first thread starts to fill `part` again?",
        "Copy the loop and the fold of `row_max`. Each thread takes the largest into its own "
        "variable; a barrier; then the same loop and fold again, with `+=` and "
        "`expf(x[first + j] - largest)`. A fold ends with a barrier, too.",
        "After the first fold: `__syncthreads(); float largest = part[0]; __syncthreads(); "
        "part[t] = 0;`. Then the loop adds `expf(x[first + j] - largest)` to `part[t]`, the fold "
        "adds, another barrier, and a last loop over `j` writes `y[first + j]`.",
    ),
    results=("values", "stable"),
    cases=cases,
    verdict=verdict,
    predictions={
        "row-softmax": Prediction(
            "A row is 0 and 100. In float32, without subtracting the largest: what comes out for "
            "the second element?",
            truth="nan",
            choices=("1", "0", "inf", "nan"),
            because="`expf(100.0f)` is more than float32 holds, so it is infinite, and the sum is, "
            "too. Infinity divided by infinity is no number.",
        )
    },
)
