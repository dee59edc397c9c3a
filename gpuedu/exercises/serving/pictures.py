"""Pictures of the lesson serving."""

from gpuedu.exercises.serving.batching import picture as batching
from gpuedu.exercises.serving.paged_cache import picture as paged_cache

PICTURES = {
    "serving/static": batching.draw_static,
    "serving/load": batching.draw_load,
    "serving/waste": paged_cache.draw_waste,
}
