"""buckets: beside the learner's code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gpuedu.errors import AnswerError
from gpuedu.exercises.contract import Answer, Inputs, Play
from gpuedu.exercises.ddp.buckets.planted import plant_parameters, planted_gradients
from gpuedu.exercises.plain import describe, items
from gpuedu.exercises.ranks import run_ranks
from gpuedu.exercises.training.quiet import quiet_torch
from gpuedu.exercises.training.tensors import as_array


def play_buckets(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """The buckets that were made, by place; or gradients and messages of an exchange."""
    make_buckets, reduce_buckets = answers
    limits = inputs["first_bytes"], inputs["max_bytes"]
    if inputs["ask"] == "make":
        with quiet_torch():
            parameters = _plant(inputs, 0)
            handed = list(parameters)
            places = places_of(make_buckets(handed, *limits), parameters)
            return {"buckets": [places], "kept": _ids(handed) == _ids(parameters)}

    def body(rank: int) -> dict[str, Any]:
        parameters = _plant(inputs, rank)
        if inputs["ask"] == "both":
            buckets = make_buckets(list(parameters), *limits)
            places = places_of(buckets, parameters)
        else:
            places = [list(bucket) for bucket in inputs["buckets"]]
            buckets = [[parameters[place] for place in bucket] for bucket in places]
        before = list(map(_ids, buckets))
        reduce_buckets(buckets)
        kept = list(map(_ids, buckets)) == before
        return {"buckets": places, "gradients": _read(parameters), "kept": kept}

    run = run_ranks(body, inputs["ranks"], answers, seed=inputs["seed"])
    return {
        "buckets": [one["buckets"] for one in run.results],
        "gradients": [one["gradients"] for one in run.results],
        "kept": all(one["kept"] for one in run.results),
        **run.plain(),
    }


def _ids(listed: Any) -> list[int]:
    """Which objects a list has; it may have been replaced by anything."""
    return [id(one) for one in items(listed)] if isinstance(listed, (list, tuple)) else []


def _plant(inputs: Inputs, rank: int) -> list[Any]:
    shapes, missing = inputs["shapes"], inputs["missing"]
    gradients = planted_gradients(shapes, rank, inputs["seed"])
    absent = missing[rank] if rank < len(missing) else ()
    return plant_parameters(shapes, inputs["types"], inputs["trains"], gradients, absent)


def _read(parameters: Sequence[Any]) -> list[Any]:
    """The gradients, as float64 arrays; None where there is none."""
    return [
        None
        if one.grad is None
        else as_array(one.grad, tuple(one.shape), f"the gradient of parameter {place}")
        for place, one in enumerate(parameters)
    ]


def places_of(buckets: Any, parameters: Sequence[Any]) -> list[list[int]]:
    """The learner's buckets as lists of places; AnswerError for what are no lists of parameters.

    >>> places_of([["b"], ["a"]], ["a", "b"])
    [[1], [0]]
    """
    if not isinstance(buckets, (list, tuple)):
        raise AnswerError(
            f"make_buckets should return a list of buckets, got {describe(buckets)}",
            remedy="A bucket is a list of parameters.",
        )
    known = {id(one): place for place, one in enumerate(parameters)}
    found = []
    for number, bucket in enumerate(items(buckets)):
        if not isinstance(bucket, (list, tuple)):
            raise AnswerError(
                f"bucket {number} should be a list of parameters, got {describe(bucket)}"
            )
        own = items(bucket)
        for one in own:
            if id(one) not in known:
                raise AnswerError(
                    f"bucket {number} holds {describe(one)} that is none of the parameters",
                    remedy="A bucket holds the parameters themselves: no gradients, no copies, no "
                    "numbers.",
                )
        found.append([known[id(one)] for one in own])
    return found


PLAY = Play(
    (
        Answer("make_buckets", signature=("params", "first_bytes", "max_bytes")),
        Answer("reduce_buckets", signature=("buckets",)),
    ),
    play_buckets,
)
