"""block-sum: a tree over shared memory; whole warps work or rest, and no bank conflict."""

from __future__ import annotations

from collections.abc import Iterable
from math import log2

import numpy as np

from gpuedu.exercises.contract import (
    Case,
    Fault,
    Finding,
    Judge,
    Plain,
    Prediction,
    Property,
    Undecided,
)
from gpuedu.exercises.cooperation.block_work import line_of
from gpuedu.exercises.cooperation.judge.endings import is_endless, stopped_values
from gpuedu.exercises.cooperation.judge.sums import (
    SHOWS_NOTHING,
    block_sums,
    full_blocks_wrong,
    sum_inputs,
)
from gpuedu.exercises.kernels.faults import ENDLESS, OUTSIDE, RACE, UNWRITTEN, hazard_faults
from gpuedu.exercises.kernels.properties import no_bank_conflicts, right_values, works_alone
from gpuedu.exercises.kernels.shapes import LaunchShape
from gpuedu.exercises.kernels.traffic import read_traffic

_LAUNCHES = (
    # n, blocks, threads of a block
    (256, 1, 256),
    (64, 1, 64),
    (1000, 4, 256),
    (129, 2, 128),
    (70, 4, 32),
    (1, 1, 128),
    (512, 2, 256),
)
_MASK = "warp-sync-mask"
_HAZARDS = {OUTSIDE | UNWRITTEN: "inside", RACE: "ordered", ENDLESS | {_MASK}: "barrier"}
_COSTS = ("rounds", "whole-warps", "no-conflict")
_FEW = 4
"""Of a block's threads one part of so many: who takes more rounds doesn't share the work."""
_SPARE = 2
"""Turns beyond the logarithm: the one that finds the end, and one to come in."""


def cases(rng: np.random.Generator) -> list[Case]:
    """One block and several, full ones, one filled in part, and one without an element."""
    return [
        Case(f"n = {n}, {LaunchShape(blocks, threads)}", sum_inputs(rng, n, blocks, threads))
        for n, blocks, threads in _LAUNCHES
    ]


def verdict(case: Case, observed: Plain) -> Iterable[Fault | Finding]:
    """What the machine saw, then what it cost; where the sums are wrong, that says nothing."""
    yield from stopped_values("sum", observed)
    yield from hazard_faults(observed, _HAZARDS, lambda seen: "")
    if full_blocks_wrong(case.inputs, observed):
        is_tried = _is_tried(observed)
        for prop in _COSTS if is_tried else (*_COSTS, *_HAZARDS.values()):
            yield Undecided(prop, SHOWS_NOTHING)
        return
    for prop in (*_COSTS, "ordered"):
        yield from works_alone(prop, case, observed)
    yield from _rounds(case, observed)
    if observed["rounds"] > case.inputs["block"] // _FEW:
        yield Undecided("whole-warps", "one thread after the other works here")
    yield from _whole_warps(observed)
    yield from _one_pass(observed)


def _is_tried(observed: Plain) -> bool:
    """Whether the kernel hands numbers around, so that its hazards are those of a tree."""
    return observed["shared.handed"] > 0 or is_endless(observed)


def _rounds(case: Case, observed: Plain) -> Iterable[Fault]:
    threads = case.inputs["block"]
    most = round(log2(threads)) + _SPARE
    if observed["waits"] > most:
        yield Fault(
            "rounds",
            f"{observed['waits']:.0f} additions of a block meet at one address, and an atomic lets "
            "one through at a time",
        )
    elif observed["rounds"] > most:
        yield Fault(
            "rounds",
            f"a thread comes {observed['rounds']} times to {line_of(observed, 'rounds')}, in a "
            f"block of {threads} threads; {most - _SPARE} rounds are enough",
        )


def _whole_warps(observed: Plain) -> Iterable[Fault]:
    partly, epoch = observed["partly"], observed["partly.epoch"]
    if partly > 1:
        yield Fault(
            "whole-warps",
            f"in block {observed['partly.block']}, after {epoch} "
            f"barrier{'' if epoch == 1 else 's'}, {partly} warps run {line_of(observed, 'partly')},"
            " with some of their lanes switched off",
        )


def _one_pass(observed: Plain) -> Iterable[Fault]:
    """Even without a conflict, 32 numbers of 8 bytes do not come through 32 banks at once."""
    for access in read_traffic(observed["shared.traffic"]).accesses:
        if access.ideal_wavefronts > access.requests:
            yield Fault(
                "no-conflict",
                f"{access.told}: 32 elements of {access.itemsize} bytes each take more than one "
                "pass, even without a conflict",
                "How many bytes do 32 banks bring in a pass, and how many do 32 lanes ask for?",
            )
            return


JUDGE = Judge(
    title="Adding up a block",
    properties=(
        right_values(
            "sum",
            "`sums[b]` is the sum of the elements of block `b`, for any n",
            1,
            block_sums,
            output="sums",
            leaves=("x",),
            asks="In a block of 8 threads: which two numbers are added in each round, and which "
            "thread writes the result?",
        ),
        Property(
            "inside",
            "nothing outside the arrays is touched, nothing unwritten is read",
            1,
            "Which places of `x`, `part` and `sums` does each thread use, and which thread filled "
            "those that it reads?",
        ),
        Property(
            "ordered",
            "a barrier separates a write from any other thread's access",
            1,
            "Which thread writes that place, which other one uses it, and what makes one wait for "
            "the other?",
        ),
        Property(
            "barrier",
            "all threads of the block come to every barrier",
            1,
            "Does every thread come to each barrier, and does every loop end?",
        ),
        Property(
            "rounds",
            "a block takes as few rounds as it can: 8 for 256, 5 for 32",
            1,
            "How many additions can be done at the same time, and how many numbers are left after "
            "each round?",
        ),
        Property(
            "whole-warps",
            "in each round at most one warp of a block is partly active",
            3,
            "Which threads work in this round, and in which warps are they?",
        ),
        no_bank_conflicts(
            1,
            "no-conflict",
            "each request of a warp to shared memory takes one pass",
        ),
    ),
    hints=(
        "Write down 8 numbers and 4 threads that may work. Threads 0, 1, 2, 3 without a gap: which "
        "two numbers does each add, if no two use the same place? And which 2 threads go on?",
        "Fold the array: in the first round thread `t` of the first half adds `part[t + half]` to "
        "`part[t]`. Then half as many threads fold what is left.",
        "As in `sum_pairs`, with `half = cuda.blockDim.x // 2`; while `half > 0`: threads with "
        "`t < half` add `part[t + half]`, a barrier for all, `half //= 2`.",
    ),
    results=("sum",),
    cases=cases,
    verdict=verdict,
    predictions={
        "block-sum": Prediction(
            "the first round of `sum_pairs` in a block of 8 warps: how many have some lanes that "
            "add and some that do not?",
            truth=8,
            unit="warps",
            exact=True,
            because="Every second lane adds, in every warp. Folded in the middle, 4 warps would "
            "add with all lanes, and 4 would have nothing to do.",
        )
    },
)
