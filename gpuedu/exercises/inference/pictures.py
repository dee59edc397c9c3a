"""Pictures of the lessons on inference."""

from gpuedu.exercises.inference import opening_pictures
from gpuedu.exercises.inference.prefill_or_decode import texts_picture
from gpuedu.exercises.inference.quantize import format_pictures
from gpuedu.exercises.inference.sampling import written_pictures
from gpuedu.exercises.inference.speculative import worth_pictures

PICTURES = {
    "inference/read-and-write": opening_pictures.draw_read_and_write,
    "inference/one-token": opening_pictures.draw_one_token,
    "inference/more-texts": texts_picture.draw_more_texts,
    "inference/formats": format_pictures.draw_formats,
    "inference/texts": written_pictures.tell_texts,
    "inference/guesses": worth_pictures.draw_worth,
}
