"""What the lesson training-step times on the learner's machine."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gpuedu.exercises.training_step.checkpointing_measures import CHECKPOINTING_MEASURES

MEASURES: dict[str, Callable[..., Any]] = {**CHECKPOINTING_MEASURES}
