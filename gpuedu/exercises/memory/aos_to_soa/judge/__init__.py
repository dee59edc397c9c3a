"""aos-to-soa: fields side by side in memory, and a kernel that reads them in whole sectors."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from gpuedu.exercises.compare import array_fault
from gpuedu.exercises.contract import Case, Fault, Inputs, Judge, Plain, Prediction, Property
from gpuedu.exercises.kernels.properties import inside, right_values, whole_sectors
from gpuedu.exercises.kernels.shapes import LaunchShape

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
_TABLES = (256, 33, 1, 6)
_RIGHT = ("every", "inside")
_KEEP = "The caller may need its inputs again. Where does the result go?"


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
        "grid": blocks,
        "block": threads,
    }
    costs = ("sectors",) if (n, blocks, threads) in _COSTS else ()
    many = "particle" if n == 1 else "particles"
    return Case(f"{n} {many}, {LaunchShape(blocks, threads)}", inputs, _RIGHT + costs)


def squared_speed(inputs: Inputs) -> np.ndarray:
    """Of each particle, in float64."""
    return (inputs["table"][:, _VELOCITY:].astype(np.float64) ** 2).sum(axis=1)


def verdict(case: Case, observed: Plain) -> Iterable[Fault]:
    """Faults where an array that should only be read was changed."""
    if case.inputs["ask"] == "layout":
        if not np.array_equal(observed["table"], case.inputs["table"]):
            yield Fault("layout", "`table` was changed by `to_soa`", _KEEP)
    elif observed["changed"]:
        yield Fault("every", "`fields` was changed by the kernel", _KEEP)


def _layout(case: Case, observed: Plain) -> Iterable[Fault]:
    fields = case.inputs["table"].T.astype(np.float64)
    yield from array_fault("layout", observed["arranged"], fields, tolerance=0, name="fields")
    step = observed["step_bytes"]
    if step != _ITEM_BYTES and fields.shape[1] > 1:
        yield Fault(
            "layout",
            f"`fields` looks right, but in memory `fields[0, 1]` lies {step} bytes after "
            f"`fields[0, 0]`, and a float32 has {_ITEM_BYTES}: the numbers of a field do not lie "
            "side by side",
        )


JUDGE = Judge(
    title="From an array of structs to a struct of arrays",
    properties=(
        Property(
            "layout",
            "in `to_soa`'s result, the numbers of a field lie side by side",
            1,
            "Which numbers are in row 0 of the result, and how many bytes is it from each of them "
            "to the next?",
            _layout,
        ),
        right_values(
            "every",
            "`out[i]` is the squared speed of particle i, for any n",
            1,
            squared_speed,
            tolerance=lambda inputs: 3 * _EPSILON * squared_speed(inputs),
            must_end=True,
            asks="Which thread has this particle, which numbers does it add up, and does `fields` "
            "hold them there?",
        ),
        inside(
            1,
            asks="`fields.shape` is `(6, n)`. Which index is the field, which the particle, and "
            "which threads have no particle?",
        ),
        whole_sectors(
            "sectors",
            "the kernel reads and writes whole sectors",
            2,
            "fields",
            "load",
            also={"out": "store"},
            output="out",
            asks="Which numbers do the 32 threads of a warp ask for at that moment, and how far "
            "apart are they in memory?",
        ),
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
    results=("every",),
    apart=("layout",),
    cases=cases,
    verdict=verdict,
    predictions={
        "aos-to-soa": Prediction(
            "a warp reads `table[i, 3]` of 32 particles of 6 float32 each: how many sectors?",
            truth=24,
            exact=True,
            unit="sectors",
            because="32 records of 24 bytes are 768 bytes, and every 32 bytes of them hold at "
            "least one vx. Side by side, the 32 numbers are 4 sectors.",
        )
    },
)
