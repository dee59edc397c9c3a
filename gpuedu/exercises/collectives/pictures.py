"""Pictures of the lesson collectives."""

from collections.abc import Callable
from typing import Any

from gpuedu.exercises.collectives.pictures_costs import COST_PICTURES
from gpuedu.exercises.collectives.pictures_exchanging import EXCHANGING_PICTURES

PICTURES: dict[str, Callable[..., Any]] = {**EXCHANGING_PICTURES, **COST_PICTURES}
