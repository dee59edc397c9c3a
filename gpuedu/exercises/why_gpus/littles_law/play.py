"""littles-law: beside the learner's code."""

from __future__ import annotations

from gpuedu.exercises.functions import call_play

PLAY = call_play(
    "bytes_in_flight(latency_s, bandwidth_bytes_per_s)",
    "threads_needed(latency_s, bandwidth_bytes_per_s, bytes_per_thread) -> int",
    "bandwidth_with(threads, bytes_per_thread, latency_s, peak_bytes_per_s)",
)
