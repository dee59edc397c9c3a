"""prefetch: beside the learner's code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gpuedu.errors import AnswerError
from gpuedu.exercises.contract import Answer, Inputs, Play
from gpuedu.exercises.feed_the_gpu.prefetch.runs import AMBIGUOUS, BAD, Wanted, watch


def play_prefetch(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """What arrived, who was left, and how far the thread ran ahead, on the simulated clock."""
    (prefetch,) = answers
    count = len(inputs["reads_s"])
    items = _with_nothings(count) if inputs["kinds"] != "numbers" else None
    fault = FAULTS[inputs["fault"]](BAD)
    wanted = Wanted(
        inputs["reads_s"],
        inputs["steps_s"],
        inputs["depth"],
        stop_after=inputs["stop_after"],
        fault_at=inputs["fault_at"],
        items=items,
        fault=fault,
        is_shut=inputs["is_shut"],
        seed=inputs["seed"],
        is_beside=inputs["is_beside"],
    )
    try:
        seen = watch(prefetch, wanted)
    except ValueError as compared:
        if AMBIGUOUS in str(compared):
            raise AnswerError(
                "an item, an array here, was taken for true or false, or compared by `==`, which "
                "compares its elements",
                remedy="Whether something *is* your mark for the end, `is` tells.",
            ) from None
        raise
    return {
        "got": list(seen.got),
        "raised": seen.raised,
        "instead": seen.instead,
        "is_mixed": seen.is_mixed,
        "stuck": seen.stuck,
        "left": [list(pair) for pair in seen.left],
        "ahead": seen.ahead,
        "late": seen.late,
        "end_s": seen.end_s,
        "overlap_s": seen.timeline.overlap_s("disk", "compute"),
    }


def _with_nothings(count: int) -> list[Any]:
    """Items among which are 0, None, False, an empty text and exceptions; the others are arrays."""
    special = {
        1: 0,
        3: None,
        4: "",
        5: False,
        6: RuntimeError("a picture that could not be decoded"),
        8: StopIteration("an item like any other"),
    }
    return [special.get(i, np.full(3, i)) for i in range(count)]


FAULTS = {one.__name__: one for one in (OSError, ValueError, RuntimeError, KeyError, SystemExit)}
"""What the source may raise, by name."""


PLAY = Play(
    (Answer("prefetch", signature=("source", "depth")),),
    play_prefetch,
    on_machine=True,
)
