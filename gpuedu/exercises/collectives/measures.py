"""What the lesson collectives measures on the learner's machine."""

from __future__ import annotations

from gpuedu.exercises.collectives.measures_costs import COST_MEASURES

MEASURES = {**COST_MEASURES}
