"""What the lesson ddp-in-practice measures on the learner's machine."""

from gpuedu.exercises.ddp_in_practice.real_group import DDP_MEASURES
from gpuedu.exercises.ddp_in_practice.scaling_measure import SCALING_MEASURES

MEASURES = {**DDP_MEASURES, **SCALING_MEASURES}
