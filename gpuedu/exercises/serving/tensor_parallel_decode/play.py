"""tensor-parallel-decode: beside the learner's code."""

from gpuedu.exercises.functions import call_play

SHARES = ("bytes of weights", "bytes of caches")
PLAY = call_play(
    f"shares(model, batch, length, gpus) -> {', '.join(SHARES)}",
    "all_reduce_s(gpus, size_bytes, alpha_s, bytes_per_s)",
    "decode_s(model, batch, length, gpus, device)",
    "best_gpus(model, batch, length, counts, device) -> int",
)
