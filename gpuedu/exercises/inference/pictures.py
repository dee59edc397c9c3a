"""Pictures of the lesson inference."""

from gpuedu.exercises.inference.speculative import worth_pictures

PICTURES = {
    "inference/guesses": worth_pictures.draw_worth,
}
