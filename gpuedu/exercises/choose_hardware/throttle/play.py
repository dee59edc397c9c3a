"""throttle: beside the learner's code."""

from gpuedu.exercises.functions import call_play

PLAY = call_play(
    "clock_share(cap_w, static_w, dynamic_w)",
    "capped_s(share, compute_s, memory_s) -> float or math.inf",
    "best_cap(caps_w, static_w, dynamic_w, compute_s, memory_s)",
)
