"""accumulate-in-float32: beside the learner's code."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from gpuedu.exercises.contract import Inputs
from gpuedu.exercises.kernels.launches import launch_play
from gpuedu.exercises.kernels.launching import MAX_TURNS
from gpuedu.exercises.tiling.precision import compiled_float64, float64_lines
from gpuedu.trace import Trace


def _lines(trace: Trace) -> dict[str, list[str]]:
    return {"float64_lines": float64_lines(trace, trace.launch.arguments[0].shape[0])}


_LAUNCH = launch_play("rms_norm(x, w, out)", also=_lines, max_turns=MAX_TURNS, time_limit_s=30.0)


def play_accumulate(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """What the compiler made of the kernel; or the launch, and where float64 is."""
    if inputs["ask"] == "compiled":
        return {"float64": compiled_float64(answers[0])}
    return dict(_LAUNCH.run(answers, inputs))


PLAY = replace(_LAUNCH, run=play_accumulate, compiles_kernel=True)
