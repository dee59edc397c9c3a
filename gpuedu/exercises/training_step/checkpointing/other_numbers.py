"""Whether a step keeps numbers where no watch on tensors sees them: in arrays, lists or constants.

What is done to one batch is done to another (see ``gpuedu.exercises.likewise``), whose gradients
are then right only where all that the step keeps is in tensors.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Any
from unittest.mock import patch

import numpy as np
import torch

from gpuedu.errors import AnswerError
from gpuedu.exercises.likewise import likewise
from gpuedu.exercises.time_limit import is_course_or_library
from gpuedu.exercises.training_step.checkpointing.block_stacks import Stack, Step, run_step

_SIZES: Mapping[str, Any] = {"blocks": 4, "segments": 2, "wide": True, "width": 6, "samples": 5}
_ROOM = 1e-9


@contextmanager
def _in_tensors() -> Iterator[None]:
    """A tensor hands its numbers to no array and no list inside, in hooks of autograd neither."""
    with ExitStack() as undo:
        for name in ("numpy", "tolist", "__array__"):
            refusing = _refusing(getattr(torch.Tensor, name))
            undo.enter_context(patch.object(torch.Tensor, name, refusing))
        yield


def _refusing(original: Any) -> Any:
    """What refuses a learner's code; the course, which may be watching it, is given them."""

    def given(*arguments: Any, **named: Any) -> Any:
        if not is_course_or_library(sys._getframe(1).f_code.co_filename):
            raise AnswerError(
                "it takes numbers out of tensors, and keeps them where they can't be counted"
            )
        return original(*arguments, **named)

    return given


def kept_elsewhere(step: Step) -> str:
    """What becomes of a second batch by what was done to a first one; empty where that is right."""
    first, second = Stack(**_SIZES), Stack(**_SIZES, seed=1)

    def again(*given: Any) -> Any:
        with likewise(), _in_tensors():
            return step(*given)

    wanted = run_step(step, second)["gradients"]
    run_step(step, first)
    try:
        found = run_step(again, second)["gradients"]
    except AnswerError as refusal:
        return refusal.message
    return "" if all(map(_are_near, found, wanted)) else "the gradients are not those of this batch"


def _are_near(one: np.ndarray | None, other: np.ndarray | None) -> bool:
    if one is None or other is None:
        return one is other
    return np.allclose(
        one, other, rtol=0, atol=_ROOM * np.abs(other).max(initial=1), equal_nan=True
    )
