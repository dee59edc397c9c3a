"""Pictures of the lesson tensor-parallel."""

from gpuedu.exercises.tensor_parallel import layer_pictures, link_pictures

PICTURES = {
    "tensor-parallel/one-layer": layer_pictures.draw_one_layer,
    "tensor-parallel/links": link_pictures.draw_links,
    "tensor-parallel/tokens-too": layer_pictures.draw_tokens_too,
}
