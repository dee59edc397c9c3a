"""no-loops: beside the learner's code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gpuedu.exercises.contract import Answer, Inputs, Play
from gpuedu.exercises.cupy.plays import observed
from gpuedu.exercises.cupy.watching import plain_copies, watch

ARGUMENTS = {
    "squared_distances": ("queries", "points"),
    "vote": ("distances", "labels", "k", "classes"),
}
"""What each function of no-loops is called with, behind ``xp``."""


GROWTH = 4
"""How many times as many points, and then queries, a case of no-loops is tried with."""


def play_no_loops(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """Distances or votes with one of the libraries, and what they cost on the device."""
    name = inputs["ask"]
    function = dict(zip(ARGUMENTS, answers, strict=True))[name]
    given = [inputs[argument] for argument in ARGUMENTS[name]]
    if inputs["library"] == "numpy":
        return observed(name, function(np, *given))
    watched = watch(function, *_device_arguments(given))
    seen = {
        **observed(name, watched.result),
        "copies": plain_copies(watched),
        "launches": [len(watched.launches)],
        "extra_bytes": watched.extra_bytes,
    }
    if inputs["grows"]:
        for axis in (1, 0):
            grown = _device_arguments(_grown(name, given, axis))
            seen["launches"].append(len(watch(function, *grown).launches))
    # The last, since nobody counts what a function does with the device in this call.
    fresh = [one.copy() if isinstance(one, np.ndarray) else one for one in given]
    seen["on_numpy"] = observed(name, function(np, *fresh))["result"]
    return seen


def _device_arguments(given: Sequence[Any]) -> list[Any]:
    from gpuedu.arrays import cupy as cp

    return [cp, *(cp.asarray(one) if isinstance(one, np.ndarray) else one for one in given)]


def _grown(name: str, given: Sequence[Any], axis: int) -> list[Any]:
    """The same with GROWTH times as many points (axis 1) or queries (axis 0)."""
    if name == "squared_distances":
        return [np.tile(one, (GROWTH, 1)) if at == axis else one for at, one in enumerate(given)]
    distances, labels, *numbers = given
    if axis == 0:
        return [np.tile(distances, (GROWTH, 1)), labels, *numbers]
    return [np.tile(distances, (1, GROWTH)), np.tile(labels, GROWTH), *numbers]


PLAY = Play(
    (
        Answer("squared_distances", signature=("xp", "queries", "points")),
        Answer("vote", signature=("xp", "distances", "labels", "k", "classes")),
    ),
    play_no_loops,
    time_limit_s=30.0,
    on_machine=True,
)
