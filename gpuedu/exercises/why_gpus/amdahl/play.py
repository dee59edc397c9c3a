"""amdahl: beside the learner's code."""

from __future__ import annotations

from gpuedu.exercises.functions import call_play

PLAY = call_play(
    "amdahl(p, n)",
    "amdahl_limit(p) -> float or math.inf",
    "gustafson(p, n)",
    "share_for(speedup, n) -> float or math.nan",
)
