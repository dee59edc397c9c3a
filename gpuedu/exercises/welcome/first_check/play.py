"""first-check: beside the learner's code."""

from __future__ import annotations

from gpuedu.exercises.functions import call_play

PLAY = call_play("copied_bytes(n, itemsize) -> int")
