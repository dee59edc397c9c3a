"""launch-shape: how many blocks, which launches a device takes, and what the last warp lacks."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from math import prod

import numpy as np

from gpuedu.exercises.compare import Misconception, likely_cause
from gpuedu.exercises.contract import Case, Fault, Judge, Plain, Prediction, Property

Extents = tuple[int, int, int]

MOST_THREADS = 1024
MOST_BLOCK: Extents = (1024, 1024, 64)
MOST_GRID: Extents = (2**31 - 1, 65535, 65535)

_BLOCKS = (
    # The nearest before rounding down: where both give the same, rounding down has failed before.
    Misconception(
        lambda n, threads: round(n / threads),
        "That is rounded to the nearest. Who takes the elements that are left over?",
    ),
    Misconception(
        lambda n, threads: n // threads,
        "That is rounded down. Who takes the elements that are left over?",
    ),
    Misconception(
        lambda n, threads: n // threads + 1,
        "That adds a block where the division comes out even, too. How is a number rounded up?",
    ),
    Misconception(
        lambda n, threads: n, "That is a block for each element. How many does one take?"
    ),
)
_LANES = (
    Misconception(
        lambda threads: threads % 32,
        "Those are the lanes of the last warp that have a thread. How many have none?",
    ),
    Misconception(
        lambda threads: 32 - threads % 32,
        "That is right unless the block fills its warps. How many lanes are empty then?",
    ),
    Misconception(
        lambda threads: 32 - threads,
        "That is right for a single warp. How many threads are in the last one?",
    ),
    Misconception(
        lambda threads: max(0, 32 - threads),
        "That is right for a single warp. How many threads are in the last one?",
    ),
    Misconception(lambda threads: -(-threads // 32), "That is the number of warps."),
    Misconception(
        lambda threads: 1024 - threads,
        "Lanes come in warps of 32. A block has only as many warps as its threads need.",
    ),
)


@dataclass(frozen=True)
class _Limits:
    """A known way to get the limits wrong: what it would say of a launch, and a sentence."""

    accepts: Callable[[Extents, Extents], bool]
    says: str


def can_launch(grid: Extents, block: Extents) -> bool:
    """Whether a device takes a launch.

    >>> can_launch((1, 1, 1), (32, 32, 1)), can_launch((1, 1, 1), (33, 32, 1))
    (True, False)
    """
    return _fits(grid, MOST_GRID) and _fits(block, MOST_BLOCK) and prod(block) <= MOST_THREADS


def _fits(extents: Extents, most: Extents) -> bool:
    return all(1 <= extent <= limit for extent, limit in zip(extents, most, strict=True))


def _below(extents: Extents, most: Extents) -> bool:
    return all(1 <= extent < limit for extent, limit in zip(extents, most, strict=True))


def _few(block: Extents) -> bool:
    return sum(block) <= MOST_THREADS


def _at_most(extents: tuple[int, ...], most: tuple[int, ...]) -> bool:
    return all(extent <= limit for extent, limit in zip(extents, most, strict=True))


_LIMITS = (
    # In an order that fits the order of the cases: the first one that agrees is named.
    _Limits(
        lambda grid, block: _fits(grid, MOST_GRID) and _fits(block, MOST_BLOCK),
        "Each extent of the block is allowed. How many threads are there in all?",
    ),
    _Limits(
        lambda grid, block: _fits(grid, MOST_GRID) and min(block) > 0 and prod(block) <= 1024,
        "There are few enough threads in all. Which axis of a block is shorter than the others?",
    ),
    _Limits(
        lambda grid, block: can_launch(grid, block) and prod(block) < MOST_THREADS,
        "A limit may be reached: 1,024 threads are allowed, and so are 64 along z.",
    ),
    _Limits(
        lambda grid, block: can_launch(grid, block) and _below(block, MOST_BLOCK),
        "A limit may be reached: 1,024 threads are allowed, and so are 64 along z.",
    ),
    _Limits(
        lambda grid, block: _fits(grid, MOST_GRID) and _fits(block, MOST_BLOCK) and _few(block),
        "The threads of a block are its extents multiplied, not added: a block of 32 x 8 has 256.",
    ),
    _Limits(
        lambda grid, block: can_launch(grid, block) and prod(block) % 32 == 0,
        "Such a block wastes lanes, but it is launched. Is it forbidden, or only costly?",
    ),
    _Limits(
        lambda grid, block: can_launch(grid, block) and _below(grid, MOST_GRID),
        "A limit may be reached: 2,147,483,647 blocks along x are allowed, and 65,535 along y or "
        "z.",
    ),
    _Limits(
        lambda grid, block: _at_most((*grid, *block), (*MOST_GRID, *MOST_BLOCK)),
        "An extent is 0 there, so there is nothing to launch. What is the least that each may be?",
    ),
    _Limits(
        lambda grid, block: can_launch(grid, block) and prod(grid) <= MOST_GRID[0],
        "A grid has a limit for each axis and none for all its blocks together.",
    ),
    _Limits(
        lambda grid, block: can_launch(grid, block) and max(grid) <= 65535,
        "Only y and z of a grid end at 65,535. How far does x go?",
    ),
    _Limits(
        lambda grid, block: max(grid) <= MOST_GRID[0] and can_launch((1, 1, 1), block),
        "Which axes of a grid are shorter than the others?",
    ),
)


def cases(rng: np.random.Generator) -> list[Case]:
    """Divisions that come out even and that do not; launches on both sides of each limit."""
    drawn = [_blocks(n, threads) for n, threads in ((1000, 128), (1024, 128), (1, 256), (256, 256))]
    for _ in range(3):
        threads, whole = 32 * int(rng.integers(1, 33)), int(rng.integers(3, 5000))
        rest = int(rng.integers(1, threads // 2))
        drawn += [_blocks(whole * threads + rest, threads), _blocks(whole * threads, threads)]
    drawn += [_limits("block-limits", (1, 1, 1), block) for block in _some_blocks(rng)]
    drawn += [_limits("grid-limits", grid, (128, 1, 1)) for grid in _some_grids(rng)]
    sizes = (33, 32, 1, 64, 100, 1023, 1024, *(int(n) for n in rng.integers(65, 1000, 4)))
    return drawn + [_lanes(threads) for threads in sizes]


def _some_blocks(rng: np.random.Generator) -> list[Extents]:
    odd = int(rng.integers(1, 16)) * 2 + 1
    return [
        (256, 1, 1),
        (odd, 3, 1),
        (1023, 1, 1),  # few enough by their product, too many by their sum
        (1024, 1, 1),
        (1025, 1, 1),
        (32, 32, 1),
        (33, 32, 1),
        (16, 16, 8),
        (16, 16, 4),
        (1, 1, 64),
        (1, 1, 65),
        (1, 1024, 1),
        (0, 1, 1),
        (8, 0, 1),
    ]


def _some_grids(rng: np.random.Generator) -> list[Extents]:
    some = int(rng.integers(70_000, 10**6))
    return [
        (8, 1, 1),
        (some, 1, 1),
        (2**31 - 1, 1, 1),
        (2**31, 1, 1),
        (1, 65535, 1),
        (1, 65536, 1),
        (1, 1, 65535),
        (1, 1, 65536),
        (some, 60_000, 2),
        (0, 1, 1),
        (4, 4, 0),
    ]


def _blocks(n: int, threads: int) -> Case:
    inputs = {"ask": "blocks", "n": n, "threads": threads}
    return Case(f"n = {n}, {threads} threads", inputs, ("enough", "no-spare"))


def _limits(prop: str, grid: Extents, block: Extents) -> Case:
    inputs = {"ask": "limits", "grid": grid, "block": block}
    return Case(f"grid {grid}, block {block}", inputs, (prop,))


def _lanes(threads: int) -> Case:
    return Case(f"a block of {threads} threads", {"ask": "lanes", "threads": threads}, ("lanes",))


def verdict(case: Case, observed: Plain) -> Iterable[Fault]:
    """The number of blocks, the answer of the limits, or the number of lanes."""
    got, inputs = observed["got"], case.inputs
    if inputs["ask"] == "blocks":
        yield from _blocks_faults(inputs["n"], inputs["threads"], got)
    elif inputs["ask"] == "limits":
        yield from _limits_faults(case, got)
    else:
        threads = inputs["threads"]
        if got != -threads % 32:
            yield Fault(
                "lanes",
                f"`empty_lanes({threads})` gave {got}, expected {-threads % 32}",
                likely_cause(got, _LANES, {"threads": threads}),
            )


def _blocks_faults(n: int, threads: int, got: int) -> Iterable[Fault]:
    expected = -(-n // threads)
    cause = likely_cause(got, _BLOCKS, {"n": n, "threads": threads})
    call = f"`blocks_for({n}, {threads})` gave {got}, expected {expected}"
    if got < expected:
        left = n - max(got, 0) * threads
        few = "1 element has" if left == 1 else f"{left} elements have"
        yield Fault("enough", f"{call}: {few} no thread", cause)
    elif got > expected:
        without = got - expected
        few = "1 block has" if without == 1 else f"{without} blocks have"
        yield Fault("no-spare", f"{call}: {few} nothing to do", cause)


def _limits_faults(case: Case, got: bool) -> Iterable[Fault]:
    grid, block = case.inputs["grid"], case.inputs["block"]
    expected = can_launch(grid, block)
    if got != expected:
        yield Fault(
            case.decides[0],
            f"`can_launch({grid}, {block})` gave {got}, expected {expected}",
            next((known.says for known in _LIMITS if known.accepts(grid, block) == got), ""),
        )


JUDGE = Judge(
    title="The shape of a launch",
    properties=(
        Property("enough", "every element gets a thread", 1),
        Property("no-spare", "no block more than needed", 1),
        Property("block-limits", "knows which blocks a device takes", 1),
        Property("grid-limits", "knows which grids a device takes", 1),
        Property("lanes", "counts the lanes without a thread", 1),
    ),
    hints=(
        "1,000 elements in blocks of 128: how many blocks are full, and what is left? And with "
        "1,024 elements?",
        "`//` rounds down. To round up, add `threads - 1` first. For the limits compare each "
        "extent with its own, and the product of the block's with 1,024. Lanes: what is missing "
        "to the next multiple of 32?",
        "`(n + threads - 1) // threads`; `empty_lanes` is `-threads % 32`, because Python's `%` "
        "is never negative where the divisor is positive. In `can_launch`, unpack `gx, gy, gz = "
        "grid`, `bx, by, bz = block`, and join comparisons such as `1 <= bx <= 1024` with `and`.",
    ),
    cases=cases,
    verdict=verdict,
    predictions={
        "launch-shape": Prediction(
            "blocks of 33 threads: how many per cent of all lanes have no thread?",
            truth=100 * 31 / 64,
            unit="%",
            because="33 threads need two warps, 64 lanes, and 31 of those are empty: nearly half "
            "of the machine. 32 threads would leave none.",
        )
    },
)
