"""triton-matmul: beside the learner's code."""

from gpuedu.exercises.kernels.programs import program_play
from gpuedu.trace import Trace


def _float64(trace: Trace) -> dict[str, int]:
    return {"float64_flop": sum(line.flop.get("float64", 0) for line in trace.lines)}


PLAY = program_play(
    "matmul(a, b, c, M, N, K, BLOCK_M, BLOCK_N, BLOCK_K, GROUP)",
    writes=("c",),
    reads=("a", "b"),
    also=_float64,
)
