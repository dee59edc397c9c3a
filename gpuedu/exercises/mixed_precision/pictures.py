"""Pictures of the lesson mixed-precision, one table of all its parts."""

from __future__ import annotations

from gpuedu.exercises.mixed_precision.autocast.autocast_table import write_lists
from gpuedu.exercises.mixed_precision.pictures_formats import (
    draw_formats,
    draw_gradients,
)
from gpuedu.exercises.mixed_precision.pictures_recipe import (
    draw_gradients as draw_before_and_after,
)
from gpuedu.exercises.mixed_precision.pictures_recipe import (
    draw_memory,
    draw_recorded,
)
from gpuedu.exercises.mixed_precision.pictures_scaling import (
    draw_certain,
    draw_large,
)
from gpuedu.exercises.mixed_precision.tensor_cores.pictures_tensor import (
    tell_formats,
    tell_tf32,
    tell_work,
)

PICTURES = {
    "mixed-precision/gradients": draw_gradients,
    "mixed-precision/formats": draw_formats,
    "mixed-precision/autocast-lists": write_lists,
    "mixed-precision/large-inputs": draw_large,
    "mixed-precision/certain-scores": draw_certain,
    "mixed-precision/before-and-after": draw_before_and_after,
    "mixed-precision/step-memory": draw_memory,
    "mixed-precision/recorded-losses": draw_recorded,
    "mixed-precision/tensor-work": tell_work,
    "mixed-precision/tensor-formats": tell_formats,
    "mixed-precision/tf32": tell_tf32,
}
