"""Pictures of the lesson feed-the-gpu."""

from collections.abc import Callable
from typing import Any

from gpuedu.exercises.feed_the_gpu.pictures_copying import COPYING_PICTURES
from gpuedu.exercises.feed_the_gpu.pictures_loading import LOADING_PICTURES

PICTURES: dict[str, Callable[..., Any]] = {**LOADING_PICTURES, **COPYING_PICTURES}
