"""count-the-work: beside the learner's code."""

from __future__ import annotations

from gpuedu.exercises.functions import call_play

PLAY = call_play(
    "linear_work(batch, inputs, outputs, itemsize) -> FLOP, bytes",
    "conv2d_work(batch, channels_in, channels_out, height, width, kernel, itemsize) -> FLOP, bytes",
    "intensity(flop, bytes)",
    "training_flop(params, tokens)",
)
