"""mandelbrot: beside the learner's code."""

from gpuedu.exercises.kernels.launches import launch_play
from gpuedu.trace import Trace


def busiest_lanes(trace: Trace) -> dict[str, int]:
    """Runs of the busiest line, counted by lanes."""
    return {"busiest_lanes": max((int(line.lanes.sum()) for line in trace.lines), default=0)}


PLAY = launch_play("mandelbrot(left, top, step, limit, out)", also=busiest_lanes, time_limit_s=30.0)
