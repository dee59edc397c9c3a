"""Causes and questions of the exercise on tensor cores, by what known slips would give."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from gpuedu.exercises.compare import show_apart
from gpuedu.exercises.contract import Fault
from gpuedu.exercises.kernels.sightings import Sighting

_SIDE = 16


def question(seen: Sighting) -> str:
    """The question below a hazard of the machine's."""
    if seen.kind == "torn-warp":
        return (
            "A fragment is spread over 32 lanes: none of them can load its part alone. Is there an "
            "`if` around it that parts a warp?"
        )
    if seen.kind == "lanes-disagree":
        return "The 32 lanes have one tile together. Where does that tile begin, for all of them?"
    if seen.kind == "uninitialised-read":
        return "`mma_sync` adds to what the accumulator holds. With what do the sums begin?"
    if seen.kind == "data-race":
        return "Two warps store to one place. Which tile of `c` belongs to which block?"
    if seen.kind == "misaligned":
        return (
            "Tiles begin at multiples of 16 elements, 32 bytes. By how much does k grow in a step, "
            "and how long is a row?"
        )
    return (
        "How many elements has a row of this matrix, and how many rows has it? Both stand in where "
        "a tile begins, and in the leading dimension."
    )


def likely_product(inputs: Mapping[str, Any], got: np.ndarray, tolerance: np.ndarray) -> str:
    """The sentence of the first known slip that gives what the learner got."""
    if np.isnan(got).any():
        return "NaN: something was read that nobody set, or lies outside; see further down."
    a, b = (inputs[name].astype(np.float64) for name in ("a", "b"))
    unwritten = int((got == inputs["c"]).sum())
    if unwritten:
        return (
            f"{unwritten} of {got.size} elements of `c` were not written. Which block has them, "
            "and where does its tile begin?"
        )
    for gives, says in _SLIPS:
        try:
            theirs = gives(a, b)
        except (ValueError, IndexError):
            continue
        if theirs.shape == got.shape and (np.abs(got - theirs) <= tolerance + 1e-3).all():
            return says
    return (
        "Follow one tile: at which element of `a` and of `b` does step k begin, how far is it to "
        "the next row there, and is the same accumulator used in every step?"
    )


def _walked(matrix: np.ndarray, leading: int, top: int, left: int) -> np.ndarray:
    """A tile as it is read with another leading dimension; IndexError beyond the end."""
    begin = top * matrix.shape[1] + left
    at = begin + leading * np.arange(_SIDE)[:, None] + np.arange(_SIDE)[None, :]
    return matrix.reshape(-1)[at]


def _by_tiles(
    a: np.ndarray, b: np.ndarray, lead_a: int, lead_b: int, *, turned: str = ""
) -> np.ndarray:
    """The product with other leading dimensions, or with a factor's tiles read by columns."""
    made = np.zeros((a.shape[0], b.shape[1]))
    for top, left in np.ndindex(made.shape[0] // _SIDE, made.shape[1] // _SIDE):
        rows, columns = top * _SIDE, left * _SIDE
        for k in range(0, a.shape[1], _SIDE):
            of_a, of_b = _walked(a, lead_a, rows, k), _walked(b, lead_b, k, columns)
            of_a, of_b = (of_a.T if turned == "a" else of_a), (of_b.T if turned == "b" else of_b)
            made[rows : rows + _SIDE, columns : columns + _SIDE] += of_a @ of_b
    return made


def _turned_tiles(product: np.ndarray) -> np.ndarray:
    """Each tile of a product transposed."""
    rows, columns = (extent // _SIDE for extent in product.shape)
    tiles = product.reshape(rows, _SIDE, columns, _SIDE).transpose(0, 3, 2, 1)
    return tiles.reshape(product.shape)


_Slip = tuple[Callable[[np.ndarray, np.ndarray], np.ndarray], str]
_SLIPS: tuple[_Slip, ...] = (
    (
        lambda a, b: a[:, :_SIDE] @ b[:_SIDE],
        "That has only the first step in it. Which loop brings the other tiles along K?",
    ),
    (
        lambda a, b: a[:, -_SIDE:] @ b[-_SIDE:],
        "That has only the last step in it: the sums begin at 0 again in each.",
    ),
    (
        lambda a, b: a[:, :-_SIDE] @ b[:-_SIDE],
        "The last step is missing in it. How many steps of 16 are there?",
    ),
    (
        lambda a, b: _by_tiles(a, b, a.shape[1], b.shape[1], turned="a"),
        "In it every tile of `a` is turned: rows of `a` lie side by side, which layout says that?",
    ),
    (
        lambda a, b: _by_tiles(a, b, a.shape[1], b.shape[1], turned="b"),
        "In it every tile of `b` is turned: rows of `b` lie side by side, which layout says that?",
    ),
    (
        lambda a, b: _turned_tiles(a @ b),
        "In it every tile of `c` is turned: rows of `c` lie side by side, which layout says that?",
    ),
    (
        lambda a, b: _by_tiles(a, b, _SIDE, _SIDE),
        "The rows of the tiles are read as if they were 16 elements apart, in both factors. How "
        "far is it from one row of `a` to the next?",
    ),
    (
        lambda a, b: _by_tiles(a, b, b.shape[1], b.shape[1]),
        "The rows of a tile of `a` are read as if they were N elements apart. How many elements "
        "has a row of `a`?",
    ),
    (
        lambda a, b: _by_tiles(a, b, a.shape[1], a.shape[1]),
        "The rows of a tile of `b` are read as if they were K elements apart. How many elements "
        "has a row of `b`?",
    ),
    (
        lambda a, b: _by_tiles(a, b, a.shape[1], _SIDE),
        "The rows of a tile of `b` are read as if they were 16 elements apart. How far is it from "
        "one row of `b` to the next?",
    ),
    (
        lambda a, b: _by_tiles(a, b, _SIDE, b.shape[1]),
        "The rows of a tile of `a` are read as if they were 16 elements apart. How far is it from "
        "one row of `a` to the next?",
    ),
)


def rounding(prop: str, x: np.ndarray, got: np.ndarray, expected: np.ndarray) -> Iterator[Fault]:
    """A fault at the first number that is not rounded as it should be."""
    wrong = ~(got == expected)
    if not wrong.any():
        return
    at = int(np.flatnonzero(wrong)[0])
    told, wanted = show_apart(float(got[at]), float(expected[at]))
    yield Fault(
        prop,
        f"`tf32` made {told} of {float(x[at]):.9g}, expected {wanted} "
        f"({int(wrong.sum())} of {x.size} numbers are wrong)",
        _cause(x, got, expected),
    )


def _cause(x: np.ndarray, got: np.ndarray, expected: np.ndarray) -> str:
    wide = x.astype(np.float64)
    if np.array_equal(got, wide):
        return "The numbers came back as they were. Which 13 bits have to go?"
    with np.errstate(all="ignore"):
        if np.array_equal(got, x.astype(np.float16).astype(np.float64)):
            return (
                "Those are fp16: 10 bits behind the point, but only 5 for the exponent. TF32 has 8."
            )
    if _kept(x, got, 7):
        return "Those keep 7 bits, as bf16 does. TF32 keeps 10."
    if (np.abs(got) <= np.abs(wide)).all() and _kept(x, got, 10):
        return "All of them went towards 0: bits were cut off. What is added first, to round?"
    step = np.abs(np.ldexp(1.0, np.frexp(wide)[1] - 11))
    if (np.abs(got - expected) <= step).all():
        return "Off by a step, some of them. Half a step is 2 ** 12 in the bits; which bits stay?"
    if np.isnan(got[wide == 0]).any():
        return "It made NaN of a 0. What is the logarithm of 0? The bits need none."
    if says := _of_whole_numbers(x, got):
        return says
    return "Of 23 bits behind the point, the last 13 go. What is left of 1 + 2 ** -10, for example?"


def _of_whole_numbers(x: np.ndarray, got: np.ndarray) -> str:
    """Where the bits, or the numbers, were taken as whole numbers and not viewed as the other."""
    patterns = x.view(np.int32).astype(np.float64)
    if (np.abs(got - patterns) <= 2.0**13).all():
        return "Those are the bits as whole numbers. What makes them a float32 again, as they are?"
    small = (np.abs(x) < 2.0**31) & (np.abs(x) >= 2.0**14)
    numbers = np.trunc(x.astype(np.float64))
    if small.any() and (
        (np.abs(got - numbers)[small] <= 2.0**13).all()
        or np.array_equal(got[small], _viewed(numbers[small]), equal_nan=True)
    ):
        return "The numbers were made whole. Their bits are what `x.view(torch.int32)` shows."
    return ""


def _viewed(numbers: np.ndarray) -> np.ndarray:
    """Whole numbers rounded as bits are, and viewed as float32."""
    cut = (numbers.astype(np.int32) + 2**12) & -(2**13)
    return cut.astype(np.int32).view(np.float32).astype(np.float64)


def _kept(x: np.ndarray, got: np.ndarray, bits: int) -> bool:
    """Whether all results are numbers with so many bits behind the point, near the given ones."""
    mantissa = np.frexp(got)[0] * 2.0 ** (bits + 1)
    near = np.abs(got - x) <= np.abs(x) * 2.0**-bits
    return bool((mantissa == np.round(mantissa)).all() and near.all())
