"""Pictures of the lesson model-parallel."""

from gpuedu.exercises.model_parallel.motive_pictures import draw_one_layer

PICTURES = {"model-parallel/one-layer": draw_one_layer}
