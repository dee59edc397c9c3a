"""break-even: beside the learner's code."""

from __future__ import annotations

from gpuedu.exercises.functions import call_play

PLAY = call_play(
    "break_even(launch_s, cpu_elements_per_s, gpu_elements_per_s) -> int or math.inf",
    "break_even_with_copies(launch_s, cpu_elements_per_s, gpu_elements_per_s, link_bytes_per_s, "
    "bytes_per_element) -> int or math.inf",
)
