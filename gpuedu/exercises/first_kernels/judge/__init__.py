"""Judges of the lesson first-kernels, one module an exercise."""

from gpuedu.exercises.first_kernels.judge import (
    any_order,
    blocks,
    grid_stride,
    launch_shape,
    mandelbrot,
    out_of_bounds,
    thread_index,
    two_d_map,
)

JUDGES = {
    "thread-index": thread_index.JUDGE,
    "blocks": blocks.JUDGE,
    "launch-shape": launch_shape.JUDGE,
    "grid-stride": grid_stride.JUDGE,
    "two-d-map": two_d_map.JUDGE,
    "any-order": any_order.JUDGE,
    "mandelbrot": mandelbrot.JUDGE,
    "out-of-bounds": out_of_bounds.JUDGE,
}
