"""stay-on-device: beside the learner's code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gpuedu.exercises.contract import Answer, Inputs, Play
from gpuedu.exercises.cupy.plays import observed
from gpuedu.exercises.cupy.watching import Watched, plain_copies, watch


def play_stay_on_device(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """The probabilities, and every copy between host and device."""
    (predict_on_device,) = answers
    watched = watch_pipeline(predict_on_device, inputs["x"], inputs["w"])
    return {
        **observed("predict_on_device", watched.result),
        "copies": plain_copies(watched),
        "launches": len(watched.launches),
    }


def watch_pipeline(pipeline: Any, x: np.ndarray, w: np.ndarray) -> Watched:
    """A call of ``pipeline(cp, x, d_w)`` with ``x`` on the host and ``w`` on the device."""
    from gpuedu.arrays import cupy as cp

    return watch(pipeline, cp, x, cp.asarray(w))


PLAY = Play(
    (Answer("predict_on_device", signature=("cp", "x", "d_w")),),
    play_stay_on_device,
    on_machine=True,
)
