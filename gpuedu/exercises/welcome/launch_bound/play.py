"""launch-bound: beside the learner's code."""

from __future__ import annotations

from gpuedu.exercises.functions import call_play

PLAY = call_play(
    "launch_share(launch_s, elements_per_s, n)",
    "elements_for_share(launch_s, elements_per_s, share) -> int",
)
