"""rendezvous: what is measured on the learner's machine."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gpuedu.exercises.clusters.rendezvous.elastic_job import Shape
from gpuedu.exercises.clusters.rendezvous.torchrun_lives import run_torchrun

SHAPE, EVERY = Shape(samples=50, batch=12, fits=4, epochs=3, seed=7), 20


def measure_lives(train: Callable[..., Any]) -> dict[str, Any]:
    """Train under real ``torchrun`` through three lives.

    Returns:
        ``entries`` of the workers' diaries and ``agents`` (name, what, when), times in seconds
        since the first agent was started.
    """
    run = run_torchrun(train, SHAPE, EVERY)
    began_s = run.agents[0][2]
    return {
        "entries": [one | {"at": one["at"] - began_s} for one in run.entries],
        "agents": [[name, what, at - began_s] for name, what, at in run.agents],
    }


MEASURE = measure_lives
