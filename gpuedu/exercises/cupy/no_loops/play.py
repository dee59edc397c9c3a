"""no-loops: beside the learner's code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gpuedu.exercises.arrays.plays import observe_call, observe_result
from gpuedu.exercises.arrays.watching import watch
from gpuedu.exercises.contract import Answer, Inputs, Play

ARGUMENTS = {
    "squared_distances": ("queries", "points"),
    "vote": ("distances", "labels", "k", "classes"),
}
"""What each function is called with, behind ``xp``."""

GROWTH = 4
"""How many times as many points, and then queries, a case is tried with."""

ROOM = 8
"""Arrays of the result's size that may exist at a time."""


def play_no_loops(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """Distances or votes with one of the libraries, and what they cost on the device."""
    name = inputs["ask"]
    function = dict(zip(ARGUMENTS, answers, strict=True))[name]
    given = [inputs[argument] for argument in ARGUMENTS[name]]
    if inputs["library"] == "numpy":
        return observe_result(name, function(np, *given))
    seen = observe_call(name, watch(function, *_on_device(given)))
    if inputs["grows"]:
        grown = [_on_device(_grown(name, given, axis)) for axis in (1, 0)]
        seen["launches_grown"] = [len(watch(function, *one).launches) for one in grown]
    # The last, since nobody counts what a function does with the device in this call.
    fresh = [one.copy() if isinstance(one, np.ndarray) else one for one in given]
    seen["on_numpy"] = observe_result(name, function(np, *fresh))["result"]
    return seen


def _on_device(given: Sequence[Any]) -> list[Any]:
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
    tuple(Answer(name, signature=("xp", *arguments)) for name, arguments in ARGUMENTS.items()),
    play_no_loops,
    time_limit_s=30.0,
    on_machine=True,
)
