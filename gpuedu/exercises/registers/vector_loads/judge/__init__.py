"""vector-loads: four floats of shared memory with one instruction, in CUDA C."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np

from gpuedu.exercises.contract import (
    Case,
    Fault,
    Finding,
    Judge,
    Level,
    Plain,
    Prediction,
    Property,
    Undecided,
)
from gpuedu.exercises.kernels.properties import no_bank_conflicts, whole_sectors
from gpuedu.exercises.kernels.shapes import WARP_SIZE
from gpuedu.exercises.kernels.traffic import read_traffic
from gpuedu.exercises.registers.judge.products import (
    all_wait,
    float64_faults,
    flop_of_product,
    if_written,
    inside,
    matrices,
    right_product,
)

_SHAPES = ((64, 64, 32), (70, 20, 17), (30, 90, 8), (5, 3, 200), (1, 1, 1))
_COSTS = (64, 64, 32)
_EACH = 8
"""Multiply-adds of a thread for each load instruction at best: 16 for 2."""

_SLACK = 0.9
_FLOAT4_BYTES = 16


def cases(rng: np.random.Generator) -> list[Case]:
    """Whole tiles, on which costs are judged; edges in all three directions; a K above M and N."""
    return [_case(rng, *shape) for shape in _SHAPES]


def _case(rng: np.random.Generator, m: int, n: int, k: int) -> Case:
    judged = (m, n, k) == _COSTS
    inputs = {**matrices(rng, m, n, k), "compile": judged}
    decides = ("right", "inside", "waits")
    if judged:
        decides += ("vectors", "banks", "sectors")
    return Case(f"c of {m} x {n}, K = {k}", inputs, decides)


def right() -> Property:
    """``c`` is the product, computed in float32."""
    values = right_product("`c` is `a @ b`, for any shape, in float32")

    def test(case: Case, observed: Plain) -> Iterable[Fault | Finding]:
        yield from values.test(case, observed) if values.test else ()
        yield from float64_faults("right", observed)

    return replace(values, test=test)


def aligned_inside() -> Property:
    """Nothing outside the arrays, and tiles begin where a float4 may."""
    arrays = inside("nothing outside the arrays; float4 and tiles begin where they may")

    def test(case: Case, observed: Plain) -> Iterable[Fault | Finding]:
        yield from arrays.test(case, observed) if arrays.test else ()
        if "banks" in case.decides:
            yield from _alignment(observed)

    return replace(arrays, test=test)


def _alignment(observed: Plain) -> Iterator[Fault]:
    """A tile that is read by float4 has to begin where one may: the compiler places it."""
    loads = read_traffic(observed["shared.traffic"]).of("load").accesses
    wide = {one.array for one in loads if one.itemsize == _FLOAT4_BYTES}
    for entry in observed.get("alignments", ()):
        symbol, _, bytes_apart = entry.partition(" ")
        name = next((one for one in wide if symbol.endswith(one)), "")
        if name and int(bytes_apart) < _FLOAT4_BYTES:
            yield Fault(
                "inside",
                f"`{name}` is read by float4, and the compiler puts it at any multiple of "
                f"{bytes_apart} bytes",
            )


def sectors() -> Property:
    """Whole sectors of ``a`` and ``b``, each element once."""
    whole = whole_sectors(
        "sectors",
        "`a` and `b` are read in whole sectors, each element once per tile",
        1,
        "a",
        "load",
        also={"b": "load"},
        asks="What do the 32 lanes of a warp fetch at that moment, and does another thread of the "
        "block fetch the same?",
    )

    def test(case: Case, observed: Plain) -> Iterable[Fault | Finding]:
        yield from whole.test(case, observed) if whole.test else ()
        for name in ("a", "b"):
            yield from _repeats(case, observed, name)

    return if_written(replace(whole, test=test))


def _repeats(case: Case, observed: Plain, name: str) -> Iterator[Fault]:
    """A block is all of the grid here: each element comes into a tile once."""
    loads = read_traffic(observed[f"{name}.traffic"]).of("load").accesses
    asked = sum(one.lanes * one.itemsize for one in loads)
    least = case.inputs[name].nbytes
    if asked > least / _SLACK:
        most = max(loads, key=lambda one: one.lanes)
        yield Fault(
            "sectors",
            f"the threads of a block fetch {asked / least:.1f} times as many bytes of `{name}` as "
            f"it has, most of them by {most.told}",
        )


def vectors(case: Case, observed: Plain) -> Iterable[Fault | Finding]:
    """Multiply-adds of a warp for each request to shared memory, as the source asks.

    Both as they were done: with too many steps, or too few, a kernel asks for no more in each.
    """
    loads = read_traffic(observed["shared.traffic"]).of("load")
    if not loads.requests:
        yield Undecided("vectors", "no thread read from shared memory")
        return
    told = _compiled(observed)
    each = flop_of_product(case.inputs, observed) / 2 / WARP_SIZE / loads.requests
    if each >= _SLACK * _EACH:
        yield Finding(Level.NOTE, told or "there is no compiler here: only the source was counted")
        return
    most = max(loads.accesses, key=lambda one: one.requests)
    yield Fault(
        "vectors",
        f"a warp does {each:.2g} multiply-adds for each time it asks shared memory, {_EACH} would "
        f"do; it asks most often at {most.told}, for {most.itemsize} bytes a lane"
        + (f" ({told}; what counts here is the source)" if told else ""),
    )


def _compiled(observed: Plain) -> str:
    """What the real compiler made of it, in a sentence; nothing where there is none."""
    if observed["compiler"]:
        return ""
    return (
        f"compiled: {observed['shared_loads']} loads from shared memory, "
        f"{observed['vector_loads']} of them of four floats, for {observed['fma']} multiply-adds; "
        f"{observed['registers']} registers"
    )


JUDGE = Judge(
    title="Four floats at once",
    properties=(
        right(),
        aligned_inside(),
        all_wait(),
        if_written(
            Property(
                "vectors",
                "as written, eight multiply-adds for each load from shared memory",
                1,
                "A thread needs 4 neighbors of the tile of `a` and 4 of that of `b` for 16 "
                "products. How often does it ask for them?",
                vectors,
            )
        ),
        if_written(
            no_bank_conflicts(1, says="no bank conflict, not even where the tile of `a` is filled")
        ),
        sectors(),
    ),
    hints=(
        "`b_tile[k][4 * x]` and its three neighbors lie side by side. In which order of its two "
        "indices would the tile of `a` have the 4 rows of a thread side by side, too?",
        "Fill `a_tile[n % 8][n / 8]`, so that neighboring lanes still read neighbors of a "
        "row of `a`. `*(const float4*)&a_tile[k][4 * y]` takes four. Then count the banks of the "
        "32 places that a warp fills: with rows of 64 floats, and with rows of 68.",
        "`__shared__ __align__(16) float a_tile[8][68];`, filled by `a_tile[n % 8][n / 8] = at(a, "
        "M, K, top + n / 8, first + n % 8);`. Between two barriers, for each k: `float4 p = "
        "*(const float4*)&a_tile[k][4 * y], q = *(const float4*)&b_tile[k][4 * x];` and "
        "`add_products(sums, p, q);`.",
    ),
    results=("right",),
    cases=cases,
    varies=(
        "compiler",
        "registers",
        "stack_bytes",
        "spill_bytes",
        "fma",
        "shared_loads",
        "vector_loads",
        "alignments",
    ),
    predictions={
        "vector-loads": Prediction(
            "a warp stores 8 neighbors of each of 4 rows of `a` into `a_tile[k][row]`, rows of 64 "
            "floats: how many passes?",
            truth=8,
            unit="passes",
            exact=True,
            because="The 8 values of k are 64 words apart, so they meet in one bank; the 4 rows "
            "have a bank each.",
        ),
        "vector-loads-pad": Prediction(
            "and what is the least padding for each row of the tile that ends this, and lets a "
            "float4 begin where it must?",
            truth=4,
            unit="floats",
            exact=True,
            because="With rows of 68, each k begins 4 banks further: 8 times 4 banks, all "
            "different. And 68 floats are 17 float4. With one float of padding, row 1 "
            "would begin at byte 260.",
        ),
    },
)
