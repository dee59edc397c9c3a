"""Pictures of the lesson training-step, made from what the learner wrote, right or wrong."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gpuedu.exercises.training_step.backward_pictures import BACKWARD_PICTURES
from gpuedu.exercises.training_step.checkpointing_pictures import CHECKPOINTING_PICTURES
from gpuedu.exercises.training_step.counting_pictures import COUNTING_PICTURES
from gpuedu.exercises.training_step.digits_pictures import DIGITS_PICTURES
from gpuedu.exercises.training_step.memory_pictures import MEMORY_PICTURES
from gpuedu.exercises.training_step.profile_pictures import PROFILE_PICTURES
from gpuedu.exercises.training_step.resume_pictures import RESUME_PICTURES
from gpuedu.exercises.training_step.rules_pictures import RULES_PICTURES
from gpuedu.exercises.training_step.waiting_pictures import WAITING_PICTURES

PICTURES: dict[str, Callable[..., Any]] = {
    **BACKWARD_PICTURES,
    **CHECKPOINTING_PICTURES,
    **COUNTING_PICTURES,
    **MEMORY_PICTURES,
    **DIGITS_PICTURES,
    **PROFILE_PICTURES,
    **RESUME_PICTURES,
    **RULES_PICTURES,
    **WAITING_PICTURES,
}
