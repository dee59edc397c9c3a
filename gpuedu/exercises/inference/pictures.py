"""Pictures of the lesson inference."""

from gpuedu.exercises.inference.quantize import format_pictures

PICTURES = {
    "inference/formats": format_pictures.draw_formats,
}
