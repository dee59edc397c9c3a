"""register-tile: t x t sums a thread, in registers; one source for t = 2, 4 and 8."""

from __future__ import annotations

from collections.abc import Iterable

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
from gpuedu.exercises.kernels.properties import no_bank_conflicts
from gpuedu.exercises.kernels.traffic import read_traffic
from gpuedu.exercises.registers.judge.products import (
    all_wait,
    float64_faults,
    flop_of_product,
    if_written,
    inside,
    matrices,
    product,
    right_product,
    tolerance,
)
from gpuedu.trace.counts import SECTOR_BYTES

_SHAPES = (
    # t, M, N, K
    (4, 64, 64, 16),
    (8, 128, 128, 16),
    (4, 70, 90, 13),
    (8, 100, 70, 5),
    (2, 33, 65, 9),
    (2, 5, 3, 200),
    (4, 1, 1, 1),
)
_COSTS = ((4, 64, 64, 16), (8, 128, 128, 16))
_COMPILED = (8, 128, 128, 16)
_RIGHT = ("right", "inside", "waits", "float32")

PASS_BYTES = 128
"""What a pass through the banks can bring: 4 bytes of each."""

_SLACK = 0.9
_MEDALS = ((1.4, "gold"), (1.0, "silver"), (0.6, "bronze"))
"""FLOP for each byte through the SM's data path, at 8 x 8 sums and K = 16."""


def cases(rng: np.random.Generator) -> list[Case]:
    """Whole tiles, on which costs are judged; edges in all three directions; a K above M and N."""
    return [_case(rng, *shape) for shape in _SHAPES]


def _case(rng: np.random.Generator, t: int, m: int, n: int, k: int) -> Case:
    shape = (t, m, n, k)
    inputs = {**matrices(rng, m, n, k), "t": t, "compile": shape == _COMPILED}
    if m > 2 and shape != _COMPILED:
        inputs["a"][m // 3] = 0  # sums that are 0 have to be written, too
    decides = _RIGHT
    if shape in _COSTS:
        decides += ("banks",)
    if shape == _COMPILED:
        decides += ("intensity", "registers")
    return Case(f"t = {t}, c of {m} x {n}, K = {k}", inputs, decides)


def verdict(case: Case, observed: Plain) -> Iterable[Finding]:
    """A medal for the intensity of a kernel that is right."""
    if "registers" in case.decides and _is_right(case, observed):
        yield from _medal(case, observed)


def _is_right(case: Case, observed: Plain) -> bool:
    off = np.abs(observed["c"] - product(case.inputs))
    return bool((off <= tolerance(case.inputs)).all())


def float32(case: Case, observed: Plain) -> Iterable[Fault]:
    """No arithmetic in float64."""
    yield from float64_faults("float32", observed)


def intensity(case: Case, observed: Plain) -> Iterable[Fault | Undecided]:
    """FLOP for each byte that a kernel without conflicts would take out of shared memory.

    Both as they were done: with too many steps, or too few, a kernel asks for no more in each.
    """
    t = case.inputs["t"]
    loads = read_traffic(observed["shared.traffic"]).of("load")
    passes = sum(one.ideal_wavefronts for one in loads.accesses)
    if not passes:
        yield Undecided("intensity", "no thread read from shared memory")
        return
    got = flop_of_product(case.inputs, observed) / (PASS_BYTES * passes)
    if got < _SLACK * t / 4 and not _is_right(case, observed):
        yield Undecided("intensity", "`c` is not the product: its FLOP may be too few")
    elif got < _SLACK * t / 4:
        most = max(loads.accesses, key=lambda one: one.requests)
        yield Fault(
            "intensity",
            f"{t} x {t} sums allow {t / 4:g} FLOP for each byte out of shared memory; yours does "
            f"{got:.2g}, most of it at {most.told}{_merged(t, observed)}",
        )


def _merged(t: int, observed: Plain) -> str:
    """What the compiler does about it, where it takes the repeats out: the source is judged."""
    if not observed["compiler"] and observed["shared_loads"]:
        each = observed["fma"] / observed["shared_loads"]
        if each >= _SLACK * t / 2:
            return (
                f". This compiler removes the repeats ({observed['shared_loads']} loads for "
                f"{observed['fma']} multiply-adds), but nothing says that it must; what counts "
                "here is the source"
            )
    return ""


def in_registers(case: Case, observed: Plain) -> Iterable[Fault | Finding]:
    """The compiler keeps a thread's arrays in registers, and spills nothing."""
    sums = f"{case.inputs['t']} x {case.inputs['t']} sums"
    if observed["compiler"]:
        why = f"there is no compiler here ({observed['compiler']})"
        yield Finding(Level.NOTE, f"registers were not looked at: {why}")
    elif observed["stack_bytes"]:
        yield Fault(
            "registers",
            f"with {sums}, the compiler puts {observed['stack_bytes']} bytes of each thread's "
            "arrays into memory (its stack), not into registers",
        )
    elif observed["spill_bytes"]:
        yield Fault(
            "registers",
            f"with {sums}, the compiler spills: {observed['spill_bytes']} bytes are stored to "
            "memory and fetched back",
        )
    else:
        yield Finding(Level.NOTE, f"{sums}: {observed['registers']} registers a thread, no spills")


def _medal(case: Case, observed: Plain) -> Iterable[Finding]:
    shared = read_traffic(observed["shared.traffic"]).wavefronts
    sectors = sum(read_traffic(observed[f"{one}.traffic"]).sectors for one in ("a", "b", "c"))
    flop = flop_of_product(case.inputs, observed)
    got = flop / (PASS_BYTES * shared + SECTOR_BYTES * sectors) if shared else 0.0
    medal = next((name for least, name in _MEDALS if got >= least), "below bronze")
    if medal != "below bronze":
        yield Finding(
            Level.NOTE,
            f"{got:.2f} FLOP for each byte through the SM's data path, all traffic of a product "
            f"of 128 x 128 x 16: {medal} "
            f"(gold from {_MEDALS[0][0]}, silver from {_MEDALS[1][0]})",
        )


JUDGE = Judge(
    title="A tile of c for each thread",
    properties=(
        right_product("`c` is `a @ b`, for any shape, with t = 2, 4 and 8"),
        inside("no thread reads or writes outside the arrays"),
        all_wait(),
        if_written(
            Property(
                "float32",
                "all arithmetic is in float32",
                1,
                "Which of the values on that line isn't float32?",
                float32,
            )
        ),
        if_written(
            Property(
                "intensity",
                "as written, t / 4 FLOP per byte out of shared memory",
                1,
                "A step k needs t values of `a` and t of `b` for t * t products. How often does "
                "the source ask for each of them, and where could a thread keep them meanwhile?",
                intensity,
            )
        ),
        if_written(no_bank_conflicts(1, says="no bank conflict")),
        if_written(
            Property(
                "registers",
                "the sums stay in registers: no stack, no spills (t = 8)",
                1,
                "Registers have no addresses, and their number is bounded. Is each index known "
                "when the kernel is compiled, and does a thread need all its values at a time?",
                in_registers,
            )
        ),
    ),
    hints=(
        "For one k, a thread with 4 x 4 sums needs 4 numbers of the tile of `a` and 4 of that of "
        "`b`. Which rows and columns are its own, if `put` writes 16 apart?",
        "`sums = cuda.local.array((t, t), float32)`, and one more for the numbers of one k. Then "
        "the loops of a tiled matmul: fetch both tiles, barrier, for each k take the numbers and "
        "add all products, barrier. `put` comes last, after all steps.",
        "`own = cuda.local.array((2, t), float32)`; for each k, first `own[0, i] = a_tile[y + 16 * "
        "i, k]` and `own[1, i] = b_tile[k, x + 16 * i]` for all i, then `sums[i, j] += own[0, i] * "
        "own[1, j]` for all i and j. `put(sums, c, top + y, left + x)`.",
    ),
    results=("right",),
    cases=cases,
    verdict=verdict,
    varies=("compiler", "registers", "fma", "shared_loads", "vector_loads", "alignments"),
    predictions={
        "register-tile": Prediction(
            "a thread has 4 x 4 sums: how many FLOP does a warp do per byte out of shared memory?",
            truth=1,
            unit="FLOP/byte",
            because="From 4 + 4 passes of 128 bytes it makes 16 multiply-adds of 32 lanes: 1,024 "
            "FLOP for 1,024 bytes.",
        ),
        "register-tile-8": Prediction(
            "and with 8 x 8?",
            truth=2,
            unit="FLOP/byte",
            because="16 passes for 64 multiply-adds: 4,096 FLOP for 2,048 bytes. With t x t it is "
            "t / 4.",
        ),
    },
)
