"""Judges of the lesson tiling, one module an exercise."""

from gpuedu.exercises.tiling.judge import accumulate, any_shape, naive, roofline, tiled

JUDGES = {
    "roofline": roofline.JUDGE,
    "naive": naive.JUDGE,
    "accumulate-in-float32": accumulate.JUDGE,
    "tiled": tiled.JUDGE,
    "any-shape": any_shape.JUDGE,
}
