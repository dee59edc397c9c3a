"""Pictures of the lesson mixed-precision, one table of all its parts."""

from __future__ import annotations

from gpuedu.exercises.mixed_precision.pictures_formats import FORMAT_PICTURES
from gpuedu.exercises.mixed_precision.pictures_numbers import NUMBER_PICTURES
from gpuedu.exercises.mixed_precision.pictures_recipe import RECIPE_PICTURES
from gpuedu.exercises.mixed_precision.pictures_scaling import SCALING_PICTURES
from gpuedu.exercises.mixed_precision.pictures_tensor import TENSOR_PICTURES

PICTURES = {
    **FORMAT_PICTURES,
    **NUMBER_PICTURES,
    **SCALING_PICTURES,
    **RECIPE_PICTURES,
    **TENSOR_PICTURES,
}
