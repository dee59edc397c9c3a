"""memory-by-stage: beside the learner's code."""

from gpuedu.exercises.functions import call_play

PLAY = call_play(
    "kept_bytes(layers, ranks, stage) -> weights, gradients, states",
    "peak_bytes(layers, ranks, stage) -> int",
    "stage_needed(layers, ranks, memory_bytes) -> int or math.inf",
)
