"""The play of ``row-softmax``: launch the learner's CUDA C kernel, a block for each row."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from gpuedu.errors import AnswerError
from gpuedu.exercises.contract import Play
from gpuedu.exercises.cooperation.teams import observe_teams
from gpuedu.exercises.kernels.launching import observe, run_kernel
from gpuedu.exercises.kernels.raw_kernel import RawKernelAnswer
from gpuedu.exercises.kernels.traffic import array_traffic
from gpuedu.lens.listing import line_texts
from gpuedu.trace import Trace

_DOUBLE = "float64"


def play_row_softmax(answers: Sequence[Any], inputs: Mapping[str, Any]) -> dict[str, Any]:
    """``y`` after a launch, what was found, and what the kernel asked of memory."""
    (row_softmax,) = answers
    x, y = inputs["x"], inputs["y"]
    rows, columns = x.shape
    # One thread that walks over a row three times is slow, not endless.
    turns = 600 + 3 * columns
    given = (x, y, np.int32(columns))
    how = {"watch": range(rows), "max_turns": turns}
    with _own_parameters_told():
        trace = run_kernel(row_softmax, rows, inputs["threads"], *given, **how)
    return {
        **observe(trace, {"x": x, "y": y}),
        **observe_teams(trace),
        **_double_precision(trace),
        "on x": array_traffic(trace, 0),
        "on y": array_traffic(trace, 1),
    }


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


def _double_precision(trace: Trace) -> dict[str, Any]:
    """The line with the most operations in float64: their number, the line, and its text."""
    counts = [(line.flop.get(_DOUBLE, 0), line.place) for line in trace.lines]
    most, place = max(counts, key=lambda found: found[0], default=(0, None))
    if not most or place is None:
        return {"doubles": 0, "doubles_line": 0, "doubles_text": ""}
    text = line_texts(trace.launch).get(place, "")
    return {"doubles": int(most), "doubles_line": place.line, "doubles_text": text}


ROW_SOFTMAX = Play(
    (RawKernelAnswer("row_softmax"),),
    play_row_softmax,
    time_limit_s=30.0,
)
