"""three-utilisations: beside the learner's code."""

from gpuedu.exercises.functions import call_play

PLAY = call_play(
    "gpu_util(kernels, start_s, end_s)",
    "sm_active(kernels, start_s, end_s, sms)",
    "memory_share(kernels, start_s, end_s, peak_bytes_per_s)",
)
