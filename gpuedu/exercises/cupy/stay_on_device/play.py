"""stay-on-device: beside the learner's code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gpuedu.exercises.arrays.plays import observe_call
from gpuedu.exercises.arrays.watching import WatchedCall, watch
from gpuedu.exercises.contract import Answer, Inputs, Play


def play_stay_on_device(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """The probabilities, every copy between host and device, and what was handed over.

    ``carried_in`` and ``carried_out`` are what the first copy that way took along, empty where that
    is not known.
    """
    from gpuedu.arrays import cupy as cp

    x, d_w = inputs["x"], cp.asarray(inputs["d_w"])
    watched = watch(answers[0], cp, x, d_w)
    seen = observe_call("predict_on_device", watched)
    return seen | {
        "x": x.copy(),
        "d_w": d_w.get(),
        "carried_in": _carried(watched, to_device=True),
        "carried_out": _carried(watched, to_device=False),
    }


def _carried(watched: WatchedCall, *, to_device: bool) -> np.ndarray:
    pairs = zip(watched.copies, watched.contents, strict=False)
    found = [what for copy, what in pairs if copy.to_device == to_device and not copy.hidden]
    return np.zeros(0) if not found or found[0] is None else found[0]


def watch_pipeline(pipeline: Any, x: np.ndarray, w: np.ndarray) -> WatchedCall:
    """A call of ``pipeline(cp, x, d_w)`` with ``x`` on the host and ``w`` on the device."""
    from gpuedu.arrays import cupy as cp

    return watch(pipeline, cp, x, cp.asarray(w))


PLAY = Play(
    (Answer("predict_on_device", signature=("cp", "x", "d_w")),),
    play_stay_on_device,
    on_machine=True,
)
