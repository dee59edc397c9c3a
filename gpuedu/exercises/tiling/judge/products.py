"""What the judges of matmul kernels share: matrices, the product, and the properties of its sum."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

import numpy as np

from gpuedu.exercises.contract import Case, Fault, Inputs, Plain, Property, Undecided
from gpuedu.exercises.kernels.faults import BARRIER, LOOPS, OUTSIDE, hazard_faults
from gpuedu.exercises.kernels.properties import UNDEFINED, right_values, unless_idle
from gpuedu.exercises.kernels.traffic import read_traffic
from gpuedu.exercises.tiling.precision import read_double_lines

TILE = 32
_FLOAT32_BYTES = 4
_EPSILON = float(np.finfo(np.float32).eps)


def draw_matrices(rng: np.random.Generator, m: int, n: int, k: int) -> dict[str, object]:
    """``a`` (m, k), ``b`` (k, n) and a filled ``c`` (m, n), all float32; rows differ in scale.

    Where there are many rows, one of ``a`` is all zeros: a sum that is 0 has to be written, too.
    The launch has one block for each tile of ``c``, whole or not.
    """
    scale = 10.0 ** rng.uniform(-1, 1, (m, 1))
    if m >= TILE:
        scale[m // 3] = 0
    return {
        "a": (rng.normal(0, 1, (m, k)) * scale).astype(np.float32),
        "b": rng.normal(0, 2, (k, n)).astype(np.float32),
        "c": rng.uniform(5_000, 9_000, (m, n)).astype(np.float32),
        "grid": (-(-n // TILE), -(-m // TILE)),
        "block": (TILE, TILE),
    }


def product(inputs: Inputs) -> np.ndarray:
    """``a @ b`` in float64, (m, n)."""
    return inputs["a"].astype(np.float64) @ inputs["b"].astype(np.float64)


def tolerance(inputs: Inputs) -> np.ndarray:
    """How far a float32 sum of k products may be off, in any order, (m, n).

    ``k * eps`` times the sum of the absolute products: N. Higham, *Accuracy and Stability of
    Numerical Algorithms*, 2nd edition (2002), section 3.1, with eps twice the unit roundoff.
    """
    a, b = (np.abs(inputs[name].astype(np.float64)) for name in ("a", "b"))
    return (a.shape[1] + 1) * _EPSILON * (a @ b)


def is_right(inputs: Inputs, observed: Plain) -> bool:
    """Whether ``c`` is the product."""
    return bool((np.abs(observed["c"] - product(inputs)) <= tolerance(inputs)).all())


def right_product(
    name: str,
    says: str,
    points: float,
    asks: str,
    *,
    lost_by: frozenset[str] = LOOPS,
    launch: Callable[[Case, Plain], str] = lambda case, observed: "",
) -> Property:
    """``c`` is the product, and ``a`` and ``b`` are as before.

    Args:
        name: The property's.
        says: What the card says of it.
        points: Its points.
        asks: The question below a counterexample.
        lost_by: Hazards that are faults of this property.
        launch: A sentence about the launch, said where elements are not written.
    """
    values = right_values(
        name,
        says,
        points,
        product,
        output="c",
        tolerance=tolerance,
        leaves=("a", "b"),
        undefined=UNDEFINED | BARRIER,
        asks=asks,
    )

    def test(case: Case, observed: Plain) -> Iterable[Fault]:
        yield from hazard_faults(observed, {lost_by - OUTSIDE: name})
        yield from hazard_faults(observed, {lost_by & OUTSIDE: name}, lambda seen: asks)
        faults = list(values.test(case, observed))
        missing = np.argwhere(observed["c.times"].reshape(observed["c"].shape) == 0)
        if missing.size and not any(isinstance(fault, Undecided) for fault in faults):
            at = ", ".join(map(str, missing[0]))
            yield Fault(name, f"`c[{at}]` was not written. {launch(case, observed)}".strip())
        yield from faults

    return replace(values, test=test)


def float32_sum(points: float = 1, *, with_tiles: bool = False) -> Property:
    """Nothing in loops is computed in float64, and no tile holds it."""

    def test(case: Case, observed: Plain) -> Iterable[Fault]:
        if not observed["flop"]:
            yield Undecided("float32", "no thread adds or multiplies anything")
        for line in read_double_lines(observed["float64_lines"]):
            if line.in_loop:
                told = f"line {line.line}, `{line.text}`, does {line.flop:,} operations in float64"
                yield Fault("float32", told)
        for one in read_traffic(observed["shared.traffic"]).accesses if with_tiles else ():
            if one.itemsize > _FLOAT32_BYTES:
                told = f"{one.told} moves {one.itemsize} bytes a lane, where a float32 has 4"
                yield Fault("float32", told)

    asks = "Which dtype do the numbers on that line have, and which does the sum begin with?"
    says = "the sum and the tiles are in float32" if with_tiles else "the sum is in float32"
    return Property("float32", says, points, asks, unless_idle("float32", test, "c"))
