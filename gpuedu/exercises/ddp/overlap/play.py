"""overlap: beside the learner's code."""

from __future__ import annotations

from gpuedu.exercises.contract import Answer, Play
from gpuedu.exercises.ddp.overlap.overlap_runs import run_overlap

PLAY = Play(
    (Answer("attach", signature=("buckets",)),),
    run_overlap,
    time_limit_s=20.0,
    observes="messages between simulated ranks, and when they are sent",
)
