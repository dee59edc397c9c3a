"""rendezvous: beside the learner's code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gpuedu.exercises.clusters.rendezvous.elastic_job import Job, Shape
from gpuedu.exercises.clusters.rendezvous.lives import Life, Shelf, live
from gpuedu.exercises.contract import Answer, Play
from gpuedu.exercises.plain import items, whole_number


def play_rendezvous(answers: Sequence[Any], inputs: Mapping[str, Any]) -> dict[str, Any]:
    """What `next_batch` and `shares` gave, or what the workers of a training did in all lives."""
    next_batch, shares, train = answers
    if inputs["ask"] == "shares":
        return {"parts": [_all_shares(shares, *call) for call in inputs["calls"]]}
    shape = Shape(**inputs["shape"])
    if inputs["ask"] == "batches":
        return {"batches": [_batch(next_batch, done, shape) for done in inputs["done"]]}
    lives = [Life(**{**one, "workers": tuple(one["workers"])}) for one in inputs["lives"]]
    own = (next_batch, shares)
    history = live(train, shape, inputs["every"], lives, lend_to=own, seed=inputs["seed"])
    return {
        "acts": [list(act) for act in history.acts],
        "states": [list(state) for state in history.states],
        "failure": history.failure,
        "remedy": history.remedy,
        "life": history.life,
    }


def _batch(next_batch: Any, done: int, shape: Shape) -> list[int]:
    job = Job(shape, Shelf().seen_by(0), lambda *_: None)
    return _samples(next_batch(done, job), f"`next_batch({done}, job)`")


def _all_shares(shares: Any, batch: list[int], world: int, fits: int) -> list[list[list[int]]]:
    """By rank, its parts."""
    found = []
    for rank in range(world):
        name = f"`shares(batch, {rank}, {world}, {fits})`"
        given = shares(list(batch), rank, world, fits)
        parts = items(given, name, "a list of lists of samples")
        found.append([_samples(part, f"a part of {name}") for part in parts])
    return found


def _samples(given: Any, name: str) -> list[int]:
    return [whole_number(one, f"a sample of {name}") for one in items(given, name)]


PLAY = Play(
    (
        Answer("next_batch", signature=("done", "job")),
        Answer("shares", signature=("batch", "rank", "world", "fits")),
        Answer("train", signature=("job", "every")),
    ),
    play_rendezvous,
    time_limit_s=30.0,
    lends=True,
)
