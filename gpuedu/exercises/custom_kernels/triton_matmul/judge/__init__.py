"""triton-matmul: a tile of the product for each program, and the order in which they are taken."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import combinations

import numpy as np

from gpuedu.exercises.contract import (
    Case,
    Fault,
    Finding,
    Inputs,
    Judge,
    Plain,
    Prediction,
    Property,
)
from gpuedu.exercises.kernels.program_properties import (
    in_bounds,
    loads_at_most,
    masked_apart,
    once_right,
    own_elements,
    unless_few_stored,
)
from gpuedu.exercises.kernels.properties import right_values

_TILED = ("right", "inside", "masked", "own", "once")
_ORDERED = ("right", "own", "once", "grouped")
_SHAPES = (
    ((33, 49, 40), (32, 16, 16), 2, _TILED),
    ((5, 3, 1), (16, 16, 16), 4, ("right", "inside")),
    ((96, 80, 16), (16, 16, 16), 4, _ORDERED),
    ((80, 64, 16), (16, 16, 16), 2, _ORDERED),
    ((2, 3, 12_000), (16, 16, 256), 1, ("right",)),
)
"""M, N, K; the sides of a block; GROUP: with edges to spare, last groups lower than others, and
stripes that are longer than any block that people choose for the whole of them."""
_LARGE = 120.0
"""Its square is 14,400, where neighbors in float16 are 8 apart."""


def cases(rng: np.random.Generator) -> list[Case]:
    """Normal numbers; and products that are large before they cancel, for float32."""
    found = []
    for size, block, group, decides in _SHAPES:
        m, n, k = size
        label = f"{m} x {k} times {k} x {n}, tiles {block[0]} x {block[1]}, GROUP {group}"
        a, b = rng.normal(size=(m, k)), rng.normal(size=(k, n))
        found.append(_case(label, a, b, block, group, decides))
    a, b = rng.normal(size=(16, 64)), rng.normal(size=(64, 32))
    a[:, [0, -1]] = _LARGE
    b[0], b[-1] = _LARGE, -_LARGE
    label = "16 x 64 times 64 x 32, with two large products that cancel"
    found.append(_case(label, a, b, (16, 32, 16), 1, ("float32",)))
    return found


def _case(
    label: str,
    a: np.ndarray,
    b: np.ndarray,
    block: tuple[int, int, int],
    group: int,
    decides: tuple[str, ...],
) -> Case:
    (m, k), n = a.shape, b.shape[1]
    inputs = {"a": a.astype(np.float16), "b": b.astype(np.float16)}
    inputs |= {"c": np.full((m, n), np.nan, np.float16), "M": m, "N": n, "K": k, "GROUP": group}
    inputs |= dict(zip(("BLOCK_M", "BLOCK_N", "BLOCK_K"), block, strict=True))
    tiles = -(-m // block[0]) * -(-n // block[1])
    return Case(label, {**inputs, "grid": tiles, "threads": 128}, decides)


def product(inputs: Inputs) -> np.ndarray:
    """``a @ b`` in float64."""
    return inputs["a"].astype(np.float64) @ inputs["b"].astype(np.float64)


def _magnitude(inputs: Inputs) -> np.ndarray:
    return np.abs(inputs["a"].astype(np.float64)) @ np.abs(inputs["b"].astype(np.float64))


def _any_sum(inputs: Inputs) -> np.ndarray:
    """Room for a sum that is rounded to float16 after each product."""
    return _magnitude(inputs) * 2.0**-9


def _rounded_once(inputs: Inputs) -> np.ndarray:
    """Room for a sum in float32, in any order, that is rounded to float16 once."""
    in_float32 = inputs["K"] * 2.0**-23 * _magnitude(inputs)
    return np.abs(product(inputs)) * 2.0**-11 + in_float32 + 2.0**-25


def _float32() -> Property:
    """The sum is rounded to float16 once, and nothing is computed in float64."""
    values = right_values(
        "float32",
        "the sum is kept in float32, and rounded once",
        1,
        product,
        output="c",
        tolerance=_rounded_once,
        asks="In which format is the sum on its way, and how far apart are neighbors of its size "
        "in that format?",
    )

    def test(case: Case, observed: Plain) -> Iterable[Fault | Finding]:
        for line in observed["doubles"][:1]:
            yield Fault("float32", f"{line}, computes in float64")
        yield from values.test(case, observed) if values.test else ()

    return replace(values, test=test, waits_for=("right",))


def _grouped() -> Property:
    """Programs of neighboring columns of a group load no more than their stripes."""

    def test(case: Case, observed: Plain) -> Iterable[Fault | Finding]:
        found = list(_beyond(case.inputs, observed))
        if found:
            first, last, loaded, enough = max(found, key=lambda one: one[2] - one[3])
            yield Fault(
                "grouped",
                f"programs {first} to {last} together load {loaded:,} different elements of `a` "
                f"and `b`; in the order that is asked for, they load {enough:,}",
            )

    return Property(
        "grouped",
        "programs of neighboring columns load no more than in the order that is asked for",
        1,
        "Which tiles do these programs have, and which rows of `a` and columns of `b` do they "
        "need for them?",
        unless_few_stored("grouped", test, "c"),
    )


def _beyond(inputs: Inputs, observed: Plain) -> Iterator[tuple[int, int, int, int]]:
    """First and last program, elements loaded, and elements needed, where those are fewer."""
    rows = -(-inputs["M"] // inputs["BLOCK_M"])
    columns = -(-inputs["N"] // inputs["BLOCK_N"])
    a, b = (observed[f"{one}.reads"] > 0 for one in ("a", "b"))
    for top in range(0, rows, inputs["GROUP"]):
        height = min(inputs["GROUP"], rows - top)
        stripes = min(inputs["BLOCK_M"] * height, inputs["M"] - inputs["BLOCK_M"] * top)
        for left, right in combinations(range(columns + 1), 2):
            first, last = (top * columns + height * column for column in (left, right))
            wide = min(inputs["BLOCK_N"] * right, inputs["N"]) - inputs["BLOCK_N"] * left
            enough = inputs["K"] * (stripes + wide)
            loaded = sum(int(one[first:last].any(axis=0).sum()) for one in (a, b))
            if loaded > enough:
                yield first, last - 1, loaded, enough


JUDGE = Judge(
    title="A product in tiles, in an order that suits the cache",
    properties=(
        right_values(
            "right",
            "`c` is the product of `a` and `b`",
            2,
            product,
            output="c",
            tolerance=_any_sum,
            leaves=("a", "b"),
            asks="Which row of `a` and which column of `b` belong to that element, and which of "
            "their products are added up?",
        ),
        *once_right(
            _float32(),
            in_bounds(1, output="c"),
            masked_apart(1, output="c"),
            own_elements(1, output="c"),
            loads_at_most(
                "once",
                "no program loads an element of `a` or `b` twice",
                1,
                1,
                ("a", "b"),
                each_program=True,
                output="c",
                asks="Which row and which column did the program want, each time that it came to "
                "that element?",
            ),
            _grouped(),
        ),
    ),
    hints=(
        "`GROUP` rows of tiles are `GROUP * columns` programs. So which group has program "
        "`number`, and how many programs of that group are before it? For the tile itself: it has "
        "`BLOCK_M` rows i and `BLOCK_N` columns j, and a turn of the loop has `BLOCK_K` of the k.",
        "In a group that is `height` rows high, `% height` goes down a column and `// height` "
        "counts columns. `height` is `GROUP`, or what is left of `rows`. With i as a column of "
        "numbers (`[:, None]`) and k as a row (`[None, :]`), `a + i * K + k` is a block of "
        "addresses.",
        "`first = number // (GROUP * columns) * GROUP`, `height = min(rows - first, GROUP)`, "
        "`within = number % (GROUP * columns)`. In the loop: `left = tl.load(a + i * K + "
        "k[None, :], mask=(i < M) & (k[None, :] < K), other=0.0)`, `right` likewise from `b + "
        "k[:, None] * N + j`, and `total = tl.dot(left, right, total)`.",
    ),
    cases=cases,
    seeds=3,
    predictions={
        "triton-matmul": Prediction(
            "16 programs run at once, each with a tile of `c`. In a row they need 17 stripes of "
            "`a` and `b`. What is the smallest number of stripes that any 16 tiles need?",
            truth=8,
            unit="stripes",
            because="Tiles that are r high and s wide need r stripes of `a` and s of `b`. With "
            "r * s = 16, r + s is smallest for a square: 4 + 4.",
            exact=True,
        ),
    },
)
