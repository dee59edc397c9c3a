"""streams: beside the learner's code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gpuedu.clock import Race
from gpuedu.exercises.contract import Answer, Play
from gpuedu.exercises.feed_the_gpu.streams.pipelines import Work, run_pipeline


def play_streams(answers: Sequence[Any], inputs: Mapping[str, Any]) -> dict[str, Any]:
    """One run: what came back, its races (and, by the learner's names, which), times, memory."""
    (pipeline,) = answers
    stages = (inputs[name] for name in ("up_s", "run_s", "down_s"))
    run = run_pipeline(pipeline, Work(len(inputs["values"]), *stages), inputs["values"])
    return {
        "got": [one if type(one) is np.ndarray else None for one in run.got],
        "came_through": list(run.came_through),
        "races": [_kind(race) for race in run.races],
        "told": [[str(race), race.buffer, race.first.agent] for race in run.races],
        "issued_s": run.issued_s,
        "launching_s": run.launching_s,
        "device_bytes": run.device_bytes,
        "is_on_one_stream": run.streams == 1,
        "end_s": run.end_s,
        "stages": [[list(one) for one in stage] for stage in run.stages],
    }


def _kind(race: Race) -> str:
    """Which property a race is against: it is read, overwritten, or read by the host too early."""
    if race.second.agent == "host":
        return "returned"
    return "order" if race.kind == "read after write" else "reuse"


PLAY = Play(
    (Answer("pipeline", signature=("device", "chunks", "results", "kernel")),),
    play_streams,
    on_machine=True,
)
