"""What the judges of the matmul kernels share: matrices, the product, and their properties."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import partial

import numpy as np

from gpuedu.exercises.contract import Case, Fault, Finding, Inputs, Plain, Property, Undecided
from gpuedu.exercises.kernels.faults import BARRIER, OUTSIDE, UNWRITTEN, WAITS, hazard_faults
from gpuedu.exercises.kernels.properties import (
    BETWEEN_TURNS,
    UNDEFINED,
    question_of_waits,
    right_values,
    works_alone,
)
from gpuedu.exercises.kernels.sightings import read_sightings
from gpuedu.exercises.kernels.traffic import read_traffic
from gpuedu.exercises.registers.judge.float4 import in_floats

_EPSILON = float(np.finfo(np.float32).eps)
_FLOAT_BYTES = 4
_ENOUGH = 4
"""The share of ``c`` that has to be written, as one part of so many, before anything is judged."""


_SURPLUS = 1.5
"""How many times the product's own arithmetic counts: for steps that add zeros."""


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


def product(inputs: Inputs) -> np.ndarray:
    """``a @ b`` in float64, (M, N)."""
    return inputs["a"].astype(np.float64) @ inputs["b"].astype(np.float64)


def tolerance(inputs: Inputs) -> np.ndarray:
    """How far a sum of K products in float32 may be off, in any order.

    K roundings, each of at most half an epsilon of the sum of the absolute products, doubled, and a
    few for the products.
    """
    a, b = (np.abs(inputs[name].astype(np.float64)) for name in ("a", "b"))
    return (a.shape[1] + 4) * _EPSILON * (a @ b)


def right_product(says: str) -> Property:
    """``c`` is the product, no element is written twice, and ``a`` and ``b`` are as before."""
    values = right_values(
        "right",
        f"{says}, each element written once",
        1,
        product,
        output="c",
        tolerance=tolerance,
        leaves=("a", "b"),
        undefined=UNDEFINED | BARRIER,
        must_end=True,
        asks="Which row of `a` and which column of `b` does this element need, for all k below K, "
        "and in which sum of which thread are their products added?",
    )

    def test(case: Case, observed: Plain) -> Iterable[Fault | Finding]:
        found = list(values.test(case, in_floats(observed)) if values.test else ())
        yield from found or _written_again(observed)

    return replace(values, test=test)


def _written_again(observed: Plain) -> Iterable[Fault]:
    """A fault where a launch writes more floats of ``c`` than there are."""
    accesses = read_traffic(observed["c.traffic"]).of("store").accesses
    floats = sum(one.lanes * one.itemsize for one in accesses) // _FLOAT_BYTES
    if floats > observed["c"].size:
        yield Fault(
            "right",
            f"a launch writes {floats:,} elements of `c`, which has {observed['c'].size:,}",
            "After which step is a sum complete? Before, there is nothing to write.",
        )


def inside(says: str) -> Property:
    """No index leaves its array, and no float4 is taken from where none can begin."""

    def test(case: Case, observed: Plain) -> Iterable[Fault]:
        yield from hazard_faults(in_floats(observed), {OUTSIDE: "inside"}, lambda seen: "")

    asks = "How many rows and columns does that array have, and at which of its elements is this?"
    return if_written(Property("inside", says, 1, asks, test))


def all_wait() -> Property:
    """No race, nothing read before it is written, and barriers that every thread reaches.

    A thread that reads past a tile reads what nobody has written: that is no second fault.
    """
    ask = question_of_waits(BETWEEN_TURNS)

    def test(case: Case, observed: Plain) -> Iterable[Fault]:
        seen = in_floats(observed)
        kinds = WAITS - UNWRITTEN if leaves_arrays(seen) else WAITS
        yield from hazard_faults(seen, {kinds: "waits"}, partial(ask, case))
        yield from works_alone("waits", case, observed)

    says = "no thread reads what is not there yet, nor fills what is still read"
    return if_written(Property("waits", says, 1, BETWEEN_TURNS, test))


def if_written(prop: Property) -> Property:
    """The same property, undecided where a kernel writes next to nothing and shows no fault."""

    def test(case: Case, observed: Plain) -> Iterable[Fault | Finding]:
        found = list(prop.test(case, observed) if prop.test else ())
        yield from found
        written, size = int((observed["c"] != case.inputs["c"]).sum()), observed["c"].size
        if not any(isinstance(one, Fault) for one in found) and _ENOUGH * written < size:
            some = f"only {written} of {size} elements" if written else "no element"
            verb = "was" if written < 2 else "were"
            yield Undecided(prop.name, f"{some} of `c` {verb} written")

    return replace(prop, test=test)


def float64_faults(prop: str, observed: Plain) -> Iterable[Fault]:
    """A fault where there is arithmetic in float64."""
    if observed["doubles"]:
        yield Fault(
            prop,
            f"line {observed['doubles_line']}, `{observed['doubles_text']}`, computes in float64: "
            f"{observed['doubles']:,} operations in this launch",
            "Which of the values on that line isn't float32?",
        )


def leaves_arrays(observed: Plain) -> bool:
    """Whether the machine saw an index that is outside, or a float4 where none can begin."""
    return any(seen.kind in OUTSIDE for seen in read_sightings(observed["sightings"]))


def flop_of_product(inputs: Inputs, observed: Plain) -> float:
    """The arithmetic of a launch over whole tiles; what goes far beyond the product's is left out.

    What it is divided by is asked for in the same launch: arithmetic of no use would hide that.
    """
    (m, k), n = inputs["a"].shape, inputs["b"].shape[1]
    return min(observed["flop"], _SURPLUS * 2 * m * n * k)
