"""aos-to-soa: fields side by side in memory, and a kernel that reads them in whole sectors."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from gpuedu.exercises.compare import array_fault
from gpuedu.exercises.contract import Case, Fault, Judge, Plain, Prediction, Property
from gpuedu.exercises.kernels.costs import sector_faults
from gpuedu.exercises.kernels.faults import (
    BELOW,
    LOOPS,
    OUTSIDE,
    hazard_faults,
    idle_faults,
    wrapped_faults,
)
from gpuedu.exercises.kernels.shapes import LaunchShape
from gpuedu.exercises.kernels.sightings import read_sightings
from gpuedu.exercises.kernels.traffic import read_traffic

FIELDS = ("x", "y", "z", "vx", "vy", "vz")
_VELOCITY = 3
_ITEM_BYTES = 4
_EPSILON = float(np.finfo(np.float32).eps)
_COSTS = ((256, 2, 128), (1024, 16, 64))
_LAUNCHES = (
    # particles, blocks, threads of a block; the first two decide what it costs
    *_COSTS,
    (100, 2, 64),
    (33, 1, 64),
    (1, 1, 32),
    (129, 3, 64),
)
_TABLES = (256, 33, 1)
_RIGHT = ("every", "inside")


def cases(rng: np.random.Generator) -> list[Case]:
    """The arrangement alone; then the kernel on it, numbers that fill all sectors first."""
    return [_table_case(rng, n) for n in _TABLES] + [_case(rng, *launch) for launch in _LAUNCHES]


def _table(rng: np.random.Generator, n: int) -> np.ndarray:
    scale = np.array([100, 100, 100, 1, 2, 3])
    return (rng.normal(0, 1, (n, len(FIELDS))) * scale).astype(np.float32)


def _table_case(rng: np.random.Generator, n: int) -> Case:
    inputs = {"ask": "layout", "table": _table(rng, n)}
    return Case(f"a table of shape {inputs['table'].shape}", inputs, ("layout",))


def _case(rng: np.random.Generator, n: int, blocks: int, threads: int) -> Case:
    inputs = {
        "ask": "kernel",
        "table": _table(rng, n),
        "out": -rng.uniform(500, 900, n).astype(np.float32),
        "blocks": blocks,
        "threads": threads,
    }
    costs = ("sectors",) if (n, blocks, threads) in _COSTS else ()
    many = "particle" if n == 1 else "particles"
    return Case(f"{n} {many}, {LaunchShape(blocks, threads)}", inputs, _RIGHT + costs)


def verdict(case: Case, observed: Plain) -> Iterable[Fault]:
    """The arrangement, the values, the bounds, and the sectors."""
    table = case.inputs["table"]
    if case.inputs["ask"] == "layout":
        yield from _layout(table, observed)
        return
    yield from hazard_faults(observed, {LOOPS: "every"})
    yield from _every(case, table, observed)
    yield from hazard_faults(
        observed,
        {OUTSIDE: "inside"},
        {
            "out-of-bounds": "`fields.shape` is `(6, n)`. Which index is the field, which the "
            "particle, and which threads have no particle?",
            "negative-index": BELOW,
        },
    )
    yield from idle_faults(observed, case.decides[1:])
    if "sectors" in case.decides:
        yield from _sectors(observed)


def _layout(table: np.ndarray, observed: Plain) -> Iterable[Fault]:
    fields = observed["fields"]
    if not np.array_equal(observed["table"], table):
        yield Fault("layout", "`table` was changed by `to_soa`", "Return a new array.")
    if not np.array_equal(fields, table.T):
        cause = "Which index of `table` is the field, and which the particle?"
        if np.array_equal(fields, table.reshape(fields.shape)):
            cause = (
                "`reshape` gives the same numbers in the same order other rows and columns. Row 0 "
                "should hold the x of all particles."
            )
        yield from array_fault(
            "layout", fields, table.T.astype(np.float64), tolerance=0, name="fields", cause=cause
        )
    step = observed["step_bytes"]
    if step != _ITEM_BYTES and len(table) > 1:
        yield Fault(
            "layout",
            f"`fields` looks right, but in memory `fields[0, 1]` lies {step} bytes behind "
            f"`fields[0, 0]`, and a float32 has {_ITEM_BYTES}: the numbers are still where the "
            "table has them",
            "`.T` and slices only change how indices are counted, and `np.copy` and `np.array` "
            "keep the order that they find. `np.ascontiguousarray`, or the method `.copy()`, puts "
            "row behind row.",
        )


def _every(case: Case, table: np.ndarray, observed: Plain) -> Iterable[Fault]:
    v = table[:, _VELOCITY:].astype(np.float64)
    expected = (v**2).sum(axis=1)
    yield from array_fault(
        "every",
        observed["out"],
        expected,
        tolerance=3 * _EPSILON * expected,
        cause=_cause(case, table, observed, expected),
    )
    yield from wrapped_faults("every", observed)
    if observed["changed"]:
        yield Fault("every", "`fields` was changed by the kernel", "Where does the result go?")


def _cause(case: Case, table: np.ndarray, observed: Plain, expected: np.ndarray) -> str:
    got, t = observed["out"].astype(np.float64), table.astype(np.float64)
    before = case.inputs["out"].astype(np.float64)
    if not observed["times"].any():
        return "Which line writes into `out`?"
    known = (
        ((t[:, :_VELOCITY] ** 2).sum(axis=1), "That takes x, y and z. Which rows are vx, vy, vz?"),
        ((t**2).sum(axis=1), "That adds the squares of all six fields; the speed has three."),
        (np.sqrt(expected), "That is the speed; its square is asked for."),
        (before + expected, "That adds to what stood in `out` before."),
        (t[:, _VELOCITY:].sum(axis=1) ** 2, "That is the square of the sum. What comes first?"),
        ((t[:, 2:5] ** 2).sum(axis=1), "Fields are counted from 0: vx is field 3."),
    )
    for theirs, says in known:
        if np.allclose(got, theirs, rtol=1e-5):
            return says
    if (observed["times"] == 0).any():
        return "It was not written. Which thread has this particle?"
    if not np.array_equal(observed["fields"], table.T):
        return "Is it the kernel, or are the fields of `to_soa` already wrong?"
    if any(seen.kind in OUTSIDE for seen in read_sightings(observed["sightings"])):
        return "Is the field the first index, and the particle the second?"
    return ""


def _sectors(observed: Plain) -> Iterable[Fault]:
    fields = read_traffic(observed["fields_traffic"])
    yield from sector_faults("sectors", fields, "load", "fields", cause=_how_far(observed))
    out = read_traffic(observed["out_traffic"])
    yield from sector_faults(
        "sectors", out, "store", "out", cause="Which particle does each thread of a warp take?"
    )


def _how_far(observed: Plain) -> str:
    element = observed["together"][observed["together"] >= 0]
    if element.size < 2:
        return "Only one thread of the warp is at work there. What do the other 31 do?"
    apart = abs(int(element[1] - element[0]))
    if observed["step_bytes"] == _ITEM_BYTES:
        return (
            f"The numbers of a field lie side by side, but two neighbouring threads take two that "
            f"are {apart} apart. Which index has the thread in it?"
        )
    apart_bytes = _ITEM_BYTES * apart
    return (
        f"What two neighbouring threads want lies {apart_bytes} bytes apart in memory. Look at "
        "`fields.strides`: how many bytes is it from one column to the next?"
    )


JUDGE = Judge(
    title="From an array of structs to a struct of arrays",
    properties=(
        Property("layout", "in `to_soa`'s result, the numbers of a field lie side by side", 1),
        Property("every", "`out[i]` is the squared speed of particle i, for any n", 1),
        Property("inside", "no thread reads or writes outside the arrays", 1),
        Property("sectors", "the kernel reads and writes whole sectors", 2),
    ),
    hints=(
        "Print `table.strides` and `table.T.strides`: how many bytes is it to the next particle in "
        "each? Did `.T` move anything?",
        "`np.ascontiguousarray` copies into rows that lie in one piece. In the kernel, the first "
        "index is the field now, the second the particle.",
        "`return np.ascontiguousarray(table.T)`. In the kernel, with `i = cuda.grid(1)` and the "
        "guard `i < out.size`: the sum of the squares of `fields[3, i]`, `fields[4, i]` and "
        "`fields[5, i]`.",
    ),
    cases=cases,
    verdict=verdict,
    predictions={
        "aos-to-soa": Prediction(
            "a warp reads `table[i, 3]` of 32 particles of 6 float32 each: how many sectors?",
            truth=24,
            unit="sectors",
            because="32 records of 24 bytes are 768 bytes, and in each 32 bytes of them is at "
            "least one vx. Side by side, the 32 numbers are 4 sectors.",
        )
    },
)
