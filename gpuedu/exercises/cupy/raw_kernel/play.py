"""raw-kernel: beside the learner's code."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from gpuedu.errors import AnswerError
from gpuedu.exercises.arrays.plays import observe_arithmetic
from gpuedu.exercises.contract import Inputs, Plain
from gpuedu.exercises.kernels.launches import launch_play
from gpuedu.exercises.kernels.raw_kernel import RawKernelAnswer


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


_LAUNCH = launch_play(
    "normalize(pixels, out, mean, std, n)",
    counts=("pixels", "out"),
    also=observe_arithmetic,
    time_limit_s=30.0,
)


def play_raw_kernel(answers: Sequence[Any], inputs: Inputs) -> Plain:
    """``out`` after a launch of any shape, who wrote what, the traffic, and the arithmetic."""
    with _types_told():
        return _LAUNCH.run(answers, inputs)


PLAY = replace(
    _LAUNCH,
    answers=(RawKernelAnswer("normalize"),),
    run=play_raw_kernel,
    compiles_kernel=True,
)
