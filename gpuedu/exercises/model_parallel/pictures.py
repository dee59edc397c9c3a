"""Pictures of the lesson model-parallel."""

from gpuedu.exercises.model_parallel import (
    layer_pictures,
    link_pictures,
    pipeline_pictures,
    plan_pictures,
)

PICTURES = {
    "model-parallel/one-layer": layer_pictures.draw_one_layer,
    "model-parallel/links": link_pictures.draw_links,
    "model-parallel/tokens-too": layer_pictures.draw_tokens_too,
    **pipeline_pictures.PICTURES,
    **plan_pictures.PICTURES,
}
