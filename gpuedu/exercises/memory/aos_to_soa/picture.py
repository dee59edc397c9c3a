"""aos-to-soa: its picture."""

from __future__ import annotations

from typing import Any

import numpy as np

from gpuedu.errors import AnswerError
from gpuedu.exercises.kernels.launching import run_kernel
from gpuedu.exercises.memory.pictures import FIELDS, PARTICLES, draw


def draw_aos_to_soa(to_soa: Any, speed_squared: Any) -> Any:
    """The reads of one warp of the learner's kernel from what `to_soa` made."""
    fields = to_soa(np.ones((PARTICLES, FIELDS), np.float32))
    if type(fields) is not np.ndarray or fields.ndim != 2:
        raise AnswerError("`to_soa` does not return a matrix")
    return draw(run_kernel(speed_squared, 2, 64, fields, np.zeros(PARTICLES, np.float32)), 0)


PICTURE = draw_aos_to_soa
