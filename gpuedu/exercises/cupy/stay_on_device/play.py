"""stay-on-device: beside the learner's code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gpuedu.exercises.arrays.plays import observe_call
from gpuedu.exercises.arrays.watching import WatchedCall, watch
from gpuedu.exercises.contract import Answer, Inputs, Play


def play_stay_on_device(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """The probabilities, and every copy between host and device."""
    watched = watch_pipeline(answers[0], inputs["x"], inputs["w"])
    return observe_call("predict_on_device", watched)


def watch_pipeline(pipeline: Any, x: np.ndarray, w: np.ndarray) -> WatchedCall:
    """A call of ``pipeline(cp, x, d_w)`` with ``x`` on the host and ``w`` on the device."""
    from gpuedu.arrays import cupy as cp

    return watch(pipeline, cp, x, cp.asarray(w))


PLAY = Play(
    (Answer("predict_on_device", signature=("cp", "x", "d_w")),),
    play_stay_on_device,
    on_machine=True,
)
