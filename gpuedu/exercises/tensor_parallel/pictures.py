"""Pictures of the lessons on tensor parallelism and on long sequences."""

from gpuedu.exercises.tensor_parallel import layer_pictures, link_pictures
from gpuedu.exercises.tensor_parallel.dtensor_in_practice.code_picture import spell_plan

PICTURES = {
    "tensor-parallel/one-layer": layer_pictures.draw_one_layer,
    "tensor-parallel/links": link_pictures.draw_links,
    "tensor-parallel/long-texts": layer_pictures.draw_long_texts,
    "tensor-parallel/tokens-too": layer_pictures.draw_tokens_too,
    "tensor-parallel/in-pytorch": spell_plan,
}
