"""bandwidth: beside the learner's code."""

from __future__ import annotations

from gpuedu.exercises.functions import call_play

PLAY = call_play("bandwidth_gb_per_s(kernel, n, itemsize, time_s)")
