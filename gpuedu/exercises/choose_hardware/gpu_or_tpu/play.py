"""gpu-or-tpu: beside the learner's code."""

from gpuedu.exercises.functions import call_play

PLAY = call_play(
    "tpu_share(m, n, k, side)",
    "gpu_share(m, n, tile_m, tile_n, sms)",
    "faster(m, n, k, tpu, gpu) -> text",
)
