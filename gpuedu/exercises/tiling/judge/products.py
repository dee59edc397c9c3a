"""What the judges of matmul kernels share: matrices, the tolerance, and known wrong products."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from gpuedu.exercises.compare import array_fault
from gpuedu.exercises.contract import Fault, Plain
from gpuedu.exercises.kernels.faults import OUTSIDE, wrapped_faults
from gpuedu.exercises.kernels.sightings import read_sightings
from gpuedu.exercises.tiling.precision import read_double_lines

TILE = 32
_EPSILON = float(np.finfo(np.float32).eps)

Inputs = Mapping[str, Any]


def draw_matrices(rng: np.random.Generator, m: int, n: int, k: int) -> dict[str, np.ndarray]:
    """``a`` (m, k), ``b`` (k, n) and a filled ``c`` (m, n), all float32; rows differ in scale."""
    scale = 10.0 ** rng.uniform(-1, 1, (m, 1))
    return {
        "a": (rng.normal(0, 1, (m, k)) * scale).astype(np.float32),
        "b": rng.normal(0, 2, (k, n)).astype(np.float32),
        "c": rng.uniform(5_000, 9_000, (m, n)).astype(np.float32),
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


def value_faults(
    prop: str, inputs: Inputs, observed: Plain, cause: str = "", launch: str = ""
) -> Iterable[Fault]:
    """Faults where ``c`` is not the product, or where ``a`` or ``b`` was changed.

    Args:
        prop: The property that says that ``c`` is right.
        inputs: The case's, with ``a``, ``b`` and the ``c`` from before.
        observed: Holds the arrays afterwards, ``times`` and ``sightings``.
        cause: The question below where no known slip gives this ``c``.
        launch: A sentence about the grid, said where elements are not written.
    """
    yield from array_fault(
        prop,
        observed["c"],
        product(inputs),
        tolerance=tolerance(inputs),
        name="c",
        cause=product_cause(inputs, observed, launch) or cause,
    )
    yield from wrapped_faults(prop, observed)
    for name in ("a", "b"):
        if not np.array_equal(observed[name], inputs[name]):
            yield Fault(prop, f"`{name}` was changed by the kernel", "Where does the result go?")


def float64_faults(prop: str, observed: Plain) -> Iterable[Fault]:
    """Faults at the lines in loops that compute in float64, or where nothing is computed."""
    if not observed["flop"]:
        yield Fault(prop, "no thread adds or multiplies anything, so this shows nothing yet")
    for line in read_double_lines(observed["float64_lines"]):
        if line.in_loop:
            told = f"line {line.line}, `{line.text}`, does {line.flop:,} operations in float64"
            yield Fault(prop, told, _WHICH_DTYPE)


_WHICH_DTYPE = (
    "Which dtype does the sum begin with, and which do the tiles have, if there are any? `0.0` is "
    "float64, and a whole number beside a float32 becomes it."
)


def is_right(inputs: Inputs, observed: Plain) -> bool:
    """Whether ``c`` is the product."""
    return bool((np.abs(observed["c"] - product(inputs)) <= tolerance(inputs)).all())


def product_cause(inputs: Inputs, observed: Plain, launch: str = "") -> str:
    """A sentence about the first known slip that gives the observed ``c``; else nothing."""
    if not observed["times"].any():
        return "Which line writes into `c`, and which threads reach it?"
    a, b, before = (inputs[name].astype(np.float64) for name in ("a", "b", "c"))
    got = observed["c"].astype(np.float64)
    for gives, says in known_products(a, b, before):
        if _is_same(got, gives, a @ b, tolerance(inputs)):
            return says
    missing = observed["times"] == 0
    if missing.any():
        i, j = divmod(int(np.flatnonzero(missing)[0]), b.shape[1])
        asked = "Which block and which thread should have it?"
        return " ".join(filter(None, (f"`c[{i}, {j}]` was not written.", launch, asked)))
    if np.isnan(got).any():
        return _ask_about_nan(observed)
    return ""


def _ask_about_nan(observed: Plain) -> str:
    if any(seen.kind in OUTSIDE for seen in read_sightings(observed["sightings"])):
        return "NaN is what the machine gives for an element that does not exist: see below."
    return "NaN is what the machine leaves in shared memory that nobody has written."


def _is_same(got: np.ndarray, theirs: np.ndarray, right: np.ndarray, near: np.ndarray) -> bool:
    """Whether a slip gives the upper left part of ``got`` that it says something about."""
    rows, columns = theirs.shape
    got, right, near = (part[:rows, :columns] for part in (got, right, near))
    agrees = np.abs(got - theirs) <= 2 * near + 1e-6 * np.abs(theirs)
    differs = np.abs(right - theirs) > 2 * near
    return bool(agrees.all() and differs.any())


def known_products(
    a: np.ndarray, b: np.ndarray, before: np.ndarray
) -> Iterator[tuple[np.ndarray, str]]:
    """What known slips give, with the sentence that names each.

    Args:
        a: (m, k).
        b: (k, n).
        before: (m, n), what stood in ``c``.

    Yields:
        A slip's product, or the upper left part of it that stays inside of the matrices.
    """
    (m, k), n = a.shape, b.shape[1]
    yield (
        a @ b + before,
        "That is the product, added to what stood in `c` before. Where does the sum begin?",
    )
    if k <= m:
        yield (a[:k].T @ b)[:m], "That is `a.T @ b`: which index of `a` is the row of `c`?"
    if k <= n:
        yield a @ b[:, :k].T, "That is `a @ b.T`: which index of `b` runs with k?"
    side = min(m, n)
    yield (a @ b)[:side, :side].T, "That is the product, transposed: `c[i, j]`, i is the row."
    yield from _parts(a, b)
    if m % TILE == n % TILE == k % TILE == 0:
        yield from _turned(a, b)


def _parts(a: np.ndarray, b: np.ndarray) -> Iterator[tuple[np.ndarray, str]]:
    """Sums over a part of k."""
    k = a.shape[1]
    last = (k - 1) // TILE * TILE
    yield a[:, :-1] @ b[:-1], "The last k is not in the sum."
    yield (
        a[:, : k // TILE * TILE] @ b[: k // TILE * TILE],
        "What is left of K behind the last whole tile is not in the sum. How many tiles are "
        "begun, whole or not?",
    )
    yield a[:, :TILE] @ b[:TILE], "Only the first tile along K is in the sum."
    yield a[:, :last] @ b[:last], "The last tile along K is not in the sum."
    yield a[:, -1:] @ b[-1:], "Only the last k is in it. Is each product added to those before?"
    yield (
        a[:, last:] @ b[last:],
        "Only the last tile along K is in it. Where does the sum begin, and how often?",
    )


def _turned(a: np.ndarray, b: np.ndarray) -> Iterator[tuple[np.ndarray, str]]:
    """Products of matrices whose tiles are turned."""
    says = (
        "Rows and columns of the tile of {} are exchanged, where it is filled or where it is read."
    )
    yield turn_tiles(a) @ b, says.format("`a`")
    yield a @ turn_tiles(b), says.format("`b`")
    yield turn_tiles(a) @ turn_tiles(b), says.format("both `a` and `b`")


def turn_tiles(m: np.ndarray) -> np.ndarray:
    """Each tile of 32 x 32 transposed where it is; rows and columns are whole tiles.

    >>> turn_tiles(np.eye(64, k=1))[:2, :3].tolist()
    [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]]
    """
    rows, columns = (size // TILE for size in m.shape)
    tiles = m.reshape(rows, TILE, columns, TILE)
    return tiles.transpose(0, 3, 2, 1).reshape(m.shape)
