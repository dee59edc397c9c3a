"""double-buffer: the next tile is on its way while this one is used; one barrier a step."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from gpuedu.exercises.contract import Case, Fault, Judge, Plain, Prediction, Property, Undecided
from gpuedu.exercises.registers.judge.products import (
    Slip,
    idle_faults,
    machine_faults,
    matrices,
    value_faults,
)
from gpuedu.exercises.registers.products import COLUMNS

_SHAPES = ((64, 64, 32), (33, 64, 24), (70, 30, 13), (64, 17, 8), (3, 5, 1))
_STEPS = 3
"""Steps from which on barriers and order are judged."""

_T, _SHARED_BYTES = 4, 2 * 2 * 64 * 8 * 4


def cases(rng: np.random.Generator) -> list[Case]:
    """Odd and even numbers of steps, one step only, and edges."""
    return [_case(rng, *shape) for shape in _SHAPES]


def _case(rng: np.random.Generator, m: int, n: int, k: int) -> Case:
    decides = ("right", "inside", "waits")
    if k >= _STEPS * COLUMNS:
        decides += ("barriers", "early", "late")
    return Case(f"c of {m} x {n}, K = {k}", matrices(rng, m, n, k), decides)


def verdict(case: Case, observed: Plain) -> Iterable[Fault]:
    """Values and what the machine saw; in launches of some steps what overlaps."""
    yield from value_faults("right", case, observed, _T, _slips(case))
    yield from machine_faults(observed, "inside", "waits")
    yield from idle_faults(case, observed, [one for one in case.decides if one != "right"])
    if "barriers" in case.decides:
        yield from _barriers(case, observed)
        yield from _overlap(observed)


def _slips(case: Case) -> Iterator[Slip]:
    """What comes out where the buffers are not exchanged, or the same tile is asked for again."""
    a, b = (case.inputs[name].astype(np.float64) for name in ("a", "b"))
    starts = range(0, a.shape[1], COLUMNS)
    tiles = [a[:, at : at + COLUMNS] @ b[at : at + COLUMNS] for at in starts]
    if len(tiles) < 2:
        return
    yield (
        len(tiles) * tiles[0],
        "Every step has used the first tile. Which buffer is read in step 1, and which is filled?",
    )
    yield (
        sum(tiles[step // 2 * 2] for step in range(len(tiles))),
        "Buffer 0 was read in every step. Which one has the tile of step 1?",
    )
    yield (
        sum(tiles[max(step - 1, 0)] for step in range(len(tiles))),
        "The first tile was used twice, and the last one not at all: from which `first` on should "
        "a step ask for the tile of the next?",
    )


def steps_of(case: Case) -> int:
    """Tiles along K."""
    return -(-case.inputs["a"].shape[1] // COLUMNS)


def _barriers(case: Case, observed: Plain) -> Iterator[Fault]:
    steps, met = steps_of(case), observed["barriers"]
    if met > steps + 1:
        yield Fault(
            "barriers",
            f"a block comes to {met} barriers in {steps} steps",
            "The threads fill one buffer while they read the other. Which of your barriers has "
            "nothing to hold back?",
        )
    elif observed["shared_bytes"] > _SHARED_BYTES:
        yield Fault(
            "barriers",
            f"a block takes {observed['shared_bytes']:,} bytes of shared memory; two buffers of "
            f"both tiles are {_SHARED_BYTES:,}",
            "How many tiles are needed at the same time: the one in use, and which other?",
        )


def _overlap(observed: Plain) -> Iterator[Fault]:
    """In every step but the last: ask, use, then store."""
    asked, used = observed["asked"], observed["used"]
    stored, used_last = observed["stored"], observed["used_last"]
    steps = len(used)
    if steps < 2:
        for prop in ("early", "late"):
            yield Undecided(prop, "no step reads shared memory and waits")
        return
    for step in range(steps - 1):
        if not 0 <= asked[step] < used[step]:
            when = "only after its first read of a tile" if asked[step] >= 0 else "for nothing"
            yield Fault(
                "early",
                f"between two barriers (step {step}), a warp asks global memory {when}",
                "What takes longest should be asked for first. A thread can hold what comes in "
                "registers until there is a place for it.",
            )
        if 0 <= stored[step] < used_last[step]:
            yield Fault(
                "late",
                f"between two barriers (step {step}), a warp stores to shared memory before its "
                "last read of a tile",
                "A store waits for the number that it stores, and a warp's instructions begin in "
                "order: all multiply-adds behind it wait, too. Where could the store stand?",
            )


JUDGE = Judge(
    title="Two buffers, one barrier",
    properties=(
        Property("right", "`c` is `a @ b`, for any shape", 1),
        Property("inside", "no thread reads or writes outside the arrays", 1),
        Property("waits", "no thread reads what is not there yet, nor fills what is still read", 1),
        Property("barriers", "one barrier a step and one before the first; two buffers", 1),
        Property("early", "the next tile is asked for before this one is used", 1),
        Property("late", "it is stored after this one was used", 1),
    ),
    hints=(
        "Before the first step a tile has to be there. From then on, in each step: which buffer is "
        "read, which one is filled, and what separates the two?",
        "`ask` and `keep` for tile 0 into buffer 0, and a barrier. In step s, buffer `s % 2` is "
        "read and `1 - s % 2` is filled. `ask` gives zeros behind the end of K, so that the last "
        "step needs no `if`.",
        "In the loop: `now = first // 8 % 2`; `ask(a, b, top, left, first + 8, coming)`; "
        "`use(a_tile[now], b_tile[now], sums)`; `keep(coming, a_tile[1 - now], b_tile[1 - now])`; "
        "`cuda.syncthreads()`.",
    ),
    cases=cases,
    verdict=verdict,
    predictions={
        "double-buffer": Prediction(
            "K = 64, tiles of 8 columns: how many barriers does a block come to, with one a step "
            "and one before the first?",
            truth=9,
            unit="barriers",
            because="64 / 8 steps, and one for the first tile. With one buffer it is two a step, "
            "16.",
        )
    },
)
