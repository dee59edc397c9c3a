"""survive: beside the learner's code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gpuedu.exercises.contract import Answer, Play
from gpuedu.exercises.ddp_in_practice.survive.interrupted_job import Shape
from gpuedu.exercises.ddp_in_practice.survive.planted_deaths import Plan
from gpuedu.exercises.ddp_in_practice.survive.survival_runs import run_survival


def play_survive(answers: Sequence[Any], inputs: Mapping[str, Any]) -> dict[str, Any]:
    """The entries of the ranks' diaries, and how the run ended where it did not end well."""
    save, train = answers
    run = run_survival(
        save, train, Shape(**inputs["shape"]), inputs["every"], Plan(**inputs["plan"])
    )
    return {
        "entries": list(run.entries),
        "failure": run.failure,
        "remedy": run.remedy,
        "attempt": run.attempt,
    }


PLAY = Play(
    (
        Answer("save", signature=("state", "path")),
        Answer("train_job", signature=("job", "folder", "every")),
    ),
    play_survive,
    time_limit_s=120.0,
    launches=True,
    observes="checkpoints, and how training runs go on after them",
)
