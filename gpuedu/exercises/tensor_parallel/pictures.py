"""Pictures of the lesson tensor-parallel."""

from gpuedu.exercises.tensor_parallel import layer_pictures, link_pictures
from gpuedu.exercises.tensor_parallel.dtensor_in_practice.code_picture import spell_plan

PICTURES = {
    "tensor-parallel/one-layer": layer_pictures.draw_one_layer,
    "tensor-parallel/links": link_pictures.draw_links,
    "tensor-parallel/tokens-too": layer_pictures.draw_tokens_too,
    "tensor-parallel/in-pytorch": spell_plan,
}
