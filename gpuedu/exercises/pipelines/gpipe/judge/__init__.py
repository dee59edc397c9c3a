"""gpipe: all micro-batches forward, then all backward, and what share of the time is idle."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np

from gpuedu.exercises.contract import Case, Fault, Inputs, Judge, Plain, Prediction, Property
from gpuedu.exercises.functions import call_case, right_result
from gpuedu.exercises.pipelines.pipeline_properties import after_order, said_of, takes, trains
from gpuedu.exercises.pipelines.schedules import FORWARD, from_plain

_COSTS = ((1, 2), (1, 1), (3, 1), (2, 3), (1, 3), (1, 2), (2, 5))
_SHARES = (
    *((6, 0.07), (4, 0.25), (64, 0.0047), (5, 0.5), (2, 0.6), (1, 0.1)),
    *((4, 0.2), (7, 0.2), (4, 0.6), (20, 0.95), (22, 0.35), (10, 0.072)),
)
"""Stages and shares; with the last ones a formula in floats gives one too many."""
_LISTS = ("gradients", "forward-first", "time")


def cases(rng: np.random.Generator) -> list[Case]:
    """Fewer micro-batches than stages, as many, more, and no multiple; 1 to 8 stages."""
    drawn = int(rng.integers(2, 6)), int(rng.integers(5, 12))
    counts = ((3, 5), (4, 2), (1, 3), (4, 4), (2, 1), (8, 16), drawn)
    found = []
    for (stages, micro_batches), costs in zip(counts, _COSTS, strict=True):
        sizes = {"stages": stages, "micro_batches": micro_batches}
        seed = int(rng.integers(2**20))
        found.append(call_case(_LISTS, "gpipe", **sizes, costs=costs, seed=seed))
    for stages, micro_batches in ((4, 8), (3, 1), (1, 5), (8, 3), drawn):
        found.append(call_case("bubble", "bubble", stages=stages, micro_batches=micro_batches))
    # A prime below: the share of no number of micro-batches is met to the last digit.
    shares = [(int(rng.integers(2, 40)), int(rng.integers(100, 6000)) / 10_007) for _ in range(3)]
    for stages, share in (*_SHARES, *shares):
        found.append(call_case("enough", "micro_batches_for", stages=stages, share=share))
    return found


def idle_share(stages: int, micro_batches: int) -> float:
    """The share of the whole time in which a stage waits."""
    return (stages - 1) / (micro_batches + stages - 1)


def enough(stages: int, share: float) -> int:
    """The smallest number of micro-batches with at most this share, in float64."""
    return next(m for m in itertools.count(1) if idle_share(stages, m) <= share)


def _test_forward_first(case: Case, observed: Plain) -> Iterator[Fault]:
    forwards = case.inputs["micro_batches"]
    for stage, actions in enumerate(from_plain(observed["lists"])):
        early = [one for one in actions[:forwards] if one.kind != FORWARD]
        if early:
            done = actions.index(early[0])
            yield Fault(
                "forward-first",
                f"{said_of(case.inputs)}, stage {stage} goes backward with micro-batch "
                f"{early[0].micro_batch} after {done} forward",
            )
            return


def _time(inputs: Inputs) -> float:
    return (inputs["micro_batches"] + inputs["stages"] - 1) * sum(inputs["costs"])


JUDGE = Judge(
    title="A pipeline of micro-batches",
    properties=(
        trains(
            2,
            asks="Follow one micro-batch: does every stage go forward with it once, and backward "
            "with it once?",
        ),
        Property(
            "forward-first",
            "every stage goes forward with all micro-batches before it goes backward",
            1,
            "What is in the first half of each list, and what in the second?",
            after_order("forward-first", _test_forward_first),
        ),
        takes(
            2,
            "the whole step takes (m + p - 1)(f + b)",
            _time,
            asks="In which order do the micro-batches reach a stage, and in which order does it "
            "take them?",
        ),
        right_result(
            "bubble",
            "`bubble`: the share of the time in which a stage is idle",
            1,
            {"bubble": idle_share},
            asks="How long does the whole step take, and how much of that time does one stage "
            "work?",
        ),
        right_result(
            "enough",
            "`micro_batches_for`: how many keep the bubble at or under a share",
            1,
            {"micro_batches_for": enough},
            asks="Is it at least 1? Put your result into `bubble`, and if it is more than 1, one "
            "less. On which side of the share are they?",
        ),
    ),
    hints=(
        "A list says in which order a stage works, not when: the stage waits until its "
        "input has arrived. Does the list of stage 2 look any different from that of stage 0?",
        "A stage works m (f + b). The last stage gets its first input after (p - 1) f, and stage 0 "
        "has its last gradient (p - 1) b after the last stage is done. How long is the whole "
        "step, and what share of it is left over?",
        '`[("forward", m) for m in range(micro_batches)]`, plus the same with "backward". The '
        "bubble is `(stages - 1) / (micro_batches + stages - 1)`; for `micro_batches_for` count "
        "up from 1 while the bubble is larger than the share.",
    ),
    cases=cases,
    seeds=5,
    predictions={
        "gpipe": Prediction(
            "a batch is cut into 4 micro-batches, for a pipeline of 4 stages that all take the "
            "same time. What percentage of the time is each GPU idle?",
            truth=300 / 7,
            unit="%",
            because="Each GPU works for 4 micro-batches. The first reaches the last stage 3 steps "
            "late, and the same 3 steps are lost on the way back: 3 / (4 + 3).",
        ),
    },
)
