"""step-time: beside the learner's code."""

from gpuedu.exercises.functions import call_play

PLAY = call_play(
    "training_flop(model, batch, length) -> int",
    "terms(flop, moved_bytes, gradient_bytes, launches, device, devices) -> "
    "s of compute, s of memory, s of link, s of launches",
    "step_s(compute, memory, link, launch)",
    "limit(compute, memory, link, launch) -> text",
    "decode_s(model, batch, length, device)",
)
