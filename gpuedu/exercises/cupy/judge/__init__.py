"""Judges of the lesson cupy, one module an exercise."""

from gpuedu.exercises.cupy.judge import (
    elementwise,
    no_loops,
    raw_kernel,
    reduction,
    stay_on_device,
)

JUDGES = {
    "no-loops": no_loops.JUDGE,
    "stay-on-device": stay_on_device.JUDGE,
    "elementwise": elementwise.JUDGE,
    "reduction": reduction.JUDGE,
    "raw-kernel": raw_kernel.JUDGE,
}
