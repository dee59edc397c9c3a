"""does-it-fit: beside the learner's code."""

from gpuedu.exercises.functions import call_play

PLAY = call_play(
    "state_bytes(parameters, precision, optimizer) -> int",
    "activation_bytes(model, batch, length, fused, recompute) -> int",
    "cache_bytes(model, batch, length) -> int",
    "convolution_bytes(shapes, batch) -> int",
    "devices_needed(shared_bytes, own_bytes, memory_bytes) -> int or math.inf",
)
