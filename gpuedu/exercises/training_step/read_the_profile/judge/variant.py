"""read-the-profile: numbers of a class or a learner of its own."""

from __future__ import annotations

from functools import partial

import numpy as np

from gpuedu.exercises.training_step.read_the_profile import profile_pictures
from gpuedu.exercises.training_step.read_the_profile.judge import (
    judge_of,
    worst_of,
)
from gpuedu.exercises.training_step.read_the_profile.planted import draw_shown
from gpuedu.exercises.variants import Variant


def other_steps(rng: np.random.Generator) -> Variant:
    """Three other steps under the names A, B and C, slow for other reasons."""
    shown = draw_shown(rng)
    worst = worst_of(shown)
    waiting = " and ".join(name for name, cause in worst.items() if cause != "launches")
    return Variant(
        judge_of(shown),
        edits=(
            (
                "In A and C, the host spends a long time",
                f"In {waiting}, the host spends a long time",
            ),
        )
        if waiting != "A and C"
        else (),
        values=("worst", worst),
        pictures={
            "training-step/slow-step": partial(profile_pictures.draw_slow_step, shown=shown),
            "training-step/slow-costs": partial(profile_pictures.list_costs, shown=shown),
            "training-step/shares": partial(profile_pictures.list_shares, shown=shown),
        },
    )


VARIANT = other_steps
