"""feature-gate: beside the learner's code."""

from gpuedu.exercises.functions import call_play

PLAY = call_play(
    "running(capability, built) -> names",
    "wheel_for(capability, wheels) -> text",
    "outcome(device, job) -> text",
)
