"""mandelbrot: beside the learner's code."""

from gpuedu.exercises.kernels.launches import launch_play
from gpuedu.trace import Trace


def work_of(trace: Trace) -> dict[str, int]:
    """Runs of the busiest line, counted by lanes, and the arithmetic of all lines."""
    return {
        "busiest_lanes": max((int(line.lanes.sum()) for line in trace.lines), default=0),
        "flop": sum(sum(line.flop.values()) for line in trace.lines),
    }


PLAY = launch_play("mandelbrot(left, top, step, limit, out)", also=work_of, time_limit_s=30.0)
