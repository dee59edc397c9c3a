"""no-loops: beside the learner's code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gpuedu.exercises.arrays.plays import observe_call, observe_result
from gpuedu.exercises.arrays.watching import WatchedCall, watch
from gpuedu.exercises.contract import Answer, Inputs, Play

ARGUMENTS = {
    "squared_distances": ("queries", "points"),
    "vote": ("distances", "labels", "k", "classes"),
}
"""What each function is called with, after ``xp``."""

GROWTH = 4
"""How many times as many points, and then queries, a case is tried with."""

ROOM = 8
"""Arrays of the result's size that may exist at a time."""


def play_no_loops(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """Distances or votes with NumPy as ``result``; and on the device, and what they cost there.

    The device's are behind NumPy's, which are right or wrong by then, and ``steps_of_numpy`` says
    whether a device had a part in those.
    """
    name = inputs["ask"]
    function = dict(zip(ARGUMENTS, answers, strict=True))[name]
    given = [inputs[argument] for argument in ARGUMENTS[name]]
    fresh = [one.copy() if isinstance(one, np.ndarray) else one for one in given]
    on_host = watch(function, np, *fresh)
    seen = observe_result(name, on_host.result) | _arrays(name, fresh)
    if inputs["library"] == "numpy":
        return seen
    on_device = _on_device(given)
    watched = _watched(function, on_device)
    costs = observe_call(name, watched)
    seen = {**costs, **seen, "library": costs["library"], "on_device": costs["result"]}
    seen |= {"steps": len(watched.steps), "steps_of_numpy": len(on_host.steps)}
    if inputs["grows"]:
        calls = [_watched(function, _on_device(grown(name, given, axis))) for axis in (1, 0)]
        seen["steps_grown"] = [len(one.steps) for one in calls]
        seen["grown"] = [observe_result(name, one.result)["result"] for one in calls]
    return seen


def _arrays(name: str, given: Sequence[Any]) -> dict[str, Any]:
    """The arrays among the arguments, after the call."""
    named = zip(ARGUMENTS[name], given, strict=True)
    return {key: one.copy() for key, one in named if isinstance(one, np.ndarray)}


def _watched(function: Any, arguments: Sequence[Any]) -> WatchedCall:
    """A call with device arrays; where it mixes them with NumPy's, that is what has to change."""
    from gpuedu.arrays.errors import DeviceArrayTypeError

    try:
        return watch(function, *arguments)
    except DeviceArrayTypeError as fault:
        if "numpy.ndarray" in fault.message or "a NumPy array" in fault.message:
            fault.remedy = "a NumPy array met a CuPy one: where is it made, and by which library?"
        raise


def _on_device(given: Sequence[Any]) -> list[Any]:
    from gpuedu.arrays import cupy as cp

    return [cp, *(cp.asarray(one) if isinstance(one, np.ndarray) else one for one in given)]


def grown(name: str, given: Sequence[Any], axis: int) -> list[Any]:
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
