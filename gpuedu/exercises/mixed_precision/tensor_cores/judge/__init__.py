"""tensor-cores: a warp's tile of a product in half, sums in float32; formats; the switch TF32."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from gpuedu.exercises.compare import array_fault, show, show_apart
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
from gpuedu.exercises.kernels.faults import LOOPS, OUTSIDE, hazard_faults
from gpuedu.exercises.kernels.properties import left_to_chance
from gpuedu.exercises.mixed_precision.tensor_cores.tensor_products import SIDE
from gpuedu.hardware.catalog import devices

FORMATS = ("tf32", "bf16", "fp8")
_SHAPES = ((16, 16, 16), (32, 48, 80), (48, 16, 112), (16, 64, 32))
_LONG = (16, 32, 640)
_COMPILED = (32, 48, 80)
_KERNEL = ("right", "inside", "warp", "float32", "tensor")
_BEYOND = OUTSIDE | {"misaligned"}
_TOGETHER = frozenset({"torn-warp", "lanes-disagree", "uninitialised-read", "data-race"})
_DROPPED_BITS = 13
"""Bits after the point that float32 has and TF32 does not."""

_TILES = (
    "How many elements does a row of this matrix have, and how many rows are there? You need "
    "that for where a tile starts, and for the leading dimension."
)
_QUESTIONS = dict.fromkeys(OUTSIDE, _TILES) | {
    "torn-warp": "A fragment is spread over 32 lanes: none of them can load its part alone. Is "
    "there an `if` around it that splits a warp?",
    "lanes-disagree": "The 32 lanes share one tile. Where does that tile start, for all of them?",
    "uninitialised-read": "`mma_sync` adds to what the accumulator holds. What do the "
    "sums start from?",
    "data-race": "Two warps store to one place. Where does the tile of each start, and how far "
    "apart are its rows?",
    "misaligned": "Tiles begin at multiples of 16 elements, 32 bytes. By how much does k grow in a "
    "step, and how long is a row?",
}
"""For what the machine found, a question that is right for each kernel in which it finds that."""

_FEW = 8
"""Of a product's operations, lanes may do one part of so many beside the tensor cores."""


def truth_of(name: str) -> float:
    """The smallest compute capability in the catalog with a format, as a number.

    >>> [truth_of(name) for name in FORMATS]
    [8.0, 8.0, 8.9]
    """
    having = (one.compute_capability for one in devices() if name in one.flop_per_s)
    major, minor = min(found for found in having if found)
    return float(f"{major}.{minor}")


def cases(rng: np.random.Generator) -> list[Case]:
    """Products of several shapes, one with long positive sums; the table; numbers to round."""
    products = [_product(rng, *shape) for shape in _SHAPES]
    return [
        *products,
        _long_sums(rng),
        Case("the formats", {"ask": "since", "formats": list(FORMATS)}, ("formats",)),
        *(
            Case(label, {"ask": "tf32", "x": _numbers(rng).reshape(-1, 4)}, ("tf32",))
            for label in ("numbers of many sizes", "other numbers")
        ),
    ]


def _product(rng: np.random.Generator, m: int, n: int, k: int) -> Case:
    """Factors of both signs and of different sizes by column; a ``c`` to overwrite."""
    scale = rng.choice([0.25, 1.0, 4.0], k)
    a, b = rng.normal(0.5, 2, (m, k)) * scale, rng.normal(0.5, 2, (k, n)) / scale[:, None]
    inputs = _inputs(rng, a, b) | {"compile": (m, n, k) == _COMPILED}
    return Case(f"c of {m} x {n}, K = {k}", inputs, _KERNEL)


def _long_sums(rng: np.random.Generator) -> Case:
    """Positive numbers: sums of ten thousand, where half has steps of 8."""
    m, n, k = _LONG
    a, b = rng.uniform(2, 6, (m, k)), rng.uniform(2, 6, (k, n))
    return Case(
        f"{k} positive products each", _inputs(rng, a, b) | {"compile": False}, ("float32", "warp")
    )


def _inputs(rng: np.random.Generator, a: np.ndarray, b: np.ndarray) -> dict[str, object]:
    c = rng.uniform(50_000, 60_000, (a.shape[0], b.shape[1]))
    return {
        "ask": "product",
        "a": a.astype(np.float16),
        "b": b.astype(np.float16),
        "c": c.astype(np.float32),
    }


def _numbers(rng: np.random.Generator) -> np.ndarray:
    """Float32 of both signs and many sizes, none half-way between two of TF32."""
    powers = np.where(np.arange(200) % 4, rng.integers(-40, 40, 200), rng.integers(-105, 105, 200))
    x = (rng.standard_normal(200) * 2.0**powers).astype(np.float32)
    bits = x.view(np.uint32)
    ties = (bits & (2**_DROPPED_BITS - 1)) == 2 ** (_DROPPED_BITS - 1)
    x[ties] = 1.0
    x[:4] = 0.0, 1.0, -3.0, np.float32(1 + 2**-10 - 2**-23)
    return x


def verdict(case: Case, observed: Plain) -> Iterable[Fault | Finding]:
    """By what was asked: the table, the rounding, or a product."""
    if case.inputs["ask"] == "since":
        yield from _formats(observed["got"])
    elif case.inputs["ask"] == "tf32":
        yield from _rounding(case.inputs["x"], observed["got"])
        if not observed["kept"]:
            yield Fault("tf32", "`tf32` changed its argument")
    else:
        yield from _product_faults(case, observed)


def _formats(got: list[float]) -> Iterator[Fault]:
    for name, given in zip(FORMATS, got, strict=True):
        wanted = truth_of(name)
        if not abs(given - wanted) <= 1e-9:
            yield Fault("formats", f"`since[{name!r}]` is {show(given)}")
            return


def _rounding(x: np.ndarray, got: np.ndarray) -> Iterator[Fault]:
    """A fault at the first number that is not rounded as it should be."""
    x, got = x.reshape(-1), got.reshape(-1)
    expected = rounded(x)
    wrong = ~(got == expected)
    if wrong.any():
        at = int(np.flatnonzero(wrong)[0])
        told, wanted = show_apart(float(got[at]), float(expected[at]))
        yield Fault(
            "tf32",
            f"`tf32` made {told} of {float(x[at]):.9g}, expected {wanted} "
            f"({int(wrong.sum())} of {x.size} numbers are wrong)",
        )


def rounded(x: np.ndarray) -> np.ndarray:
    """Float32 numbers to the nearest with 10 bits after the point, in float64 (none is a tie)."""
    mantissa, exponent = np.frexp(x.astype(np.float64))
    return np.ldexp(np.round(mantissa * 2.0**11), exponent - 11)


def _product_faults(case: Case, observed: Plain) -> Iterator[Fault | Finding]:
    kinds = {LOOPS: "right", _BEYOND: "inside", _TOGETHER: "warp"}
    shown = {kinds_: prop for kinds_, prop in kinds.items() if prop in case.decides}
    yield from hazard_faults(observed, shown, _QUESTIONS)
    idle = _idle(case, observed)
    if idle:
        for prop in case.decides:
            yield (Fault if prop == "right" else Undecided)(prop, idle)
        return
    yield from _values(case, observed)
    if "tensor" in case.decides:
        yield from _tensor(case, observed)


def _idle(case: Case, observed: Plain) -> str:
    """A sentence about a kernel that writes next to nothing; "" for any other."""
    size = observed["c"].size
    written = int((observed["c"] != case.inputs["c"]).sum())
    if 4 * written >= size:
        return ""
    some = f"only {written} of {size} elements" if written else "no element"
    return f"{some} of `c` {'was' if written < 2 else 'were'} written"


def _values(case: Case, observed: Plain) -> Iterator[Fault]:
    """A wrong product loses ``right``; one that is right but for its rounding, ``float32``."""
    a, b = (case.inputs[name].astype(np.float64) for name in ("a", "b"))
    expected, size = a @ b, np.abs(a) @ np.abs(b)
    k = a.shape[1]
    coarse = (k / SIDE + 4) * 2.0**-11 * size
    fine = (k + 4) * 2.0**-23 * size
    wrong = ~(np.abs(observed["c"].astype(np.float64) - expected) <= coarse)
    if wrong.any() and "right" in case.decides:
        chance = list(left_to_chance("right", observed))
        yield from chance or array_fault(
            "right", observed["c"], expected, tolerance=coarse, name="c"
        )
    if wrong.any():
        yield Undecided("float32", "the product is not right yet, so this cannot be judged")
        return
    yield from array_fault("float32", observed["c"], expected, tolerance=fine, name="c")
    for name in ("a", "b"):
        if not np.array_equal(observed[name], case.inputs[name]) and "right" in case.decides:
            yield Fault("right", f"`{name}` was changed by the kernel")


def _tensor(case: Case, observed: Plain) -> Iterator[Fault | Finding]:
    """All products on tensor cores, each once."""
    (m, k), n = case.inputs["a"].shape, case.inputs["b"].shape[1]
    wanted, got = 2 * m * n * k, observed["tensor_flop"]
    if got != wanted:
        yield Fault(
            "tensor",
            f"the tensor cores did {got:,} operations of the 2 M N K = {wanted:,}"
            + (f"; the lanes did {observed['lane_flop']:,}" if observed["lane_flop"] else ""),
        )
    elif observed["lane_flop"] > wanted / _FEW:
        yield Fault("tensor", f"the lanes did {observed['lane_flop']:,} operations themselves")
    if not case.inputs["compile"]:
        return
    if observed["compiler"]:
        yield Finding(Level.NOTE, f"not compiled here: {observed['compiler']}")
    elif not observed["products"]:
        yield Fault("tensor", "the compiled code has no `wmma.mma`")
    else:
        yield Finding(
            Level.NOTE,
            f"compiled for compute capability 9.0: {observed['products']} `wmma.mma` (the loop is "
            f"written out in part), {observed['fma']} multiply-adds of lanes, "
            f"{observed['registers']} registers",
        )


JUDGE = Judge(
    title="A matrix in one instruction",
    properties=(
        Property(
            "right",
            "`c` is `a @ b`, for all multiples of 16",
            1,
            "Follow a tile of `c`: what do its sums start from, what is added, and from where?",
        ),
        Property("inside", "every tile starts and continues where it is in its matrix", 1, _TILES),
        Property(
            "warp",
            "whole warps call with the same arguments, on fragments that are set",
            1,
            "Which lanes reach each call, and with which arguments and fragments?",
        ),
        Property(
            "float32",
            "the sums are kept in float32",
            1,
            "What is the type of the sums that products are added to, in each step and across all "
            "steps?",
        ),
        Property(
            "tensor",
            "the tensor cores do all products, each once",
            1,
            "Which function multiplies two fragments, and how many steps of 16 does K have?",
        ),
        Property(
            "formats",
            "`since` has the first devices of each format",
            0.5,
            "Which devices have a number in that column, and which of them is the smallest?",
        ),
        Property(
            "tf32",
            "`tf32` keeps 10 bits after the point, rounded to nearest",
            0.5,
            "Which of the 23 bits after the point stay, and which of two neighbors is nearer?",
        ),
    ),
    hints=(
        "A block's tile of `c` needs a band of 16 rows of `a` and one of 16 columns of `b`. For "
        "step k, at which element does the tile of `a` start, and at which that of `b`? How far "
        "is it from one row to the next in each of the three matrices?",
        "The accumulator is a fragment of its own use and type, and begins as 0. `a` has rows of K "
        "elements, `b` and `c` rows of N. For TF32: adding half a step to the bits and cutting 13 "
        "of them off rounds to nearest, for both signs.",
        "`wmma::fragment<wmma::accumulator, 16, 16, 16, float> sums;`, filled with `0.0f`; for "
        "each k in steps of 16, `load_matrix_sync(of_a, a + row * K + k, K)`, "
        "`load_matrix_sync(of_b, b + k * N + column, N)`, `mma_sync(sums, of_a, of_b, sums)`; then "
        "`store_matrix_sync(c + row * N + column, sums, N, wmma::mem_row_major)`, all of them with "
        "`wmma::` in front. And `bits = x.view(torch.int32)`, "
        "`((bits + 4096) & ~8191).view(torch.float32)`.",
    ),
    results=("right",),
    apart=("formats", "tf32"),
    cases=cases,
    verdict=verdict,
    predictions={
        "tensor-cores": Prediction(
            "how many multiply-add instructions of a warp does a product of 16 x 16 x 16 replace?",
            truth=128,
            unit="instructions",
            because="16 x 16 sums of 16 products are 4,096 multiply-adds; a warp's instruction has "
            "32 lanes with one each.",
        ),
        "tensor-cores-bytes": Prediction(
            "how many FLOP for each byte of the factors that a step loads?",
            truth=8,
            unit="FLOP for each byte",
            because=(
                "2 x 4,096 FLOP for two tiles of 256 numbers of 2 bytes, 1,024 bytes. With 8 x 8 "
                "sums per thread in fp32 it would be 2, read from shared memory."
            ),
        ),
    },
    varies=("compiler", "products", "registers", "fma"),
)
