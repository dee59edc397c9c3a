"""register-tile: t x t sums a thread, in registers; one source for t = 2, 4 and 8."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

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
from gpuedu.exercises.kernels.costs import conflict_faults
from gpuedu.exercises.kernels.traffic import read_traffic
from gpuedu.exercises.registers.judge.products import (
    Slip,
    float32_faults,
    idle_faults,
    machine_faults,
    matrices,
    value_faults,
)
from gpuedu.exercises.registers.products import COLUMNS
from gpuedu.trace.counts import SECTOR_BYTES

_SHAPES = (
    # t, M, N, K
    (4, 64, 64, 16),
    (8, 128, 128, 16),
    (4, 70, 90, 13),
    (8, 100, 70, 5),
    (2, 33, 65, 9),
    (4, 1, 1, 1),
)
_COSTS = ((4, 64, 64, 16), (8, 128, 128, 16))
_COMPILED = (8, 128, 128, 16)
_RIGHT = ("right", "inside", "waits", "float32")

PASS_BYTES = 128
"""What a pass through the banks can bring: 4 bytes of each."""

_NO_FLOAT32 = (
    "Which of its values is no float32? An array has the type that stands in its declaration, and "
    "a plain number counts as float64 as soon as it is divided."
)
_SLACK = 0.9
_MEDALS = ((1.4, "gold"), (1.0, "silver"), (0.6, "bronze"))
"""FLOP for each byte through the SM's data path, at 8 x 8 sums and K = 16."""


def cases(rng: np.random.Generator) -> list[Case]:
    """Whole tiles, on which costs are judged; then edges in all three directions."""
    return [_case(rng, *shape) for shape in _SHAPES]


def _case(rng: np.random.Generator, t: int, m: int, n: int, k: int) -> Case:
    shape = (t, m, n, k)
    inputs = {**matrices(rng, m, n, k), "t": t, "compile": shape == _COMPILED}
    decides = _RIGHT
    if shape in _COSTS:
        decides += ("banks",)
    if shape == _COMPILED:
        decides += ("intensity", "registers")
    return Case(f"t = {t}, c of {m} x {n}, K = {k}", inputs, decides)


def verdict(case: Case, observed: Plain) -> Iterable[Fault | Finding]:
    """Values and what the machine saw; on whole tiles also the traffic and the compiled code."""
    t = case.inputs["t"]
    wrong = list(value_faults("right", case, observed, t, _slips(case)))
    yield from wrong
    yield from machine_faults(observed, "inside", "waits")
    yield from float32_faults("float32", observed, _NO_FLOAT32)
    if "banks" in case.decides:
        yield from _banks(observed)
    yield from idle_faults(case, observed, [one for one in case.decides if one != "right"], t)
    if "registers" in case.decides:
        yield from _intensity(case, observed)
        yield from _registers(t, observed)
        if not wrong:
            yield from _medal(case, observed)


def _slips(case: Case) -> Iterator[Slip]:
    """What comes out where the tile of ``b`` begins at row ``left`` and column ``first``."""
    a, b = (case.inputs[name].astype(np.float64) for name in ("a", "b"))
    side, steps = 16 * case.inputs["t"], range(0, a.shape[1], COLUMNS)
    rows, columns = (-(-n // side) * side + a.shape[1] + COLUMNS for n in b.shape)
    whole = np.zeros((max(rows, columns), max(rows, columns)))
    whole[: b.shape[0], : b.shape[1]] = b
    got = np.zeros((a.shape[0], b.shape[1]))
    for left in range(0, b.shape[1], side):
        for first in steps:
            part = a[:, first : first + COLUMNS]
            tile = whole[left : left + part.shape[1], first : first + side]
            got[:, left : left + side] += (part @ tile)[:, : got.shape[1] - left]
    yield (
        got,
        "The tile of `b` began at row `left` and column `first`: `fetch` takes the matrix, its "
        "first row, its first column and the tile, in this order. Along which of the two does K "
        "run in `b`?",
    )


def flop_of(case: Case) -> int:
    """Floating-point operations of the product, a multiply-add as two."""
    a, b = case.inputs["a"], case.inputs["b"]
    return 2 * a.shape[0] * a.shape[1] * b.shape[1]


def _banks(observed: Plain) -> Iterator[Fault]:
    yield from conflict_faults(
        "banks",
        read_traffic(observed["shared_traffic"]),
        cause="Word k lies in bank k % 32. A warp is two rows of 16 threads: which words do its "
        "lanes want at the same time, and how far are they apart?",
    )


def _intensity(case: Case, observed: Plain) -> Iterator[Fault | Finding]:
    """FLOP for each byte that a kernel without conflicts would take out of shared memory."""
    t = case.inputs["t"]
    loads = read_traffic(observed["shared_traffic"]).of("load")
    passes = sum(one.ideal_wavefronts for one in loads.accesses)
    if not passes:
        yield Undecided("intensity", "no thread read from shared memory")
        return
    got = flop_of(case) / (PASS_BYTES * passes)
    if got >= _SLACK * t / 4:
        return
    most = max(loads.accesses, key=lambda one: one.requests)
    yield Fault(
        "intensity",
        f"{t} x {t} sums allow {t / 4:g} FLOP for each byte out of shared memory; yours does "
        f"{got:.2g}, most of it at {most.told}{_merged(t, observed)}",
        f"A step k needs {t} values of `a` and {t} of `b` for {t * t} products. How often does "
        "the source ask for each of them, and where could a thread keep them meanwhile?",
    )


def _merged(t: int, observed: Plain) -> str:
    """What the compiler does about it, where it takes the repeats out: the source is judged."""
    if not observed["compiler"] and observed["shared_loads"]:
        each = observed["fma"] / observed["shared_loads"]
        if each >= _SLACK * t / 2:
            return (
                f". This compiler takes the repeats out ({observed['shared_loads']} loads for "
                f"{observed['fma']} multiply-adds), but nothing says that it must; what counts "
                "here is the source"
            )
    return ""


def _registers(t: int, observed: Plain) -> Iterator[Fault | Finding]:
    if observed["compiler"]:
        yield Finding(
            Level.NOTE,
            f"registers were not looked at: there is no compiler here ({observed['compiler']})",
        )
    elif observed["stack_bytes"]:
        yield Fault(
            "registers",
            f"with {t} x {t} sums, the compiler puts {observed['stack_bytes']} bytes of each "
            "thread's arrays into memory (its stack), not into registers",
            "Registers have no addresses: every index has to be known when the kernel is compiled. "
            "Which loop over your array has an end, or which index, that only the launch knows?",
        )
    elif observed["spill_bytes"]:
        yield Fault(
            "registers",
            f"with {t} x {t} sums, the compiler spills: {observed['spill_bytes']} bytes are stored "
            "to memory and fetched back",
            "Which of a thread's values need not be kept, or not all at the same time?",
        )
    else:
        yield Finding(
            Level.NOTE, f"{t} x {t} sums: {observed['registers']} registers a thread, no spills"
        )


def _medal(case: Case, observed: Plain) -> Iterator[Finding]:
    shared = read_traffic(observed["shared_traffic"]).wavefronts
    sectors = sum(read_traffic(observed[f"{one}_traffic"]).sectors for one in ("a", "b", "c"))
    got = flop_of(case) / (PASS_BYTES * shared + SECTOR_BYTES * sectors) if shared else 0.0
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
        Property("right", "`c` is `a @ b`, for any shape, with t = 2, 4 and 8", 1),
        Property("inside", "no thread reads or writes outside the arrays", 1),
        Property("waits", "no thread reads what is not there yet, nor fills what is still read", 1),
        Property("float32", "all arithmetic is in float32", 1),
        Property("intensity", "as written, t / 4 FLOP for each byte out of shared memory", 1),
        Property("banks", "no bank conflict", 1),
        Property("registers", "the sums stay in registers: no stack, no spills (t = 8)", 1),
    ),
    hints=(
        "For one k, a thread with 4 x 4 sums needs 4 numbers of the tile of `a` and 4 of that of "
        "`b`. Which rows and columns are its own, if `put` writes 16 apart?",
        "`sums = cuda.local.array((t, t), float32)`, and one more for the numbers of one k. Then "
        "the loops of a tiled matmul: fetch both tiles, barrier, for each k take the numbers and "
        "add all products, barrier. `put` comes last, behind all steps.",
        "`own = cuda.local.array((2, t), float32)`; for each k, first `own[0, i] = a_tile[y + 16 * "
        "i, k]` and `own[1, i] = b_tile[k, x + 16 * i]` for all i, then `sums[i, j] += own[0, i] * "
        "own[1, j]` for all i and j. `put(sums, c, top + y, left + x)`.",
    ),
    cases=cases,
    verdict=verdict,
    predictions={
        "register-tile": Prediction(
            "a thread has 4 x 4 sums: how many FLOP does a warp do for each byte out of shared "
            "memory?",
            truth=1,
            unit="FLOP/byte",
            because="Of 4 + 4 passes of 128 bytes it makes 16 multiply-adds of 32 lanes: 1,024 "
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
