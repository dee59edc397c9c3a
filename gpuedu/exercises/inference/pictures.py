"""Pictures of the lesson inference."""

from gpuedu.exercises.inference.prefill_or_decode import texts_picture

PICTURES = {
    "inference/more-texts": texts_picture.draw_more_texts,
}
