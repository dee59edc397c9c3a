"""launch-shape: the number of blocks, the limits of a device, and the last warp's empty lanes."""

from __future__ import annotations

from collections.abc import Iterable
from math import prod

import numpy as np

from gpuedu.exercises.contract import Case, Fault, Judge, Plain, Prediction, Property

Extents = tuple[int, int, int]

MOST_THREADS = 1024
MOST_BLOCK: Extents = (1024, 1024, 64)
MOST_GRID: Extents = (2**31 - 1, 65535, 65535)


def can_launch(grid: Extents, block: Extents) -> bool:
    """True where a device takes a launch.

    >>> can_launch((1, 1, 1), (32, 32, 1)), can_launch((1, 1, 1), (33, 32, 1))
    (True, False)
    """
    return _fits(grid, MOST_GRID) and _fits(block, MOST_BLOCK) and prod(block) <= MOST_THREADS


def _fits(extents: Extents, most: Extents) -> bool:
    return all(1 <= extent <= limit for extent, limit in zip(extents, most, strict=True))


def cases(rng: np.random.Generator) -> list[Case]:
    """Divisions that come out even or nearly, and large; launches on both sides of each limit.

    A block's threads need be no whole number of warps.
    """
    drawn = [_blocks(n, threads) for n, threads in ((1000, 128), (1000, 100), (1, 256), (256, 256))]
    for _ in range(3):
        threads, whole = 32 * int(rng.integers(1, 33)), int(rng.integers(3, 5000))
        rest = int(rng.integers(1, threads // 2))
        drawn += [_blocks(whole * threads + rest, threads), _blocks(whole * threads, threads)]
    drawn += [_blocks(10**9 + 1, 33), _blocks(10**12 - 1, 96)]
    drawn += [_blocks(1024 * int(rng.integers(3, 5000)) + 1, 1024)]
    blocks = [*_some_blocks(rng), *_near_the_limits(rng, MOST_BLOCK)]
    grids = [*_some_grids(rng), *_near_the_limits(rng, MOST_GRID)]
    drawn += [_limits("block-limits", (1, 1, 1), block) for block in blocks]
    drawn += [_limits("grid-limits", grid, (128, 1, 1)) for grid in grids]
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
        (41, 25, 1),  # 1,025 in all, and each extent is allowed
        (0, 1, 1),
        (8, 0, 1),
        (8, 8, 0),
        # Each axis by itself: one alone may be compared with 0 and no more.
        (-1, 1, 1),
        (1, -1, 1),
        (1, 1, -1),
        (-8, -8, 1),
        (8, -8, -1),
        (2**32, 2**32, 1),  # the product does not fit into 64 bits
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
        (4, 0, 4),
        (4, 4, 0),
        (-1, 1, 1),
        (1, -1, 1),
        (1, 1, -1),
        (-4, -4, 1),
        (4, -4, -4),
    ]


def _near_the_limits(rng: np.random.Generator, most: Extents) -> list[Extents]:
    """On each axis an extent that is allowed, and one that is not; and 1,024 threads or a few more.

    A grid may have more than 1,024 blocks, so that it is allowed the latter.
    """
    drawn = []
    for axis, limit in enumerate(most):
        for extent in (limit - rng.integers(1, 60), limit + rng.integers(1, 400)):
            drawn.append(tuple(int(extent) if at == axis else 1 for at in range(3)))
    one = int(rng.integers(3, 60))
    whole = MOST_THREADS // one
    return [*drawn, (one, whole, 1), (whole + 1, one, 1), (one // 3, whole, 3), (whole, 1, one)]


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
        return
    if inputs["ask"] == "limits":
        grid, block = inputs["grid"], inputs["block"]
        call, expected = f"can_launch({grid}, {block})", can_launch(grid, block)
    else:
        threads = inputs["threads"]
        call, expected = f"empty_lanes({threads})", -threads % 32
    if got != expected:
        yield Fault(case.decides[0], f"`{call}` gave {got}, expected {expected}")


def _blocks_faults(n: int, threads: int, got: int) -> Iterable[Fault]:
    expected = -(-n // threads)
    call = f"`blocks_for({n}, {threads})` gave {got}, expected {expected}"
    if got < expected:
        left = n - max(got, 0) * threads
        few = "1 element has" if left == 1 else f"{left} elements have"
        yield Fault("enough", f"{call}: {few} no thread")
    elif got > expected:
        without = got - expected
        few = "1 block has" if without == 1 else f"{without} blocks have"
        yield Fault("no-spare", f"{call}: {few} nothing to do")


JUDGE = Judge(
    title="The shape of a launch",
    properties=(
        Property(
            "enough",
            "every element gets a thread",
            1,
            "How many blocks are full, and which elements are left over?",
            after=("no-spare",),
        ),
        Property(
            "no-spare",
            "no block more than needed",
            1,
            "How many blocks are full, and is there an element left for another one?",
            after=("enough",),
        ),
        Property(
            "block-limits",
            "knows which blocks a device accepts",
            1,
            "Which limits of the table hold for a block, and does this one keep them all?",
        ),
        Property(
            "grid-limits",
            "knows which grids a device accepts",
            1,
            "Which limits of the table hold for a grid, and does this one keep them all?",
        ),
        Property(
            "lanes",
            "counts the lanes without a thread",
            1,
            "How many warps does this block take, and how many lanes do they have?",
        ),
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
            "blocks of 33 threads: what percentage of all lanes have no thread?",
            truth=100 * 31 / 64,
            unit="%",
            because="33 threads need two warps, 64 lanes, and 31 of those are empty: nearly half "
            "of the machine. 32 threads would leave none.",
        )
    },
)
