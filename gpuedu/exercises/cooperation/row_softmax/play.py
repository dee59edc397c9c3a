"""row-softmax: beside the learner's code."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from gpuedu.errors import AnswerError
from gpuedu.exercises.contract import Inputs, Plain
from gpuedu.exercises.cooperation.block_work import line_record, rounds_of
from gpuedu.exercises.cooperation.busiest_warps import busiest_warps
from gpuedu.exercises.kernels.launches import launch_play
from gpuedu.exercises.kernels.raw_kernel import RawKernelAnswer
from gpuedu.trace import Trace

_DOUBLE = "float64"


@contextmanager
def _own_parameters_told() -> Iterator[None]:
    """The launch is the exercise's: where an argument does not fit, the parameter is to change."""
    try:
        yield
    except AnswerError as fault:
        if not fault.message.startswith(("argument ", "`row_softmax` takes ")):
            raise
        raise AnswerError(
            "its parameters do not fit the launch: " + fault.message.partition(", and got ")[0],
            remedy="The launch passes two arrays of float32 and a number of int32: `const float* "
            "x, float* y, int columns`.",
        ) from None


def observe_work(trace: Trace) -> dict[str, Any]:
    """The rounds of a launch, and the line with the most operations in float64."""
    counts = [(line.flop.get(_DOUBLE, 0), line.place) for line in trace.lines]
    most, place = max(counts, key=lambda found: found[0], default=(0, None))
    at = line_record(trace, place if most else None)
    busiest = busiest_warps(trace, ("x", "", ""))
    return {**rounds_of(trace), **busiest, "doubles": int(most), "doubles.at": at}


_LAUNCH = launch_play(
    "row_softmax(x, y, columns)",
    writes=(),
    counts=("x", "y"),
    also=observe_work,
    max_turns=4500,  # one thread that walks over a row three times is slow, not endless
    time_limit_s=30.0,
)


def play_row_softmax(answers: Sequence[Any], inputs: Inputs) -> Plain:
    """``y`` after a launch, what was found, and what the kernel asked of memory."""
    with _own_parameters_told():
        return _LAUNCH.run(answers, inputs)


PLAY = replace(
    _LAUNCH,
    answers=(RawKernelAnswer("row_softmax"),),
    run=play_row_softmax,
    compiles_kernel=True,
)
