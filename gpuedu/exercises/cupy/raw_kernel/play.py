"""raw-kernel: beside the learner's code."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from gpuedu.errors import AnswerError
from gpuedu.exercises.contract import Answer, Inputs, Play
from gpuedu.exercises.cupy.plays import _arithmetic
from gpuedu.exercises.cupy.standins import (
    require_raw_kernel,
)
from gpuedu.exercises.kernels.launching import observe, run_kernel, writers
from gpuedu.exercises.kernels.traffic import array_traffic


@contextmanager
def _types_told() -> Iterator[None]:
    """Where a parameter does not fit what is passed, it is the parameter that has to change."""
    try:
        yield
    except AnswerError as fault:
        if "argument" not in fault.message or "cannot be compiled" in fault.message:
            raise
        fits = "What is passed is fixed here: the parameters have to be those that the text names."
        raise AnswerError(fault.message, remedy=fits) from None


def play_raw_kernel(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """``out`` after a launch of any shape, who wrote what, the traffic, and the arithmetic."""
    (normalise,) = answers
    require_raw_kernel(normalise)
    pixels, out, blocks = inputs["pixels"], inputs["out"], inputs["blocks"]
    numbers = np.float32(inputs["mean"]), np.float32(inputs["std"]), np.int32(pixels.size)
    turns = pixels.size + 200  # a thread that does it all is not endless
    with _types_told():
        trace = run_kernel(
            normalise,
            blocks,
            inputs["threads"],
            pixels,
            out,
            *numbers,
            watch=range(blocks),
            max_turns=turns,
        )
    return {
        **_arithmetic(trace),
        **observe(trace, {"pixels": pixels, "out": out}),
        **writers(trace, 1, out.size),
        "pixels_traffic": array_traffic(trace, 0),
        "out_traffic": array_traffic(trace, 1),
    }


PLAY = Play(
    (Answer("normalise", signature=("grid", "block", "args")),),
    play_raw_kernel,
    time_limit_s=30.0,
    on_machine=True,
)
