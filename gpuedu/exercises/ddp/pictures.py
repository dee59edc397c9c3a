"""Pictures of the lesson ddp."""

from collections.abc import Callable
from typing import Any

from gpuedu.exercises.ddp.accumulating_pictures import ACCUMULATING_PICTURES
from gpuedu.exercises.ddp.averaging_pictures import AVERAGING_PICTURES
from gpuedu.exercises.ddp.motive_pictures import MOTIVE_PICTURES
from gpuedu.exercises.ddp.pictures_exchange import EXCHANGE_PICTURES
from gpuedu.exercises.ddp.sampling_pictures import SAMPLING_PICTURES

PICTURES: dict[str, Callable[..., Any]] = {
    **MOTIVE_PICTURES,
    **SAMPLING_PICTURES,
    **AVERAGING_PICTURES,
    **ACCUMULATING_PICTURES,
    **EXCHANGE_PICTURES,
}
