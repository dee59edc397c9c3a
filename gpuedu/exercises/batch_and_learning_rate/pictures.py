"""Pictures of the lesson batch-and-learning-rate."""

from collections.abc import Callable
from typing import Any

from gpuedu.exercises.batch_and_learning_rate.accumulation_pictures import (
    ACCUMULATION_PICTURES,
)
from gpuedu.exercises.batch_and_learning_rate.finder_pictures import FINDER_PICTURES
from gpuedu.exercises.batch_and_learning_rate.intro_pictures import INTRO_PICTURES
from gpuedu.exercises.batch_and_learning_rate.largest_pictures import LARGEST_PICTURES
from gpuedu.exercises.batch_and_learning_rate.noise_pictures import NOISE_PICTURES
from gpuedu.exercises.batch_and_learning_rate.schedule_pictures import SCHEDULE_PICTURES
from gpuedu.exercises.batch_and_learning_rate.surface_pictures import SURFACE_PICTURES
from gpuedu.exercises.batch_and_learning_rate.throughput_pictures import THROUGHPUT_PICTURES

PICTURES: dict[str, Callable[..., Any]] = {
    **INTRO_PICTURES,
    **THROUGHPUT_PICTURES,
    **LARGEST_PICTURES,
    **ACCUMULATION_PICTURES,
    **FINDER_PICTURES,
    **SCHEDULE_PICTURES,
    **NOISE_PICTURES,
    **SURFACE_PICTURES,
}
