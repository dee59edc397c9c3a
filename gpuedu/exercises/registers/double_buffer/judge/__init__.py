"""double-buffer: the next tile is on its way while this one is used; one barrier a step."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from gpuedu.exercises.contract import Case, Fault, Judge, Plain, Prediction, Property, Undecided
from gpuedu.exercises.kernels.faults import RACE
from gpuedu.exercises.kernels.properties import works_alone
from gpuedu.exercises.kernels.sightings import read_sightings
from gpuedu.exercises.registers.judge.products import (
    all_wait,
    if_written,
    inside,
    matrices,
    right_product,
)
from gpuedu.exercises.registers.products import COLUMNS

_SHAPES = (
    # M, N, K
    (64, 64, 32),
    (33, 64, 24),
    (70, 30, 17),
    (64, 17, 8),
    (5, 3, 200),
    (3, 5, 1),
    (128, 128, 9),
)
_STEPS = 3
"""Steps from which on barriers and order are judged."""

_SHARED_BYTES = 2 * 2 * 64 * 8 * 4


def cases(rng: np.random.Generator) -> list[Case]:
    """Odd and even numbers of steps, one step only, edges, a thin product, four whole tiles."""
    return [_case(rng, *shape) for shape in _SHAPES]


def _case(rng: np.random.Generator, m: int, n: int, k: int) -> Case:
    decides = ("right", "inside", "waits")
    if _STEPS * COLUMNS <= k <= m:
        decides += ("barriers", "early", "late")
    return Case(f"c of {m} x {n}, K = {k}", matrices(rng, m, n, k), decides)


def _steps(case: Case) -> int:
    return -(-case.inputs["a"].shape[1] // COLUMNS)


def barriers(case: Case, observed: Plain) -> Iterable[Fault]:
    """One barrier a step and one before the first, with two buffers of both tiles."""
    steps, met, taken = _steps(case), observed["barriers"], len(observed["used"])
    yield from _too_few("barriers", case, observed)
    yield from works_alone("barriers", case, observed)
    if met > steps + 1:
        k = case.inputs["a"].shape[1]
        told = f"a block comes to {met} barriers, and K = {k} is {steps} steps"
        used = f"; between them, a warp reads tiles {taken} times" if taken > steps else ""
        yield Fault("barriers", f"{told}{used}")
    elif observed["shared_bytes"] > _SHARED_BYTES:
        yield Fault(
            "barriers",
            f"a block takes {observed['shared_bytes']:,} bytes of shared memory; two buffers of "
            f"both tiles are {_SHARED_BYTES:,}",
            "Which tiles are needed at one time: the one in use, and how many others?",
        )


def _too_few(prop: str, case: Case, observed: Plain) -> Iterable[Undecided]:
    """What stands between two barriers is no step where one is missing, and threads race."""
    steps, met = _steps(case), observed["barriers"]
    races = any(seen.kind in RACE for seen in read_sightings(observed["sightings"]))
    if races and met <= steps:
        yield Undecided(prop, f"a block comes to {met} barriers only, and threads do not wait")


def early(case: Case, observed: Plain) -> Iterable[Fault]:
    """In every step but the last, a warp asks global memory before it reads a tile."""
    asked, last, used = (observed[name] for name in ("asked", "asked_last", "used"))
    if len(used) < 2:
        yield Undecided("early", "no step reads shared memory and waits")
    for step in range(min(len(used), _steps(case)) - 1):
        if not 0 <= asked[step] < used[step]:
            when = "only after its first read of a tile" if asked[step] >= 0 else "for nothing"
            told = f"between two barriers (step {step}), a warp asks global memory {when}"
            yield Fault("early", told)
        elif last[step] > used[step]:
            told = f"between two barriers (step {step}), a warp reads a tile, and asks again then"
            yield Fault("early", told)


def late(case: Case, observed: Plain) -> Iterable[Fault]:
    """In every step but the last, a warp stores after its last read of a tile."""
    stored, used = observed["stored"], observed["used_last"]
    undecided = list(_too_few("late", case, observed))
    if undecided:
        yield from undecided
        return
    if len(used) < 2:
        yield Undecided("late", "no step reads shared memory and waits")
    for step in range(min(len(used), _steps(case)) - 1):
        if 0 <= stored[step] < used[step]:
            yield Fault(
                "late",
                f"between two barriers (step {step}), a warp stores to shared memory before its "
                "last read of a tile",
            )


JUDGE = Judge(
    title="Two buffers, one barrier",
    properties=(
        right_product("`c` is `a @ b`, for any shape"),
        inside("no thread reads or writes outside the arrays"),
        all_wait(),
        if_written(
            Property(
                "barriers",
                "one barrier per step and one before the first; at most two buffers",
                1,
                "How many steps is K, which tiles are needed in each, and what does each of your "
                "barriers hold back?",
                barriers,
            )
        ),
        if_written(
            Property(
                "early",
                "the next tile is asked for before this one is used",
                1,
                "What takes longest should be asked for first. Where can a thread hold what comes "
                "until there is a place for it?",
                early,
            )
        ),
        if_written(
            Property(
                "late",
                "it is stored after this one was used",
                1,
                "A store waits for the number that it stores, and a warp's instructions begin in "
                "order. Which instructions wait with it?",
                late,
            )
        ),
    ),
    hints=(
        "Before the first step a tile has to be there. From then on, in each step: which buffer is "
        "read, which one is filled, and what separates the two?",
        "`ask` and `keep` for tile 0 into buffer 0, and a barrier. In step s, buffer `s % 2` is "
        "read and `1 - s % 2` is filled. `ask` gives zeros past the end of K, so that the last "
        "step needs no `if`.",
        "In the loop: `now = first // 8 % 2`; `ask(a, b, top, left, first + 8, coming)`; "
        "`use(a_tile[now], b_tile[now], sums)`; `keep(coming, a_tile[1 - now], b_tile[1 - now])`; "
        "`cuda.syncthreads()`.",
    ),
    results=("right",),
    cases=cases,
    predictions={
        "double-buffer": Prediction(
            "K = 64, tiles of 8 columns: how many barriers does a block come to, with one a step "
            "and one before the first?",
            truth=9,
            unit="barriers",
            exact=True,
            because="64 / 8 steps, and one for the first tile. With one buffer it is two a step, "
            "16.",
        )
    },
)
