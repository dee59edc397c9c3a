"""Pictures of the lesson serving."""

from gpuedu.exercises.serving.batching import picture as batching

PICTURES = {
    "serving/static": batching.draw_static,
    "serving/load": batching.draw_load,
}
