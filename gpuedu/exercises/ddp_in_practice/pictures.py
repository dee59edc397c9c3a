"""Pictures of the lesson ddp-in-practice."""

from collections.abc import Callable
from typing import Any

from gpuedu.exercises.ddp_in_practice.ddp_pictures import DDP_PICTURES
from gpuedu.exercises.ddp_in_practice.scaling_pictures import SCALING_PICTURES
from gpuedu.exercises.ddp_in_practice.statistics_pictures import STATISTICS_PICTURES
from gpuedu.exercises.ddp_in_practice.survival_pictures import SURVIVAL_PICTURES

PICTURES: dict[str, Callable[..., Any]] = {
    **DDP_PICTURES,
    **STATISTICS_PICTURES,
    **SCALING_PICTURES,
    **SURVIVAL_PICTURES,
}
